/** The one table of the service: every operation with its shapes. openapi.ts makes the document of it, server.ts validates
 *  by it, client.ts takes its types from it. */

import { createRoute, z } from '@hono/zod-openapi'
import type { SideErrorCode } from '../core/errors.ts'
import * as shape from './schemas.ts'

/** One HTTP status per code. */
export const STATUS = {
  unsupported: 409,
  conflict: 409,
  in_progress: 409,
  turn_active: 409,
  expired: 410,
  limit_reached: 429,
  interaction_not_live: 409,
  interaction_already_answered: 409,
  interaction_invalid_response: 400,
  invalid_request: 400,
  not_found: 404,
  stream_unavailable: 503,
  provider_error: 502,
} as const satisfies Record<SideErrorCode, number>

const failure = (description: string) => ({
  description,
  content: { 'application/json': { schema: shape.ErrorBody } },
})
const FAILURES = {
  400: failure('invalid_request, interaction_invalid_response'),
  401: { description: 'No or a wrong token; empty.' },
  403: { description: 'A foreign origin or Host; empty.' },
  404: failure('not_found'),
  409: failure('unsupported, conflict, in_progress, turn_active, interaction_not_live, interaction_already_answered'),
  410: failure('expired'),
  429: failure('limit_reached'),
  502: failure('provider_error'),
  503: failure('stream_unavailable'),
} as const

const json = <S extends z.ZodType>(schema: S) =>
  ({ content: { 'application/json': { schema } }, required: true }) as const
const ok = <S extends z.ZodType>(description: string, schema: S) =>
  ({ description, content: { 'application/json': { schema } } }) as const
const stream = (description: string) =>
  ({ description, content: { 'text/event-stream': { schema: z.union([shape.Envelope, shape.Snapshot]) } } }) as const

const SECURED = { security: [{ token: [] }] }

