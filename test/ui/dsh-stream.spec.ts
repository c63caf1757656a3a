/** How the client follows a side: from the start, late, and across lost connections, on hosts of every stream shape.
 *  The logs are recorded (test/fixtures); whoever comes when must read the same. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { EMPTY_TRANSCRIPT, project, type Transcript } from '../../src/core/projector.ts'
import type { ConnectionState, StreamSignal } from '../../src/wire/index.ts'
import type { Follow, FollowFrame, FollowRequest, PageRequest } from '../../ui/dsh/old-follow.ts'
import { followSide } from '../../ui/dsh/stream.ts'
import { newLog, oldLog, SIDE_LOGS, type SideLog } from '../kit/side-log.ts'

const ADDRESS = { kind: 'subagent', parentSessionId: 'main', childSessionId: 'side', mode: 'one-shot' } as const

/** One connection: frames are pushed by the test, and it ends as the test says. */
class Connection {
  readonly #frames: FollowFrame[] = []
  #ended: { readonly error?: unknown } | null = null
  #wake = (): void => {}

  send(...frames: readonly FollowFrame[]): void {
    this.#frames.push(...frames)
    this.#wake()
  }

  end(error?: unknown): void {
    this.#ended = error === undefined ? {} : { error }
    this.#wake()
  }

