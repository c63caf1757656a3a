/** What `sidemind-for-dsh/service-client` exports: the client of the service, and the projector that makes a transcript of
 *  its events. It runs in Node and in a page and brings what it needs along. */

export { EMPTY_TRANSCRIPT, project } from './core/projector.ts'
export type { Transcript, TranscriptItem, TranscriptTurn } from './core/projector.ts'
export { SideError } from './core/errors.ts'
export type { SideErrorCode } from './core/errors.ts'
export type { Envelope, SideEvent } from './core/contract.ts'
export { createClient } from './service/client.ts'
export type {
  ClientOptions,
  Input,
  Operation,
  Output,
  SideClient,
  SideId,
  StreamMessage,
  StreamOptions,
  ThreadEvent,
} from './service/client.ts'
