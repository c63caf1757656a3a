/** Recorded logs of sides (test/fixtures), and the same logs as hosts of both shapes would stream them. 0.1.0 was
 *  recorded; 0.2 cannot be installed here, so its shape is made from the recording by the rules its source shows. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import type {
  AssistantStreamEntry,
  ChunkRun,
  EventEntry,
  JsonValue,
  Snapshot,
  StreamRecord,
  WireEvent,
} from '../../ui/dsh/old-follow.ts'

export const SIDE_LOGS = [
  'side-answer',
  'side-429',
  'side-reset-then-answer',
  'side-canceled',
  'side-canceled-before',
  'side-canceled-at-once',
] as const

/** What a side's log was, and what a follower that was there from the start was sent. */
export interface SideLog {
  /** First sequence number that the side itself wrote. */
  readonly from: number
  /** Everything in order, beginning with the first entry of the side's own. */
  readonly sent: readonly (EventEntry | AssistantStreamEntry)[]
  /** After how many of `sent` somebody can come. */
  readonly moments: readonly number[]
  /** What a follower who comes after the first `count` of `sent` is sent first. */
  snapshot(count: number): Snapshot
}

interface Delta {
  readonly type: string
  readonly index: number
  readonly text?: string
  readonly [key: string]: JsonValue | undefined
}

interface ChunkData {
  readonly turn: number
  readonly step: number
  readonly chunk: Delta
}

/** As recorded: each delta is an event. `packed` serves runs of them as one record, as 0.1.2 does in snapshots. */
export function oldLog(name: string, options: { readonly packed?: boolean } = {}): SideLog {
  const { from, events } = recorded(name)
  const entries = events.map((event): EventEntry => ({ type: 'event', event }))
  return {
    from,
    sent: entries.slice(from),
    moments: [...entries.slice(from).keys(), entries.length - from],
    snapshot(count) {
      const records = entries.slice(0, from + count)
      return snapshotOf(options.packed ? packedEvents(records) : records)
    },
  }
}

/** As 0.2 has it: deltas are frames beside the log, and each attempt's end in the log carries all of its deltas. */
export function newLog(name: string): SideLog {
  const { from, events } = recorded(name)
  const inherited: EventEntry[] = []
  const sent: (EventEntry | AssistantStreamEntry)[] = []
  let seq = 0
  let revision = 0
  let attempt: { readonly id: string; readonly turn: number; readonly step: number; chunks: StreamRecord[] } | null =
    null

  const log = (event: WireEvent): number => {
    const { sourceEventSeqs: _deltas, ...rest } = event
    const entry: EventEntry = { type: 'event', event: { ...rest, seq: (seq += 1) - 1 } }
    if (event.seq < from) inherited.push(entry)
    else sent.push(entry)
    return seq - 1
  }
  const frame = (partial: object): void => {
    revision += 1
    sent.push({ type: 'assistant-stream', frame: { ...partial, revision } } as unknown as AssistantStreamEntry)
  }
  const settle = (event: WireEvent): void => {
    const stream = packedStream(attempt?.chunks ?? [])
    const settled = log({ ...event, data: { ...(event.data as object), stream } as JsonValue })
    if (event.seq >= from && attempt !== null) {
      const outcome = { kind: 'committed', eventType: event.type, seq: settled }
      frame({ type: 'end', attemptId: attempt.id, index: attempt.chunks.length, outcome })
    }
    attempt = null
  }

  for (const event of events) {
    if (event.type === 'assistant/message') settle(event)
    else if (event.type !== 'assistant/chunk') log(event)
    else {
      const { turn, step, chunk } = event.data as unknown as ChunkData
      if (attempt === null) {
        attempt = { id: `attempt-${event.seq}`, turn, step, chunks: [] }
        if (event.seq >= from) frame({ type: 'start', attemptId: attempt.id, startedAfterSeq: seq - 1, turn, step })
      }
      const wire = chunk as unknown as JsonValue
      if (event.seq >= from)
        frame({ type: 'chunk', attemptId: attempt.id, index: attempt.chunks.length, time: event.time, chunk: wire })
      attempt.chunks.push({ type: 'chunk', time: event.time, chunk: wire })
      const reason = (chunk as { reason?: { kind?: string } }).reason?.kind
      if (chunk.type === 'finish' && reason === 'error')
        settle({ ...event, type: 'assistant/attempt', data: { turn, step } })
    }
  }
  // The host stores an attempt's end and tells it in one go: nobody comes in between.
  const moments = sent.flatMap((entry, index) => {
    const isEnd = entry.type === 'assistant-stream' && entry.frame.type === 'end'
    return isEnd ? [] : [index]
  })
  return {
    from: inherited.length,
    sent,
    moments: [...moments, sent.length],
    snapshot: (count) => newSnapshot(inherited, sent.slice(0, count)),
  }
}

