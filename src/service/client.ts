/** A typed client of the service, for a page or another host. Its types come from the route table, its paths are checked
 *  against it by the compiler; it brings no validator along. */

import { createParser } from 'eventsource-parser'
import { isSideErrorCode, SideError, type SideErrorCode } from '../core/errors.ts'
import type { Envelope, SideEvent } from '../core/contract.ts'
import type { Operations } from './operations.ts'
import type { ROUTES } from './routes.ts'

type Routes = typeof ROUTES
export type Operation = keyof Operations

/** What an operation is called with. */
export type Input<O extends Operation> = Operations[O]['input']
export type Output<O extends Operation> = Operations[O]['output']

/** Method and path of every operation, as the route table has them. */
const PATHS: { readonly [O in keyof Routes]: `${Routes[O]['method']} ${Routes[O]['path']}` } = {
  status: 'get /v1/status',
  resolve: 'post /v1/sides/resolve',
  open: 'post /v1/sides/open',
  send: 'post /v1/sides/send',
  cancel: 'post /v1/sides/cancel',
  respond: 'post /v1/sides/respond',
  close: 'post /v1/sides/close',
  reopen: 'post /v1/sides/reopen',
  touch: 'post /v1/sides/touch',
  sideEvents: 'get /v1/sides/events',
  events: 'post /v1/events',
  listThreads: 'get /v1/threads',
  startThread: 'post /v1/threads',
  attachThread: 'post /v1/threads/{threadId}/attach',
  readThread: 'get /v1/threads/{threadId}',
  askThread: 'post /v1/threads/{threadId}/turns',
  interruptThread: 'post /v1/threads/{threadId}/interrupt',
  answerThread: 'post /v1/threads/{threadId}/answer',
  threadEvents: 'get /v1/threads/{threadId}/events',
}

export interface ClientOptions {
  /** `http://127.0.0.1:<port>`; '' in a page of the service itself. */
  readonly url: string
  readonly token: string
}

export interface SideId {
  readonly workspaceId: string
  readonly sourceSessionId: string
  readonly sideSessionId: string
  readonly requestId: string
}

/** A side as its events name it. */
export type SideAddress = Omit<SideId, 'requestId'>

/** One message of a stream. After `snapshot` the events rebuild everything from nothing. */
export type StreamMessage<E> =
  | { readonly kind: 'snapshot'; readonly sequence: number; readonly events: readonly SideEvent[] }
  | { readonly kind: 'event'; readonly sequence: number; readonly event: E }

export type ThreadEvent = SideEvent & { readonly threadId: string; readonly sequence: number }

/** What one line is asked to tell of. `after` as in `StreamOptions`. */
export interface Wanted {
  readonly sides: readonly { readonly side: SideId; readonly after?: number }[]
  readonly threads: readonly { readonly threadId: string; readonly after?: number }[]
}

/** One message of a line of many. `open` comes first; what is refused is not told of any more. */
export type Told =
  | { readonly kind: 'open' }
  | { readonly kind: 'side'; readonly side: SideAddress; readonly message: StreamMessage<Envelope> }
  | { readonly kind: 'thread'; readonly threadId: string; readonly message: StreamMessage<ThreadEvent> }
  | { readonly kind: 'refusedSide'; readonly side: SideAddress; readonly code: SideErrorCode }
  | { readonly kind: 'refusedThread'; readonly threadId: string; readonly code: SideErrorCode }

export interface SideClient {
  /** Calls one operation. Rejects with SideError; `stream_unavailable` when the service cannot be reached. */
  call<O extends Operation>(operation: O, input: Input<O>, signal?: AbortSignal): Promise<Output<O>>
  /** Events of one side until it ended or the signal aborts. `after` resumes behind a sequence; an impossible resume
   *  rejects with `expired`. Ends without an error when the connection drops: call again with the last sequence. */
  sideEvents(side: SideId, options: StreamOptions): AsyncGenerator<StreamMessage<Envelope>>
  threadEvents(threadId: string, options: StreamOptions): AsyncGenerator<StreamMessage<ThreadEvent>>
  /** Events of many over one connection, until all of them ended or the signal aborts. */
  events(wanted: Wanted, signal: AbortSignal): AsyncGenerator<Told>
}

export interface StreamOptions {
  readonly after?: number
  readonly signal: AbortSignal
}