  async *frames(signal: AbortSignal | undefined): AsyncGenerator<FollowFrame> {
    signal?.addEventListener('abort', () => this.#wake())
    for (;;) {
      const frame = this.#frames.shift()
      if (frame !== undefined) yield frame
      else if (signal?.aborted === true) return
      else if (this.#ended !== null) {
        if ('error' in this.#ended) throw this.#ended.error
        return
      } else await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}

let connections: Connection[]
let requests: FollowRequest[]
let waits: { readonly ms: number; task: (() => void) | null }[]
let signals: StreamSignal[]
let stop: () => void
/** What the host answers when it is asked for what lies further back; it cannot be asked while this is undefined. */
let page: Follow['page']

/** Starts to follow a side; the first connection is open afterwards. */
function follow(from: number): void {
  stop = followSide({
    tools: [],
    address: ADDRESS,
    from,
    maxMessages: 7,
    follow: Object.assign(
      (request: FollowRequest, signal?: AbortSignal) => {
        requests.push(request)
        const connection = new Connection()
        connections.push(connection)
        return connection.frames(signal)
      },
      page === undefined ? {} : { page },
    ),
    wait(ms, task) {
      const timer: (typeof waits)[number] = { ms, task }
      waits.push(timer)
      return () => (timer.task = null)
    },
    onSignal: (signal) => signals.push(signal),
  })
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
const connection = (): Connection => connections.at(-1) as Connection
const states = (): ConnectionState[] => signals.flatMap((one) => (one.kind === 'connection' ? [one.state] : []))

/** What a person reads after the signals so far. */
function transcript(): Transcript {
  let view = EMPTY_TRANSCRIPT
  for (const signal of signals) {
    if (signal.kind === 'reset') view = EMPTY_TRANSCRIPT
    else if (signal.kind === 'events') view = signal.events.reduce((before, event) => project(before, event), view)
  }
  return view
}

/** What someone reads who was there from the start until `count` frames were sent. */
async function neverAway({ from, sent, snapshot }: SideLog, count = sent.length): Promise<Transcript> {
  signals = []
  follow(from)
  connection().send(snapshot(0), ...sent.slice(0, count))
  await settle()
  const read = transcript()
  stop()
  await settle()
  signals = []
  return read
}

beforeEach(() => {
  connections = []
  requests = []
  waits = []
  signals = []
  page = undefined
})
afterEach(() => stop())

const SHAPES: [string, (name: string) => SideLog][] = [
  ['0.1.0', oldLog],
  ['0.1.2, which packs deltas in snapshots', (name) => oldLog(name, { packed: true })],
  ['0.2, which streams deltas beside the log', newLog],
]

describe.each(SHAPES)('a side followed on %s', (_shape, load) => {
  it.each(SIDE_LOGS)('%s: whoever comes late, at any moment, reads the same then and at the end', async (name) => {
    const log = load(name)
    const whole = await neverAway(log)
    expect(whole.turns.every((turn) => turn.phase === 'settled')).toBe(true)
    for (const cut of log.moments) {
      const now = await neverAway(log, cut)
      follow(log.from)
      connection().send(log.snapshot(cut))
      await settle()
      expect(transcript(), `on joining at ${cut}`).toEqual(now)
      connection().send(...log.sent.slice(cut))
      await settle()
      expect(transcript(), `after joining at ${cut}`).toEqual(whole)
      stop()
      await settle()
      signals = []
    }
  })

  it('whoever comes late reads back to the side’s own beginning, and no further', async () => {
    const log = load('side-answer')
    const whole = await neverAway(log)
    const snapshot = log.snapshot(log.sent.length)
    const asked: PageRequest[] = []
    page = (request) => {
      asked.push(request)
      const end = snapshot.records.findIndex(({ event }) => event.seq === request.beforeSeq)
      const start = Math.max(0, end - 7)
      return Promise.resolve({ records: snapshot.records.slice(start, end), hasMore: start > 0 })
    }
    follow(log.from)
    connection().send({ ...snapshot, records: snapshot.records.slice(-3), hasMore: true })
    await settle()
    expect(transcript()).toEqual(whole)
    expect(asked.length).toBeGreaterThan(1)
    expect(asked.every(({ throughSeq }) => throughSeq === snapshot.cursor)).toBe(true)
    expect(asked.every(({ beforeSeq }) => (beforeSeq ?? 0) > log.from)).toBe(true)
  })

  it('E7 reads the same when the connection was lost in the middle and something was missed meanwhile', async () => {
    const log = load('side-answer')
    const whole = await neverAway(log)
    for (const cut of log.moments) {
      const back = log.moments.find((moment) => moment >= cut + 5) ?? log.sent.length
      follow(log.from)
      connection().send(log.snapshot(0), ...log.sent.slice(0, cut))
      connection().end(new Error('gone'))
      await settle()
      waits.at(-1)?.task?.()
      connection().send(log.snapshot(back), ...log.sent.slice(back))
      await settle()
      expect(transcript(), `lost at ${cut}`).toEqual(whole)
      stop()
      await settle()
      signals = []
    }
  })

  it('passes deltas on one by one', async () => {
    const log = load('side-answer')
    follow(log.from)
    connection().send(log.snapshot(0), ...log.sent)
    await settle()
    const pieces = signals.flatMap((one) =>
      one.kind === 'events'
        ? one.events.filter(
            ({ eventType, data }) => eventType === 'message_delta' && 'role' in data && data.role === 'assistant',
          )
        : [],
    )
    expect(pieces.length).toBeGreaterThan(10)
  })
})

describe('the connection of a side', () => {
  const log = oldLog('side-answer')

  it('E7 is tried again when what lies further back cannot be read', async () => {
    page = () => Promise.reject(new Error('lost in the middle'))
    follow(log.from)
    const snapshot = log.snapshot(log.sent.length)
    connection().send({ ...snapshot, records: snapshot.records.slice(-3), hasMore: true })
    await settle()
    expect(states()).toEqual(['connecting', 'disconnected'])
    expect(waits).toHaveLength(1)
  })

  it('E7 asks for what it needs, and says how it stands', async () => {
    follow(log.from)
    expect(requests).toEqual([{ address: ADDRESS, maxMessages: 7, assistantStream: true }])
    expect(states()).toEqual(['connecting'])
    connection().send(log.snapshot(0))
    await settle()
    expect(states()).toEqual(['connecting', 'connected'])
    expect(signals[1]).toEqual({ kind: 'reset' })
    stop()
    expect(states()).toEqual(['connecting', 'connected', 'disposed'])
  })

  it('asks for more when it comes back: what was said meanwhile has to be in the snapshot', async () => {
    follow(log.from)
    connection().send(log.snapshot(0))
    connection().end()
    await settle()
    waits.at(-1)?.task?.()
    await settle()
    expect(requests.map(({ maxMessages }) => maxMessages)).toEqual([7, 50])
  })

  it('E7 is tried again after a while that doubles up to eight seconds, and begins anew once it held', async () => {
    follow(log.from)
    for (let attempt = 0; attempt < 7; attempt += 1) {
      connection().end(new Error('refused'))
      await settle()
      waits.at(-1)?.task?.()
    }
    expect(waits.map(({ ms }) => ms)).toEqual([250, 500, 1_000, 2_000, 4_000, 8_000, 8_000])
    connection().send(log.snapshot(0))
    connection().end()
    await settle()
    expect(waits.at(-1)?.ms).toBe(250)
    expect(states().slice(-3)).toEqual(['connecting', 'connected', 'disconnected'])
  })

  it.each(['session/not-found', 'subagent/not-found'])('E7 ends the side on %s, and tries no more', async (code) => {
    follow(log.from)
    connection().send(log.snapshot(40))
    connection().end(Object.assign(new Error('gone'), { code }))
    await settle()
    expect(transcript()).toMatchObject({ lifecycle: 'expired', reason: 'provider_lost' })
    expect(transcript().turns).not.toEqual([])
    expect(waits).toEqual([])
  })

  it('says nothing more once it was stopped, and tries no more', async () => {
    follow(log.from)
    connection().send(log.snapshot(0))
    await settle()
    stop()
    const before = signals.length
    connection().send(...log.sent)
    connection().end(new Error('late'))
    await settle()
    expect(signals).toHaveLength(before)
    expect(waits).toEqual([])
  })

  it('stops waiting for its next try', async () => {
    follow(log.from)
    connection().end(new Error('refused'))
    await settle()
    stop()
    expect(waits.map(({ task }) => task)).toEqual([null])
    expect(states().at(-1)).toBe('disposed')
  })
})