function newSnapshot(inherited: readonly EventEntry[], sent: SideLog['sent']): Snapshot {
  let revision = 0
  let active: NonNullable<NonNullable<Snapshot['assistantStream']>['activeAttempt']> | undefined
  for (const entry of sent) {
    if (entry.type === 'event') continue
    const { frame } = entry
    revision = frame.revision
    if (frame.type === 'start') {
      const { attemptId, startedAfterSeq, turn, step } = frame
      active = { attemptId, startedAfterSeq, turn, step, nextIndex: 0, stream: [] }
    } else if (frame.type === 'end') active = undefined
    else if (active !== undefined) {
      const stream = [...active.stream, { type: 'chunk', time: frame.time, chunk: frame.chunk } as const]
      active = { ...active, nextIndex: frame.index + 1, stream }
    }
  }
  const records = [...inherited, ...sent.filter((entry) => entry.type === 'event')]
  const activeAttempt =
    active === undefined ? {} : { activeAttempt: { ...active, stream: packedStream(active.stream) } }
  return { ...snapshotOf(records), assistantStream: { revision, ...activeAttempt } }
}

function snapshotOf(records: Snapshot['records']): Snapshot {
  const last = records.at(-1)
  const cursor = last === undefined ? -1 : last.event.seq + (last.type === 'chunks' ? last.event.data.dt.length : 0)
  return {
    type: 'snapshot',
    header: { version: 1, id: 'side', createdAt: 0 },
    cursor,
    records,
    hasMore: false,
    projections: { asOfSeq: cursor, values: {} },
  }
}

/** Runs of deltas of one block as one record; the rest as it is. */
function packedEvents(entries: readonly EventEntry[]): Snapshot['records'] {
  const records: (EventEntry | ChunkRun)[] = []
  for (const entry of entries) {
    const { type, seq, time, data } = entry.event
    const chunk = type === 'assistant/chunk' ? (data as unknown as ChunkData).chunk : undefined
    const kind = chunk?.type === 'text-delta' ? 'text' : chunk?.type === 'reasoning-delta' ? 'reasoning' : undefined
    if (chunk === undefined || kind === undefined) {
      records.push(entry)
      continue
    }
    const { turn, step } = data as unknown as ChunkData
    const runType = `chunkrow/${kind}-chunks` as const
    const run = records.at(-1)
    if (run?.type === 'chunks' && run.event.type === runType && run.event.data.index === chunk.index) {
      run.event.data.texts.push(chunk.text ?? '')
      run.event.data.dt.push(0)
    } else {
      const { index, text = '' } = chunk
      records.push({
        type: 'chunks',
        event: { type: runType, seq, time, data: { texts: [text], turn, step, index, dt: [] } },
      })
    }
  }
  return records
}

/** The same for the deltas of one attempt. */
function packedStream(chunks: readonly StreamRecord[]): StreamRecord[] {
  const records: StreamRecord[] = []
  for (const record of chunks) {
    if (record.type !== 'chunk') continue
    const chunk = record.chunk as unknown as Delta
    const kind = chunk.type === 'text-delta' ? 'text' : chunk.type === 'reasoning-delta' ? 'reasoning' : undefined
    if (kind === undefined) {
      records.push(record)
      continue
    }
    const run = records.at(-1)
    const type = `${kind}-chunks` as const
    const { index, text = '' } = chunk
    if (run !== undefined && run.type === type && run.index === index)
      records[records.length - 1] = { ...run, dt: [...run.dt, 0], texts: [...run.texts, text] }
    else records.push({ type, time0: record.time, index, dt: [], texts: [text] })
  }
  return records
}

function recorded(name: string): { from: number; events: readonly WireEvent[] } {
  const text = readFileSync(join(import.meta.dirname, `../fixtures/${name}.json`), 'utf8')
  return JSON.parse(text) as { from: number; events: WireEvent[] }
}
