/** Follows a session on hosts that have no `remote.session.follow`, producing the frames that the hosts which
 *  have it send: one snapshot, then every later event once and in order. Owns the shape of those frames too, written
 *  by hand; `dev/seams/published-types.ts` fails to compile when they leave the published ones.
 *
 *  Such a host tells its page everything over one event socket, which the page's client already reads. So we listen
 *  in on that one, read the log so far over RPC, and drop what both have. Reading frames is transport.ts's part. */

// ---- frames ------------------------------------------------------------------------------------------------------

/** Anything that survives JSON. */
export type JsonValue = null | string | number | boolean | JsonValue[] | { [key: string]: JsonValue }

/** Whose log: a session of its own, or a child under its parent. */
export type SessionAddress =
  | { readonly kind: 'session'; readonly sessionId: string }
  | {
      readonly kind: 'subagent'
      readonly parentSessionId: string
      readonly childSessionId: string
      readonly mode: 'one-shot' | 'continuable'
    }

/** What to follow. `maxMessages` bounds the snapshot (hosts take 50); `assistantStream` asks for deltas as frames of
 *  their own, which exist from 0.1.3 on: older hosts ignore it and send each delta as an `assistant/chunk` event. */
export interface FollowRequest {
  readonly address: SessionAddress
  readonly maxMessages?: number
  readonly assistantStream?: true
}

/** One event of a session's log. `seq` counts from 0 without a gap, `time` is in Unix milliseconds. */
export interface WireEvent {
  readonly type: string
  readonly seq: number
  readonly time: number
  readonly data: JsonValue
  readonly ignorable?: true
  readonly sourceEventSeqs?: number[]
  /** 0.2 names the ends `startSeq` and `endSeq`. */
  readonly surfaceOp?: 'append' | { op: 'replace'; start: number; end: number }
}

/** A log entry in a frame. */
export interface EventEntry {
  readonly type: 'event'
  readonly event: WireEvent
}

/** Consecutive deltas of one block in one record; `seq` and `time` are the first one's, each further delta comes
 *  `dt` milliseconds after the one before. Only 0.1.2 packs them, and only in snapshots. */
export interface ChunkRun {
  readonly type: 'chunks'
  readonly event:
    | {
        readonly type: 'chunkrow/text-chunks' | 'chunkrow/reasoning-chunks'
        readonly seq: number
        readonly time: number
        readonly data: { texts: string[]; turn: number; step: number; index: number; dt: number[] }
      }
    | {
        readonly type: 'chunkrow/tool-call-chunks'
        readonly seq: number
        readonly time: number
        readonly data: {
          id: string
          name?: string
          args: string[]
          turn: number
          step: number
          index: number
          dt: number[]
        }
      }
}

/** The log so far, its last `maxMessages` messages with everything that belongs to them, up to and with `cursor`
 *  (-1 = empty). Records of a forked child include inherited ones: they end at its last `session/end-seed`. */
export interface Snapshot {
  readonly type: 'snapshot'
  readonly header: {
    readonly version: number
    readonly id: string
    readonly createdAt: number
    readonly cwd?: string
    readonly parentSession?: string
    /** How many events are inherited. 0.2 says `isSeeded` instead. */
    readonly seedLength?: number
    readonly isSeeded?: boolean
    readonly origin?: 'subagent'
    readonly delegationDepth?: number
    readonly agentPreset?: string
  }
  readonly cursor: number
  readonly records: readonly (EventEntry | ChunkRun)[]
  readonly hasMore: boolean
  readonly projections: { readonly asOfSeq: number; readonly values: Readonly<Record<string, JsonValue>> }
  /** With `assistantStream` (0.1.3 on): the answer being written at this moment, for whoever joins late. */
  readonly assistantStream?: {
    readonly revision: number
    readonly activeAttempt?: {
      readonly attemptId: string
      readonly startedAfterSeq: number
      readonly turn: number
      readonly step: number
      /** `index` of the next chunk frame. */
      readonly nextIndex: number
      readonly stream: readonly StreamRecord[]
    }
  }
}

