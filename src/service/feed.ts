/** What is told about one conversation: its transcript now, and its last events by number, so that a client can come late,
 *  come back without a gap, or be told that it cannot. */

import type { SideEvent } from '../core/contract.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript } from '../core/projector.ts'
import { replay } from '../core/replay.ts'

export interface Entry {
  readonly sequence: number
  readonly event: SideEvent
}

export interface Feed {
  /** Sequences start at 1 and grow by one. */
  append(event: SideEvent): void
  /** What follows `after`, or null when some of it is no longer kept. */
  since(after: number): readonly Entry[] | null
  /** Events that lead to now from nothing. */
  snapshot(): readonly SideEvent[]
  readonly last: number
  readonly transcript: Transcript
  /** Told of each new event in order. Must not throw. */
  subscribe(listener: (entry: Entry) => void): () => void
}

/** Keeps at most about `limit` characters of events; always the newest one. */
export function createFeed(limit: number): Feed {
  let kept: { readonly entry: Entry; readonly size: number }[] = []
  const listeners = new Set<(entry: Entry) => void>()
  let transcript = EMPTY_TRANSCRIPT
  let size = 0
  let last = 0

  /** Drops half when it is full, so that dropping costs nothing per event. */
  function trim(): void {
    if (size <= limit || kept.length < 2) return
    kept = kept.slice(Math.ceil(kept.length / 2))
    size = kept.reduce((sum, one) => sum + one.size, 0)
  }

  return {
    append(event) {
      const entry = { sequence: (last += 1), event }
      transcript = project(transcript, event)
      const weight = sizeOf(event)
      kept.push({ entry, size: weight })
      size += weight
      trim()
      for (const listener of listeners) listener(entry)
    },
    since(after) {
      const first = kept[0]?.entry.sequence ?? last + 1
      if (after > last || after + 1 < first) return null
      return kept.slice(after + 1 - first).map(({ entry }) => entry)
    },
    snapshot: () => replay(transcript),
    get last() {
      return last
    },
    get transcript() {
      return transcript
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

/** About how many characters an event takes. */
function sizeOf(event: SideEvent): number {
  const flat = 200
  if (event.eventType === 'message_delta') return flat + event.data.content.text.length
  if (event.eventType === 'message_update') return flat + (event.data.tool?.result?.length ?? 0)
  return flat
}
