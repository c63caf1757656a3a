/** One feed as server-sent events with the sequence as id. A slow reader is cut off and comes back for the rest. */

import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { SideEvent } from '../core/contract.ts'
import type { Clock } from '../core/limits.ts'
import type { Entry, Feed } from './feed.ts'

export interface FeedStream {
  readonly feed: Feed
  /** Sequence of the last event that the client has; undefined for a snapshot first. */
  readonly after: number | undefined
  /** Event names: of one event, and of the snapshot that a client without a past gets. */
  readonly topic: string
  readonly snapshotTopic: string
  /** What stands in `data` of one event. */
  readonly envelope: (entry: Entry) => unknown
  readonly closed: AbortSignal
  readonly clock: Clock
  readonly onEnd: () => void
}

/** Keeps half-open sockets from going unnoticed. */
const BEAT_MS = 15_000
/** Entries that may wait for a slow reader. */
const WAITING = 10_000

/** Null when what follows `after` is no longer kept. */
export function serveFeed(context: Context, parts: FeedStream): Response | null {
  const { feed, after } = parts
  const missed = after === undefined ? [] : feed.since(after)
  if (missed === null) return null
  const snapshot = after === undefined ? { sequence: feed.last, events: feed.snapshot() } : null
  const queue: Entry[] = [...missed]
  let wake = (): void => {}
  const reader = { gone: parts.closed.aborted, slow: false }
  const unsubscribe = feed.subscribe((entry) => {
    reader.slow ||= queue.push(entry) > WAITING
    wake()
  })
  const end = (): void => {
    reader.gone = true
    wake()
  }
  parts.closed.addEventListener('abort', end, { once: true })
  // The client can be gone before the first byte.
  context.req.raw.signal.addEventListener('abort', end, { once: true })
  context.header('cache-control', 'no-store')

  return streamSSE(context, async (stream) => {
    stream.onAbort(end)
    try {
      if (snapshot !== null)
        await stream.writeSSE({
          event: parts.snapshotTopic,
          id: String(snapshot.sequence),
          data: JSON.stringify(snapshot),
        })
      let ended = snapshot?.events.some(isEnd) ?? false
      while (!reader.gone && !reader.slow && !ended) {
        const entry = queue.shift()
        if (entry === undefined) {
          if (await idle()) await stream.write(': \n\n')
          continue
        }
        await stream.writeSSE({
          event: parts.topic,
          id: String(entry.sequence),
          data: JSON.stringify(parts.envelope(entry)),
        })
        ended = isEnd(entry.event)
      }
    } finally {
      unsubscribe()
      parts.closed.removeEventListener('abort', end)
      context.req.raw.signal.removeEventListener('abort', end)
      parts.onEnd()
    }
  })

  /** True when nothing came for a while, false when something did. */
  function idle(): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = parts.clock.after(BEAT_MS, () => resolve(true))
      wake = () => {
        cancel()
        wake = () => {}
        resolve(false)
      }
    })
  }
}

function isEnd(event: SideEvent): boolean {
  if (event.eventType !== 'state_patch') return false
  const { lifecycleStatus } = event.data
  return lifecycleStatus === 'closed' || lifecycleStatus === 'expired'
}