export function createClient({ url, token }: ClientOptions): SideClient {
  async function request(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal | undefined,
    accept: string,
  ): Promise<Response> {
    let response: Response
    try {
      response = await fetch(url + path, {
        method: method.toUpperCase(),
        headers: {
          authorization: `Bearer ${token}`,
          accept,
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        ...(signal === undefined ? {} : { signal }),
      })
    } catch (error) {
      throw new SideError('stream_unavailable', 'the service cannot be reached', error)
    }
    if (!response.ok) throw new SideError(await codeOf(response), `${method} ${path}: ${response.status}`)
    return response
  }

  /** Every event of one answer, as `[topic, data]`. */
  async function* stream(
    method: string,
    path: string,
    body: unknown,
    signal: AbortSignal,
  ): AsyncGenerator<readonly [topic: string, data: unknown]> {
    const response = await request(method, path, body, signal, 'text/event-stream')
    const ready: (readonly [string, unknown])[] = []
    const parser = createParser({
      onEvent: ({ event = '', data }) => void ready.push([event, JSON.parse(data)]),
    })
    const reader = response.body?.getReader()
    const decoder = new TextDecoder()
    try {
      for (;;) {
        const { done, value } = (await reader?.read()) ?? { done: true, value: undefined }
        if (done) return
        parser.feed(decoder.decode(value, { stream: true }))
        yield* ready.splice(0)
      }
    } catch (error) {
      // A dropped connection is no error: the caller resumes. Its own abort is its own business.
      if (error instanceof SyntaxError) throw error
    } finally {
      reader?.cancel().catch(() => undefined)
    }
  }

  async function* streamOne<E extends { readonly sequence: number }>(
    path: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamMessage<E>> {
    for await (const [topic, data] of stream('get', path, undefined, signal)) yield messageOf<E>(topic, data)
  }

  return {
    async call(operation, input, signal) {
      const { body, params } = input as { body?: unknown; params?: { readonly threadId: string } }
      const [method = '', path = ''] = PATHS[operation].split(' ')
      const filled = path.replace('{threadId}', () => encodeURIComponent(params?.threadId ?? ''))
      const response = await request(
        method,
        filled,
        method === 'get' ? undefined : (body ?? {}),
        signal,
        'application/json',
      )
      return (await response.json()) as never
    },
    sideEvents(side, { after, signal }) {
      const query = new URLSearchParams({ ...side, ...(after === undefined ? {} : { after: String(after) }) })
      return streamOne<Envelope>(`/v1/sides/events?${query.toString()}`, signal)
    },
    threadEvents(threadId, { after, signal }) {
      const query = after === undefined ? '' : `?after=${after}`
      return streamOne<ThreadEvent>(`/v1/threads/${encodeURIComponent(threadId)}/events${query}`, signal)
    },
    async *events(wanted, signal) {
      const [method = '', path = ''] = PATHS.events.split(' ')
      for await (const [topic, data] of stream(method, path, wanted, signal)) {
        const told = toldOf(topic, data)
        if (told !== null) yield told
      }
    },
  }
}

function messageOf<E extends { readonly sequence: number }>(topic: string, data: unknown): StreamMessage<E> {
  const value = data as E & { readonly events: readonly SideEvent[] }
  return topic.endsWith('.snapshot')
    ? { kind: 'snapshot', sequence: value.sequence, events: value.events }
    : { kind: 'event', sequence: value.sequence, event: value }
}

/** Null for a topic of a later version. */
function toldOf(topic: string, data: unknown): Told | null {
  const value = data as SideAddress & { readonly threadId: string; readonly code: SideErrorCode }
  switch (topic) {
    case 'stream.open':
      return { kind: 'open' }
    case 'agent.side.snapshot':
    case 'agent.side.updated':
      return { kind: 'side', side: value, message: messageOf<Envelope>(topic, data) }
    case 'thread.snapshot':
    case 'thread.updated':
      return { kind: 'thread', threadId: value.threadId, message: messageOf<ThreadEvent>(topic, data) }
    case 'agent.side.refused':
      return { kind: 'refusedSide', side: value, code: value.code }
    case 'thread.refused':
      return { kind: 'refusedThread', threadId: value.threadId, code: value.code }
    default:
      return null
  }
}

async function codeOf(response: Response): Promise<SideErrorCode> {
  try {
    const { code } = (await response.json()) as { code?: unknown }
    if (isSideErrorCode(code)) return code
  } catch {
    // A refusal of the guard has no body.
  }
  return response.status < 500 ? 'invalid_request' : 'provider_error'
}
