/** The sizes of a DSH conversation, from its log: turns, tokens, and which turns can be taken by themselves. Pure, and
 *  run by both halves, so that the page shows the numbers by which the host decides. */

import type { Measured } from '../../core/ladder.ts'
import { record, type VendorEvent } from './translate.ts'

export interface History extends Measured {
  /** Where in the list each turn of `tail` begins, the newest first. */
  readonly starts: readonly number[]
}

const CHARS_PER_TOKEN = 4
/** What an image costs about. */
const IMAGE_TOKENS = 1_000

interface Node {
  readonly seq: number
  readonly tokens: number
}

/** Where a fork may end. `cut`: events below it are whole turns and what stands between turns, compactions included.
 *  `openFrom`: the first event of the open turn, or null. Bookkeeping at the very end (our own command, the inbox) is
 *  left out: it means nothing to a child. Visits only the events behind the last completed turn. */
export function forkPoint(events: readonly VendorEvent[]): { readonly cut: number; readonly openFrom: number | null } {
  let openFrom: number | null = null
  let index = events.length - 1
  for (; index >= 0; index -= 1) {
    const type = events[index]?.type
    if (type === 'turn/end') break
    if (type === 'turn/start') openFrom = index
  }
  if (index < 0) return { cut: 0, openFrom }
  let cut = openFrom ?? events.length
  while (cut > index + 1 && isBookkeeping(events[cut - 1]?.type)) cut -= 1
  return { cut, openFrom }
}

function isBookkeeping(type: string | undefined): boolean {
  return type === 'command/run' || type === 'command/done' || type === 'agent/inbox/spliced'
}

/** Reads `events` up to the index `cut`, which must be the end of whole turns. The list may begin in the middle of a log:
 *  turns without their beginning are then no part of `tail`. `known` is the size of system prompt and tools for a list
 *  that does not hold them. */
export function measure(events: readonly VendorEvent[], cut: number = events.length, known = 0): History {
  const nodes: Node[] = []
  let held = 0
  /** What the provider counted last, and what we had counted then. */
  let anchor: { readonly counted: number; readonly held: number } | null = null
  let turn = 0
  let start = -1
  let compacted = false
  /** Size of system prompt and tools; reckoned once for each header, because it is asked for at every turn's end. */
  let base = known
  const pending = new Set<string>()
  let tail: { readonly start: number; readonly tokens: number }[] = []
  /** Size at the end of the turn before, null when its end is not in the list. */
  let before: number | null = null

  const total = (): number => (anchor === null ? base + held : Math.max(0, anchor.counted + held - anchor.held))

  function place(event: VendorEvent, tokens: number): void {
    const range = replaced(event)
    let at = nodes.length
    if (range !== null) {
      const last = nodes.findIndex((node) => node.seq === range.end)
      const first = nodes.findIndex((node) => node.seq === range.start)
      // What is replaced lies before the list.
      if (last < 0) return
      at = Math.max(0, first)
      for (const gone of nodes.splice(at, last - at + 1)) held -= gone.tokens
    }
    nodes.splice(at, 0, { seq: event.seq, tokens })
    held += tokens
  }

  for (let index = 0; index < cut; index += 1) {
    const event = events[index] as VendorEvent
    if (event.type === 'assistant/chunk') continue
    const data = record(event.data)
    if (data === null) continue
    switch (event.type) {
      case 'request/header':
        base = baseOf(record(data['header'])) || known
        if (before === null && turn === 1) before = base
        break
      case 'turn/start':
        turn = count(data['turn'])
        start = index
        pending.clear()
        break
      case 'user/message':
        // Only a compaction puts a person's message in the place of others.
        place(event, tokensOf(data['content']))
        if (replaced(event) !== null) {
          compacted = true
          tail = []
          start = -1
        }
        break
      case 'tool/result': {
        const content = record(data['message'])?.['content']
        place(event, tokensOf(content))
        if (Array.isArray(content)) for (const block of content) pending.delete(String(record(block)?.['toolCallId']))
        break
      }
      case 'assistant/message': {
        const content = record(data['message'])?.['content']
        place(event, tokensOf(content))
        for (const block of Array.isArray(content) ? content : []) {
          const part = record(block)
          if (part?.['type'] === 'tool-call') pending.add(String(part['id']))
        }
        const counted = countedOf(data['usage'])
        if (counted !== null) anchor = { counted, held }
        break
      }
      case 'turn/end': {
        const size = total()
        // A turn with a call that was never answered must not reach a provider by itself, nor in the middle of others.
        if (pending.size > 0) tail = []
        else if (start >= 0 && before !== null) tail.push({ start, tokens: Math.max(0, size - before) })
        before = size
        start = -1
        pending.clear()
        break
      }
    }
  }
  const newest = tail.toReversed()
  const tokens = Math.round(total())
  return {
    turns: turn,
    tokens,
    base: Math.min(base, tokens),
    tail: newest.map((one) => Math.round(one.tokens)),
    compacted,
    starts: newest.map((one) => one.start),
  }
}

/** The range of a positional replacement, under the names of either host; null for an ordinary event. */
export function replaced(event: VendorEvent): { readonly start: number; readonly end: number } | null {
  const op = record((event as { readonly surfaceOp?: unknown }).surfaceOp)
  const start = op?.['start'] ?? op?.['startSeq']
  const end = op?.['end'] ?? op?.['endSeq']
  return typeof start === 'number' && typeof end === 'number' ? { start, end } : null
}

function baseOf(header: Record<string, unknown> | null): number {
  if (header === null) return 0
  const system = header['system']
  const chars = (typeof system === 'string' ? system.length : 0) + JSON.stringify(header['tools'] ?? '').length
  return Math.round(chars / CHARS_PER_TOKEN)
}

/** About how many tokens the parts of a message are. */
export function tokensOf(content: unknown): number {
  if (!Array.isArray(content)) return 0
  let chars = 0
  let images = 0
  for (const block of content) {
    const part = record(block)
    if (part === null) continue
    switch (part['type']) {
      case 'text':
        chars += lengthOf(part['text'])
        break
      case 'tool-call':
        chars += lengthOf(part['name']) + lengthOf(part['arguments'])
        break
      case 'tool-result':
        images += tokensOf(part['content'])
        break
      case 'image':
        images += IMAGE_TOKENS
        break
    }
  }
  return images + chars / CHARS_PER_TOKEN
}

/** What the provider counted for one answer and all before it. */
export function countedOf(raw: unknown): number | null {
  const usage = record(raw)
  if (usage === null) return null
  return ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens'].reduce(
    (sum, key) => sum + count(usage[key]),
    0,
  )
}

function lengthOf(text: unknown): number {
  return typeof text === 'string' ? text.length : 0
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}