export const ROUTES = {
  status: createRoute({
    ...SECURED,
    operationId: 'status',
    summary: 'What runs here',
    tags: ['service'],
    method: 'get',
    path: '/v1/status',
    responses: { 200: ok('Versions and connection', shape.Status), ...FAILURES },
  }),
  resolve: createRoute({
    ...SECURED,
    operationId: 'resolve',
    summary: 'What a side of this source could rely on; starts nothing',
    tags: ['sides'],
    method: 'post',
    path: '/v1/sides/resolve',
    request: { body: json(z.object({ source: shape.Source }).openapi('ResolveRequest')) },
    responses: { 200: ok('Capabilities and size', shape.Resolved), ...FAILURES },
  }),
  open: createRoute({
    ...SECURED,
    operationId: 'open',
    summary: 'Forks the source once; the same triple again answers the same side',
    tags: ['sides'],
    method: 'post',
    path: '/v1/sides/open',
    request: { body: json(shape.OpenBody) },
    responses: { 200: ok('The side is ready', shape.Opened), ...FAILURES },
  }),
  send: createRoute({
    ...SECURED,
    operationId: 'send',
    summary: 'Starts one turn; answered when it was accepted',
    tags: ['sides'],
    method: 'post',
    path: '/v1/sides/send',
    request: { body: json(shape.SendBody) },
    responses: { 200: ok('Accepted', shape.Sent), ...FAILURES },
  }),
  cancel: createRoute({
    ...SECURED,
    operationId: 'cancel',
    summary: 'Stops exactly this turn',
    tags: ['sides'],
    method: 'post',
    path: '/v1/sides/cancel',
    request: { body: json(shape.CancelBody) },
    responses: { 200: ok('What was stopped', shape.Canceled), ...FAILURES },
  }),
  respond: createRoute({
    ...SECURED,
    operationId: 'respond',
    summary: 'Answers a prompt of a side',
    tags: ['sides'],
    method: 'post',
    path: '/v1/sides/respond',
    request: { body: json(shape.RespondBody) },
    responses: { 200: ok('Answered', shape.Done), ...FAILURES },
  }),
  close: createRoute({
    ...SECURED,
    operationId: 'close',
    summary: 'Ends the side; closing one that is gone succeeds',
    tags: ['sides'],
    method: 'post',
    path: '/v1/sides/close',
    request: { body: json(shape.CloseBody) },
    responses: { 200: ok('Closed', shape.Closed), ...FAILURES },
  }),
  reopen: createRoute({
    ...SECURED,
    operationId: 'reopen',
    summary: 'Undoes a close within its window',
    tags: ['sides'],
    method: 'post',
    path: '/v1/sides/reopen',
    request: { body: json(shape.SideBody) },
    responses: { 200: ok('Back', shape.Done), ...FAILURES },
  }),
  touch: createRoute({
    ...SECURED,
    operationId: 'touch',
    summary: 'Says whether the side is still shown',
    tags: ['sides'],
    method: 'post',
    path: '/v1/sides/touch',
    request: { body: json(shape.TouchBody) },
    responses: { 200: ok('Known', shape.Done), ...FAILURES },
  }),
  sideEvents: createRoute({
    ...SECURED,
    operationId: 'sideEvents',
    summary:
      'Events of one side as server-sent events with the sequence as id: `agent.side.snapshot` first when `after` is left out, then `agent.side.updated`',
    description:
      'While it is read the side’s client counts as alive. A resume that is not possible without a gap ends the side, and its last event says so.',
    tags: ['sides'],
    method: 'get',
    path: '/v1/sides/events',
    request: { query: shape.EventsQuery },
    responses: { 200: stream('agent.side.updated'), ...FAILURES },
  }),
  events: createRoute({
    ...SECURED,
    operationId: 'events',
    summary: 'Events of many sides and threads over one connection',
    description:
      'First `stream.open`, then the events of `sideEvents` and `threadEvents`, each with whose it is. What cannot be told is named once, in `agent.side.refused` or `thread.refused` with a code. For a page: a browser gives an address six connections, over all its tabs.',
    tags: ['service'],
    method: 'post',
    path: '/v1/events',
    request: { body: json(shape.EventsBody) },
    responses: { 200: stream('agent.side.updated, thread.updated'), ...FAILURES },
  }),
  listThreads: createRoute({
    ...SECURED,
    operationId: 'listThreads',
    summary: 'Threads of this CODEX_HOME, newest first',
    tags: ['threads'],
    method: 'get',
    path: '/v1/threads',
    responses: { 200: ok('Threads', shape.ThreadList), ...FAILURES },
  }),
  startThread: createRoute({
    ...SECURED,
    operationId: 'startThread',
    summary: 'Starts a thread',
    tags: ['threads'],
    method: 'post',
    path: '/v1/threads',
    request: { body: json(shape.StartBody) },
    responses: { 200: ok('The thread', shape.Thread), ...FAILURES },
  }),
  attachThread: createRoute({
    ...SECURED,
    operationId: 'attachThread',
    summary: 'Runs a stored thread here, or answers the one that runs already',
    tags: ['threads'],
    method: 'post',
    path: '/v1/threads/{threadId}/attach',
    request: { params: shape.ThreadPath },
    responses: { 200: ok('The thread', shape.Thread), ...FAILURES },
  }),
  readThread: createRoute({
    ...SECURED,
    operationId: 'readThread',
    summary: 'A thread that runs here',
    tags: ['threads'],
    method: 'get',
    path: '/v1/threads/{threadId}',
    request: { params: shape.ThreadPath },
    responses: { 200: ok('The thread', shape.Thread), ...FAILURES },
  }),
  askThread: createRoute({
    ...SECURED,
    operationId: 'askThread',
    summary: 'Starts a turn of the thread itself',
    tags: ['threads'],
    method: 'post',
    path: '/v1/threads/{threadId}/turns',
    request: { params: shape.ThreadPath, body: json(shape.AskBody) },
    responses: { 200: ok('Accepted', shape.Done), ...FAILURES },
  }),
  interruptThread: createRoute({
    ...SECURED,
    operationId: 'interruptThread',
    summary: 'Stops exactly this turn of the thread',
    tags: ['threads'],
    method: 'post',
    path: '/v1/threads/{threadId}/interrupt',
    request: { params: shape.ThreadPath, body: json(shape.InterruptBody) },
    responses: { 200: ok('Stopped', shape.Done), ...FAILURES },
  }),
  answerThread: createRoute({
    ...SECURED,
    operationId: 'answerThread',
    summary: 'Answers an approval of the thread',
    tags: ['threads'],
    method: 'post',
    path: '/v1/threads/{threadId}/answer',
    request: { params: shape.ThreadPath, body: json(shape.AnswerBody) },
    responses: { 200: ok('Answered', shape.Done), ...FAILURES },
  }),
  threadEvents: createRoute({
    ...SECURED,
    operationId: 'threadEvents',
    summary: 'Events of the thread in the same vocabulary: `thread.snapshot`, then `thread.updated`',
    tags: ['threads'],
    method: 'get',
    path: '/v1/threads/{threadId}/events',
    request: { params: shape.ThreadPath, query: shape.AfterQuery },
    responses: { 200: stream('thread.updated'), ...FAILURES },
  }),
} as const
