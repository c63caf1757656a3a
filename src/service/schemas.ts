/** The shapes of the service, once: from these come validation, the OpenAPI document and the client's types. */

import { z } from '@hono/zod-openapi'
import { SIDE_ERROR_CODES } from '../core/errors.ts'

const id = z.string().trim().min(1).max(256)
const count = z.int().nonnegative()

export const ErrorBody = z
  .object({
    code: z.enum(SIDE_ERROR_CODES).openapi({ description: 'One of a closed set; each has one HTTP status.' }),
    message: z.string().openapi({ description: 'A sentence for people, English or Chinese by Accept-Language.' }),
  })
  .openapi('Error')

export const Capabilities = z
  .object({
    supported: z.boolean(),
    activeSourceTurn: z.boolean(),
    ephemeral: z.boolean(),
    hideInheritedTurns: z.boolean(),
    modelBoundaryInjected: z.boolean(),
  })
  .openapi('Capabilities', { description: 'What the runtime can really do. A side needs all five.' })

export const Metadata = z
  .object({
    threadId: id,
    codexHome: z.string().min(1).max(4_096),
    model: z.string().min(1).max(256),
    modelProvider: z.string().min(1).max(256),
    effort: z.string().min(1).max(64).optional(),
    cwd: z.string().min(1).max(4_096),
    hostContext: z.string().max(200_000),
    codexVersion: z.string().min(1).max(64),
  })
  .openapi('SourceMetadata', {
    description: 'What must be known of a thread that this service neither runs nor recorded.',
  })

export const Source = z
  .object({ workspaceId: id, sourceSessionId: id, metadata: Metadata.optional() })
  .openapi('Source', { description: 'The conversation beside which a side is asked.' })

export const Identity = z
  .object({ workspaceId: id, sourceSessionId: id, sideSessionId: id, requestId: id })
  .openapi('SideIdentity', { description: 'A side by its whole identity: an id used again drives nobody else’s side.' })

export const Route = z
  .object({ provider: id, model: id, effort: z.string().min(1).max(64).optional() })
  .openapi('ModelRoute')

export const Resolved = z
  .object({ capabilities: Capabilities, inheritedTurns: count, inheritedTokens: count, liveTurn: z.boolean() })
  .openapi('Resolved')

export const OpenBody = z
  .object({
    source: Source,
    sideSessionId: id,
    requestId: id,
    kind: z.enum(['btw', 'side']),
    route: Route.optional(),
  })
  .openapi('OpenRequest')

export const Opened = z
  .object({
    side: Identity,
    providerSessionId: z.string(),
    capabilities: Capabilities,
    sequence: count.openapi({ description: 'Sequence of the last event published for this side.' }),
    facts: z.object({
      inheritedTurns: count,
      inheritedTokens: count,
      liveDigest: z.boolean(),
      forkedAt: count.openapi({ description: 'Epoch milliseconds.' }),
      route: Route,
    }),
  })
  .openapi('Opened')

export const SendBody = z
  .object({ side: Identity, turnId: id, clientSubmitId: id, text: z.string().min(1) })
  .openapi('SendRequest')
export const Sent = z.object({ turnId: z.string(), acceptedAt: z.number() }).openapi('Sent')

export const CancelBody = z.object({ side: Identity, turnId: id }).openapi('CancelRequest')
export const Canceled = z.object({ canceled: z.boolean(), targetAbsent: z.boolean() }).openapi('Canceled')

export const RespondBody = z
  .object({ side: Identity, turnId: id, requestId: id, response: z.unknown() })
  .openapi('RespondRequest')

export const CloseBody = z
  .object({ side: Identity, keepForMs: count.max(60_000).optional() })
  .openapi('CloseRequest', { description: 'With keepForMs the side hides and can be reopened for so long.' })
export const Closed = z
  .object({ found: z.boolean(), hidden: z.boolean(), cleanupPending: z.boolean() })
  .openapi('Closed')

export const SideBody = z.object({ side: Identity }).openapi('SideRequest')
export const TouchBody = z.object({ side: Identity, visible: z.boolean() }).openapi('TouchRequest')
export const Done = z.object({}).openapi('Done')

export const EventsQuery = Identity.extend({
  after: z.coerce.number().int().nonnegative().optional().openapi({
    description: 'Sequence of the last event the client has. Left out: a snapshot first.',
  }),
})

const after = z.int().nonnegative().optional().openapi({
  description: 'Sequence of the last event the client has. Left out: a snapshot first.',
})

export const EventsBody = z
  .object({
    sides: z.array(z.object({ side: Identity, after })).max(64),
    threads: z.array(z.object({ threadId: id, after })).max(64),
  })
  .openapi('EventsRequest', { description: 'What one line tells of. To change it, ask again behind what was told.' })

/** `data` is described by its event type in the TypeScript types; the document keeps it open. */
export const Envelope = z
  .object({
    workspaceId: z.string(),
    sourceSessionId: z.string(),
    sideSessionId: z.string(),
    sequence: z.int().positive().openapi({ description: 'Starts at 1 per side and grows by one.' }),
    eventType: z.enum(['message_delta', 'message_update', 'state_patch', 'usage']),
    data: z.record(z.string(), z.unknown()),
  })
  .openapi('SideEvent', { description: 'Topic agent.side.updated.' })

export const ThreadSummary = z
  .object({
    threadId: z.string(),
    title: z.string(),
    cwd: z.string(),
    updatedAt: z.number().openapi({ description: 'Epoch milliseconds.' }),
    attached: z.boolean().openapi({ description: 'Whether this service runs it now.' }),
  })
  .openapi('ThreadSummary')
export const ThreadList = z.object({ threads: z.array(ThreadSummary) }).openapi('ThreadList')

export const StartBody = z.object({ cwd: z.string().min(1).max(4_096).optional() }).openapi('StartThreadRequest')
export const ThreadPath = z.object({ threadId: id.openapi({ param: { name: 'threadId', in: 'path' } }) })
export const Thread = z
  .object({
    threadId: z.string(),
    workspaceId: z.string(),
    title: z.string(),
    cwd: z.string(),
    model: z.string(),
    modelProvider: z.string(),
    effort: z.string().optional(),
    sequence: count.openapi({ description: 'Sequence of the last event of its stream.' }),
    busy: z.boolean(),
  })
  .openapi('Thread')
export const AskBody = z.object({ turnId: id, text: z.string().min(1) }).openapi('AskRequest')
export const InterruptBody = z.object({ turnId: id }).openapi('InterruptRequest')
export const AnswerBody = z
  .object({ requestId: id, decision: z.enum(['accept', 'decline']) })
  .openapi('AnswerRequest', { description: 'Answers what the thread itself waits for. A side never can.' })
export const Snapshot = z
  .object({ sequence: count, events: z.array(z.record(z.string(), z.unknown())) })
  .openapi('Snapshot', {
    description: 'Events that lead to now, beside whose they are; the next event has the following sequence.',
  })
export const AfterQuery = z.object({ after: z.coerce.number().int().nonnegative().optional() })

export const Status = z
  .object({ version: z.string(), codexVersion: z.string(), connected: z.boolean(), cwd: z.string() })
  .openapi('Status')