/** Deltas so far of an attempt, packed: a run of one block, or one chunk as it came. */
export type StreamRecord =
  | {
      readonly type: 'text-chunks' | 'reasoning-chunks'
      readonly time0: number
      readonly index: number
      readonly dt: readonly number[]
      readonly texts: readonly string[]
    }
  | {
      readonly type: 'tool-call-chunks'
      readonly time0: number
      readonly index: number
      readonly dt: readonly number[]
      readonly id: string
      readonly name?: string
      readonly args: readonly string[]
    }
  | { readonly type: 'chunk'; readonly time: number; readonly chunk: JsonValue }

/** 0.1.3 on: deltas beside the log. `revision` grows by exactly one per frame over an agent's life and continues the
 *  snapshot's; the event an attempt ends in comes before its `end`. Only `start` names turn and step. */
export interface AssistantStreamEntry {
  readonly type: 'assistant-stream'
  readonly frame:
    | {
        readonly type: 'start'
        readonly attemptId: string
        readonly revision: number
        readonly startedAfterSeq: number
        readonly turn: number
        readonly step: number
      }
    | {
        readonly type: 'chunk'
        readonly attemptId: string
        readonly revision: number
        readonly index: number
        readonly time: number
        readonly chunk: JsonValue
      }
    | {
        readonly type: 'end'
        readonly attemptId: string
        readonly revision: number
        readonly index: number
        readonly outcome:
          | {
              readonly kind: 'committed'
              readonly eventType: 'assistant/message' | 'assistant/attempt'
              readonly seq: number
            }
          | { readonly kind: 'abandoned' }
      }
}

/** All that a follow stream of any host may say. */
export type FollowFrame = Snapshot | EventEntry | AssistantStreamEntry

/** What lies before `beforeSeq`, in the log that a snapshot with the cursor `throughSeq` is of. */
export interface PageRequest {
  readonly address: SessionAddress
  readonly throughSeq: number
  readonly beforeSeq?: number
  readonly maxMessages?: number
}

export type Page = Pick<Snapshot, 'records' | 'hasMore'>

/** `remote.session.follow`, as hosts that have it offer it. */
export interface Follow {
  (request: FollowRequest, signal?: AbortSignal, early?: Early): AsyncIterable<FollowFrame>
  /** Reads on backwards. Rejects with {@link FollowError}. */
  page?(request: PageRequest, signal: AbortSignal): Promise<Page>
  /** Hosts without follow: begins to hear a session that does not exist yet. */
  expect?(sessionId: string): Expected
}

/** What was heard of a session since before it existed. */
export interface Expected {
  /** Hands over what was heard, then what will be. @returns how to stop. */
  listen(hear: (news: Heard) => void): () => void
  /** Stops hearing, unless somebody else listens now. */
  drop(): void
}

/** Lets a session be followed from its event `from` on without reading its log: nothing that it inherited is sent. */
export interface Early {
  readonly expected: Expected
  readonly from: number
}

// ---- the core: pure over these two verbs -------------------------------------------------------------------------

/** What is heard of one session: an event, or that events may have been missed (the connection was lost). */
export type Heard = WireEvent | 'missed'

/** A host without follow, as far as following needs it. */
export interface OldHost {
  /** Reads the end of a log, or what lies before `beforeSeq`. Rejects with {@link FollowError}. */
  history(
    address: SessionAddress,
    cut: { readonly beforeSeq?: number; readonly maxMessages?: number },
    signal: AbortSignal,
  ): Promise<{ readonly events: readonly WireEvent[]; readonly hasMore: boolean }>
  /** Hears one session from now on, in the log's order as far as the connection holds. @returns how to stop. */
  listen(sessionId: string, hear: (news: Heard) => void): () => void
}

/** Why following ended. Codes are those of hosts that have follow. */
export class FollowError extends Error {
  override name = 'FollowError'
  readonly code: 'session/not-found' | 'subagent/not-found' | 'gateway/internal'
  constructor(code: FollowError['code'], message: string) {
    super(message)
    this.code = code
  }
}

/** Hears a session from before it exists, and keeps what it hears until somebody listens. */
export function expectOld(sessionId: string, host: OldHost): Expected {
  const kept: Heard[] = []
  let hear = (news: Heard): void => void kept.push(news)
  let listened = false
  const stop = host.listen(sessionId, (news) => hear(news))
  return {
    listen(next) {
      listened = true
      for (const news of kept.splice(0)) next(news)
      hear = next
      return stop
    },
    drop() {
      if (!listened) stop()
    },
  }
}

/** Follows one session. Ends when `signal` aborts (returning early from a silent one takes that too), and not when
 *  the session is disposed: nobody says so in its log.
 *  @throws {FollowError} when the session is not there, or after a lost connection is not there any more. */
