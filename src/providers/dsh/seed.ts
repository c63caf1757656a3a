/** The inherited part of a child's log. Everything is handed over as it is; a part of it becomes a log of its own, because
 *  hosts want one that counts from 0 and refers to nothing outside. Pure. */

import { replaced } from './history.ts'
import { record, type VendorEvent } from './translate.ts'

/** What a model is shown of a turn, and what holds it together. Bookkeeping of main (inbox, commands, titles, headers)
 *  stays out of a part: it refers to what is not there. */
const KEPT: ReadonlySet<string> = new Set([
  'turn/start',
  'turn/end',
  'step/start',
  'step/end',
  'user/message',
  'assistant/message',
  'tool/call',
  'tool/result',
])

type SeedEvent = VendorEvent & { readonly surfaceOp?: unknown; readonly sourceEventSeqs?: unknown }

/** Events `from` to `cut` of a log as a seed. `from` 0 is the log itself; else it must be the beginning of a turn behind
 *  which no compaction and no unanswered call lies (history.ts), or `cut`, which is a seed of nothing. */
export function seedOf(events: readonly VendorEvent[], from: number, cut: number): readonly VendorEvent[] {
  if (from === 0) return events.slice(0, cut)
  const seed: SeedEvent[] = []
  const renumbered = new Map<number, number>()
  for (let index = from; index < cut; index += 1) {
    const event = events[index] as SeedEvent
    if (!KEPT.has(event.type)) continue
    const moved = placed(event, renumbered)
    if (moved === null) continue
    renumbered.set(event.seq, seed.length)
    seed.push({ ...moved, seq: seed.length })
  }
  return seed
}

/** The event with its references renumbered; null when it stands in for something that is not there. */
function placed(event: SeedEvent, renumbered: ReadonlyMap<number, number>): SeedEvent | null {
  const { sourceEventSeqs, surfaceOp, ...rest } = event
  const range = replaced(event)
  const named = Array.isArray(sourceEventSeqs) ? (sourceEventSeqs as readonly number[]) : undefined
  const sources = named?.map((seq) => renumbered.get(seq))
  const whole = sources?.every((seq) => seq !== undefined) === true
  const kept = whole ? { sourceEventSeqs: sources } : {}
  if (range === null) return { ...rest, ...kept, ...(surfaceOp === undefined ? {} : { surfaceOp }) }
  const start = renumbered.get(range.start)
  const end = renumbered.get(range.end)
  if (start === undefined || end === undefined || !whole) return null
  const op = record(surfaceOp)
  const names = op !== null && 'startSeq' in op ? { startSeq: start, endSeq: end } : { start, end }
  return { ...rest, ...kept, surfaceOp: { ...op, ...names } }
}
