/** Feeds as server-sent events with the sequence as id: one feed on a line, or many. A slow reader is cut off and comes back
 *  for the rest. */

import type { Context } from 'hono'
import { streamSSE } from 'hono/streaming'
import type { SideEvent } from '../core/contract.ts'
import type { Clock } from '../core/limits.ts'
import type { Entry, Feed } from './feed.ts'

/** One feed on a line. */
export interface FeedSource {
  readonly feed: Feed
  readonly begin: Beginning
  /** Event names: of one event, and of the snapshot that a client without a past gets. */
  readonly topic: string
  readonly snapshotTopic: string
  /** Whose it is; stands in `data` of every event and snapshot. */
  readonly address: Readonly<Record<string, string>>
  /** Called once: it ended, or the line did. */
  readonly release: () => void
}

/** What one reader gets first: all of it, or what it missed. */
export interface Beginning {
  readonly snapshot: { readonly sequence: number; readonly events: readonly SideEvent[] } | null
  readonly missed: readonly Entry[]
}

export interface Line {
  /** Told before anything else. */
  readonly first: readonly Message[]
  readonly closed: AbortSignal
  readonly clock: Clock
  readonly onEnd: () => void
}

export interface Message {
  readonly topic: string
  readonly id?: number
  readonly data: unknown
}

interface Waiting extends Message {
  readonly source: FeedSource | null
  readonly isLast: boolean
}

/** Keeps half-open sockets from going unnoticed. */
const BEAT_MS = 15_000
/** Entries that may wait for a slow reader. */
const WAITING = 10_000

/** @param after sequence of the last event that the client has; undefined for a snapshot.
 *  @returns null when what follows `after` is no longer kept. */
export function beginAt(feed: Feed, after: number | undefined): Beginning | null {
  if (after === undefined) return wholeOf(feed)
  const missed = feed.since(after)
  return missed === null ? null : { snapshot: null, missed }
}

export function wholeOf(feed: Feed): Beginning {
  return { snapshot: { sequence: feed.last, events: feed.snapshot() }, missed: [] }
}

/** Must be called in the same tick as `beginAt` or `wholeOf`. The line ends when each of its sources has ended. */
export function serveFeeds(context: Context, sources: readonly FeedSource[], line: Line): Response {
  const queue: Waiting[] = line.first.map((message) => ({ ...message, source: null, isLast: false }))
  let wake = (): void => {}
  const reader = { gone: line.closed.aborted, slow: false }
  const open = new Map<FeedSource, () => void>()
  for (const source of sources) {
    const { feed, begin, topic, snapshotTopic, address } = source
    const entryOf = ({ sequence, event }: Entry): Waiting => {
      const { eventType, data } = event
      return { topic, id: sequence, data: { ...address, sequence, eventType, data }, source, isLast: isEnd(event) }
    }
    if (begin.snapshot !== null) {
      const { sequence, events } = begin.snapshot
      queue.push({
        topic: snapshotTopic,
        id: sequence,
        data: { ...address, sequence, events },
        source,
        isLast: events.some(isEnd),
      })
    }
    queue.push(...begin.missed.map(entryOf))
    const unsubscribe = feed.subscribe((entry) => {
      reader.slow ||= queue.push(entryOf(entry)) > WAITING
      wake()
    })
    open.set(source, unsubscribe)
  }
  const end = (): void => {
    reader.gone = true
    wake()
  }
  const leave = (source: FeedSource): void => {
    open.get(source)?.()
    if (open.delete(source)) source.release()
  }
  line.closed.addEventListener('abort', end, { once: true })
  // The client can be gone before the first byte.
  context.req.raw.signal.addEventListener('abort', end, { once: true })
  context.header('cache-control', 'no-store')

  return streamSSE(context, async (stream) => {
    stream.onAbort(end)
    try {
      while (!reader.gone && !reader.slow && (queue.length > 0 || open.size > 0)) {
        const next = queue.shift()
        if (next === undefined) {
          if (await idle()) await stream.write(': \n\n')
          continue
        }
        if (next.source !== null && !open.has(next.source)) continue
        const id = next.id === undefined ? {} : { id: String(next.id) }
        await stream.writeSSE({ event: next.topic, ...id, data: JSON.stringify(next.data) })
        if (next.isLast && next.source !== null) leave(next.source)
      }
    } finally {
      for (const source of [...open.keys()]) leave(source)
      line.closed.removeEventListener('abort', end)
      context.req.raw.signal.removeEventListener('abort', end)
      line.onEnd()
    }
  })

  /** True when nothing came for a while, false when something did. */
  function idle(): Promise<boolean> {
    return new Promise((resolve) => {
      const cancel = line.clock.after(BEAT_MS, () => resolve(true))
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