export async function* followOld(
  { address, maxMessages }: FollowRequest,
  host: OldHost,
  signal: AbortSignal = new AbortController().signal,
  early?: Early,
): AsyncGenerator<Snapshot | EventEntry, void, undefined> {
  const heard: WireEvent[] = []
  let missed = false
  let wake: (() => void) | undefined
  // Before the log is read: what comes in between is then in both, never in neither.
  const hear = (news: Heard): void => {
    if (news === 'missed') missed = true
    else heard.push(news)
    wake?.()
  }
  const stop = early === undefined ? host.listen(idOf(address), hear) : early.expected.listen(hear)
  const aborted = (): void => wake?.()
  signal.addEventListener('abort', aborted)
  try {
    signal.throwIfAborted()
    // Nothing heard is no proof: the line to the host may have come up too late.
    const first = heard[0]
    const gapless = early !== undefined && !missed && first !== undefined && first.seq <= early.from
    // What was lost so far is in the log that is read now.
    missed = false
    const snapshot = gapless
      ? nothingBefore(early.from, address)
      : snapshotOf(address, await host.history(address, maxMessages === undefined ? {} : { maxMessages }, signal))
    signal.throwIfAborted()
    yield snapshot
    let next = snapshot.cursor + 1
    while (!signal.aborted) {
      const event = heard[0]
      if (missed || (event !== undefined && event.seq > next)) {
        missed = false
        for (const entry of await eventsFrom(next, address, host, signal)) {
          yield { type: 'event', event: entry }
          next = entry.seq + 1
        }
        if (event !== undefined && event.seq > next) throw broken(address, next)
      } else if (event === undefined) {
        await new Promise<void>((resolve) => (wake = resolve))
      } else {
        heard.shift()
        if (event.seq < next) continue
        yield { type: 'event', event }
        next += 1
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error
  } finally {
    signal.removeEventListener('abort', aborted)
    stop()
  }
}

/** Reads back until `next` is covered. */
async function eventsFrom(next: number, address: SessionAddress, host: OldHost, signal: AbortSignal) {
  let events: WireEvent[] = []
  let more = true
  while (more && (events[0]?.seq ?? Infinity) > next) {
    const beforeSeq = events[0]?.seq
    const page = await host.history(address, beforeSeq === undefined ? {} : { beforeSeq }, signal)
    events = [...page.events, ...events]
    more = page.hasMore && page.events.length > 0
  }
  if ((events.at(-1)?.seq ?? -1) < next - 1) throw broken(address, next)
  events = events.filter((event) => event.seq >= next)
  if (events.some((event, index) => event.seq !== next + index)) throw broken(address, next)
  return events
}

/** A snapshot that ends where a session's own events begin. */
function nothingBefore(from: number, address: SessionAddress): Snapshot {
  return { ...snapshotOf(address, { events: [], hasMore: from > 0 }), cursor: from - 1 }
}

function snapshotOf(address: SessionAddress, page: { events: readonly WireEvent[]; hasMore: boolean }): Snapshot {
  const cursor = page.events.at(-1)?.seq ?? -1
  const endSeed = page.events.findLast((event) => event.type === 'session/end-seed')
  return {
    type: 'snapshot',
    // Such a host's RPC does not hand out headers: what the address and the log say stands in for it.
    header: {
      version: 0,
      id: idOf(address),
      createdAt: (endSeed ?? page.events[0])?.time ?? 0,
      ...(endSeed === undefined ? {} : { seedLength: endSeed.seq }),
      ...(address.kind === 'subagent' ? { parentSession: address.parentSessionId, origin: 'subagent' as const } : {}),
    },
    cursor,
    ...pageOf(page),
    projections: { asOfSeq: cursor, values: {} },
  }
}

/** @param page what {@link OldHost.history} read. */
export function pageOf({ events, hasMore }: { events: readonly WireEvent[]; hasMore: boolean }): Page {
  return { records: events.map((event) => ({ type: 'event', event })), hasMore }
}

function idOf(address: SessionAddress): string {
  return address.kind === 'session' ? address.sessionId : address.childSessionId
}

function broken(address: SessionAddress, next: number): FollowError {
  return new FollowError('gateway/internal', `the log of ${idOf(address)} cannot be continued at seq ${next}`)
}

// ---- the page's own connection -----------------------------------------------------------------------------------

type Rpc = (payload: object, signal?: AbortSignal) => Promise<unknown>

/** `ctx.connection` of 0.1.0 and 0.1.1, as far as we use it. */
interface OldConnection {
  readonly api: {
    readonly sessions: { readonly history: Rpc }
    readonly subagents: { readonly history: Rpc }
    /** Shows every message that goes over the connection, in order, batched per microtask. */
    subscribeEnvelopes(listener: (batch: readonly unknown[]) => void): () => void
  }
  /** Holds nothing while the connection is lost. */
  readonly hostDescription: { getSnapshot(): unknown; subscribe(listener: () => void): () => void }
}

/** @returns the host behind the page's `ctx.connection`, or nothing when that is not a connection of this kind. */
export function oldHost(connection: unknown): OldHost | undefined {
  if (!isOldConnection(connection)) return undefined
  const { api, hostDescription } = connection
  return {
    async history(address, cut, signal) {
      const sessionId = idOf(address)
      // Serves live children too, whether or not their meta names the parent, and without listing all children.
      const own = await read(api.sessions.history({ sessionId, ...cut }, signal))
      if (own.ok) return own.page
      if (address.kind === 'session') throw failureOf(address, own.code, own.message)
      const { parentSessionId, childSessionId, mode } = address
      const child = await read(api.subagents.history({ parentSessionId, childSessionId, mode, ...cut }, signal))
      if (child.ok) return child.page
      throw failureOf(address, child.code, child.message)
    },
    listen(sessionId, hear) {
      const stopHearing = api.subscribeEnvelopes((batch) => {
        for (const envelope of batch) {
          const event = eventIn(envelope, sessionId)
          if (event !== undefined) hear(event)
        }
      })
      let connected = hostDescription.getSnapshot() !== undefined
      const stopWatching = hostDescription.subscribe(() => {
        const now = hostDescription.getSnapshot() !== undefined
        // Its sockets are open again by the time it says so: reading the log now leaves nothing out.
        if (now && !connected) hear('missed')
        connected = now
      })
      return () => {
        stopHearing()
        stopWatching()
      }
    },
  }
}

function isOldConnection(value: unknown): value is OldConnection {
  const api = at(value, 'api')
  return (
    typeof at(api, 'subscribeEnvelopes') === 'function' &&
    typeof at(at(api, 'sessions'), 'history') === 'function' &&
    typeof at(at(api, 'subagents'), 'history') === 'function' &&
    typeof at(at(value, 'hostDescription'), 'subscribe') === 'function'
  )
}

/** @returns the event in a `session/event` message about this session. */
function eventIn(envelope: unknown, sessionId: string): WireEvent | undefined {
  if (at(envelope, 'type') !== 'server-request') return undefined
  const payload = at(envelope, 'payload')
  if (at(payload, 'type') !== 'session/event' || at(payload, 'sessionId') !== sessionId) return undefined
  const event = at(payload, 'event')
  return isWireEvent(event) ? event : undefined
}

type Read =
  | { ok: true; page: { events: readonly WireEvent[]; hasMore: boolean } }
  | { ok: false; code: string; message: string }

async function read(call: Promise<unknown>): Promise<Read> {
  const response = await call.catch((error: unknown) => ({ result: { error } }))
  const result = at(response, 'result')
  if (at(result, 'ok') !== true) {
    const error = at(result, 'error')
    return { ok: false, code: String(at(error, 'code')), message: String(at(error, 'message')) }
  }
  const entries = at(at(result, 'value'), 'events')
  const events = (Array.isArray(entries) ? entries : []).map((entry: unknown) => at(entry, 'event')).filter(isWireEvent)
  return { ok: true, page: { events, hasMore: at(at(result, 'value'), 'hasMore') === true } }
}

export function failureOf(address: SessionAddress, code: string, message: string): FollowError {
  if (!code.endsWith('not-found')) return new FollowError('gateway/internal', message)
  return new FollowError(address.kind === 'session' ? 'session/not-found' : 'subagent/not-found', message)
}

function isWireEvent(value: unknown): value is WireEvent {
  return typeof at(value, 'type') === 'string' && Number.isSafeInteger(at(value, 'seq'))
}

function at(value: unknown, key: string): unknown {
  const found: unknown = typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined
  return found
}
