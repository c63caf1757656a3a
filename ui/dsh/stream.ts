/** One side's follow stream as stream signals: snapshot, events and live frames go through the translator; a lost
 *  stream is taken up again. The vendor's frames end here. */

import type { ConnectionState, SideEvent, StreamSignal } from '../../src/wire/index.ts'
import { createTranslator, type VendorEvent } from '../../src/wire/index.ts'
import type { ChunkRun, Early, Follow, FollowFrame, SessionAddress, Snapshot, StreamRecord } from './old-follow.ts'

export interface StreamOptions {
  readonly follow: Follow
  readonly address: SessionAddress
  /** First sequence number that the side itself wrote. */
  readonly from: number
  /** Names of the tools that may run in it. */
  readonly tools: readonly string[]
  /** Tokens of what is below `from`, for where the provider counts nothing. */
  readonly inherited?: number
  /** Messages asked for in the first snapshot. A new side needs few; what a snapshot lacks is read page by page. */
  readonly maxMessages: number
  /** A side that was heard of since before it existed needs no snapshot the first time. */
  readonly early?: Early
  readonly wait: (ms: number, task: () => void) => () => void
  /** Whether the page reaches its host. A stream may outlive a lost connection without a word; absent, it speaks for itself. */
  readonly connected?: Connected | null
  readonly onSignal: (signal: StreamSignal) => void
}

/** Something that knows whether the page's connection holds. */
export interface Connected {
  now(): boolean
  subscribe(listener: () => void): () => void
}

/** As many messages as hosts give at once. */
export const ALL_MESSAGES = 50
const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 8_000
const GONE = /not-found$/

/** Follows until the returned function is called. */
export function followSide(options: StreamOptions): () => void {
  const abort = new AbortController()
  let retryMs = FIRST_RETRY_MS
  let { maxMessages, early } = options
  let cancelRetry: () => void = () => {}
  /** A snapshot came, and the stream has not ended. */
  let running = false

  const connection = (state: ConnectionState): void => options.onSignal({ kind: 'connection', state })

  async function run(): Promise<void> {
    connection('connecting')
    let translator = createTranslator(options)
    try {
      const request = { address: options.address, maxMessages, assistantStream: true as const }
      // A later snapshot has to hold what was said meanwhile.
      maxMessages = Math.max(maxMessages, ALL_MESSAGES)
      const frames = options.follow(request, abort.signal, early)
      early = undefined
      for await (const sent of frames) {
        if (abort.signal.aborted) return
        const frame = sent.type === 'snapshot' ? await whole(sent) : sent
        if (abort.signal.aborted) return
        if (frame.type === 'snapshot') {
          translator = createTranslator(options)
          options.onSignal({ kind: 'reset' })
          retryMs = FIRST_RETRY_MS
          running = true
          connection('connected')
        }
        const events = translated(translator, frame)
        if (events.length > 0) options.onSignal({ kind: 'events', events })
      }
      if (!abort.signal.aborted) lost(null)
    } catch (error) {
      if (!abort.signal.aborted) lost(error)
    }
  }

  /** A snapshot with all that the side itself wrote: hosts put no more into one than the last messages. */
  async function whole(snapshot: Snapshot): Promise<Snapshot> {
    let { records, hasMore } = snapshot
    const { address, from, follow } = options
    while (hasMore && follow.page !== undefined) {
      const beforeSeq = records[0]?.event.seq ?? 0
      if (beforeSeq <= from) break
      const page = await follow.page({ address, throughSeq: snapshot.cursor, beforeSeq }, abort.signal)
      records = [...page.records, ...records]
      hasMore = page.hasMore && page.records.length > 0
    }
    return { ...snapshot, records }
  }

  function lost(error: unknown): void {
    running = false
    connection('disconnected')
    const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
    if (GONE.test(code)) {
      options.onSignal({
        kind: 'events',
        events: [{ eventType: 'state_patch', data: { lifecycleStatus: 'expired', reason: 'provider_lost' } }],
      })
      return
    }
    cancelRetry = options.wait(retryMs, start)
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
  }

  function start(): void {
    run().catch(() => connection('disconnected'))
  }

  const unwatch = options.connected?.subscribe(() => {
    if (options.connected?.now() === false) connection('disconnected')
    else if (running) connection('connected')
  })
  start()
  return () => {
    unwatch?.()
    cancelRetry()
    abort.abort()
    connection('disposed')
  }
}

function translated(translator: ReturnType<typeof createTranslator>, frame: FollowFrame): SideEvent[] {
  switch (frame.type) {
    case 'snapshot': {
      const events = frame.records.flatMap((record) =>
        record.type === 'event'
          ? translator.event(record.event)
          : unpack(record).flatMap((event) => translator.event(event)),
      )
      const attempt = frame.assistantStream?.activeAttempt
      if (attempt !== undefined)
        events.push(
          ...attempt.stream.flatMap((record) => lateChunks(record)).flatMap((chunk) => translator.frame(chunk)),
        )
      return events
    }
    case 'event':
      return translator.event(frame.event)
    case 'assistant-stream':
      if (frame.frame.type === 'chunk')
        return translator.frame({ type: 'chunk', chunk: frame.frame.chunk, time: frame.frame.time })
      if (frame.frame.type === 'end') return translator.frame({ type: 'end', outcome: frame.frame.outcome })
      return translator.frame({ type: 'start', turn: frame.frame.turn, step: frame.frame.step })
  }
}

/** The deltas of a packed run, as the events that they were (0.1.2). */
function unpack({ event }: ChunkRun): VendorEvent[] {
  if (event.type === 'chunkrow/tool-call-chunks') return []
  const type = event.type === 'chunkrow/text-chunks' ? 'text-delta' : 'reasoning-delta'
  const { turn, step, index, texts } = event.data
  return texts.map((text, at) => ({
    type: 'assistant/chunk',
    seq: event.seq + at,
    time: event.time,
    data: { turn, step, chunk: { type, index, text } },
  }))
}

/** What a late joiner missed of the running attempt, as the frames that it was. */
function lateChunks(record: StreamRecord): { type: 'chunk'; chunk: unknown; time: number }[] {
  if (record.type === 'chunk') return [{ type: 'chunk', chunk: record.chunk, time: record.time }]
  if (record.type === 'tool-call-chunks') return []
  const type = record.type === 'text-chunks' ? 'text-delta' : 'reasoning-delta'
  return record.texts.map((text) => ({ type: 'chunk', chunk: { type, index: record.index, text }, time: record.time0 }))
}
