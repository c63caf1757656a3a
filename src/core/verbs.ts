/** What a controller can be asked and what it answers: the types of every verb, without their bodies (controller.ts).
 *  Every verb rejects with SideError and nothing else. A side is named by its whole identity, so that an id used
 *  again can never be driven by whoever held it before (T1). */

import type {
  Capabilities,
  Envelope,
  ExecRequest,
  ExpiryReason,
  ModelRoute,
  SideIdentity,
  SideKind,
  SideProvider,
  Source,
} from './contract.ts'
import type { SideError } from './errors.ts'
import type { Clock, Limits } from './limits.ts'
import type { ScopeGuard } from './scope.ts'

export interface ControllerOptions<S extends Source = Source> {
  readonly provider: SideProvider<S>
  readonly clock: Clock
  /** What differs from DEFAULT_LIMITS. */
  readonly limits?: Partial<Limits>
  /** The boundary of one side (brief.ts, with what configuration allows). Called once per open, before the provider, and
   *  once more when a `btw` becomes a `side`. */
  readonly brief: (side: { readonly kind: SideKind; readonly source: S; readonly identity: SideIdentity }) => string
  /** Whether an id names a canonical session (O3). */
  readonly isCanonical: (workspaceId: string, sessionId: string) => boolean | Promise<boolean>
  /** Told about everything that nobody awaits. May throw; that harms nothing. */
  readonly report?: (report: ControllerReport) => void
}

/** Something that happened behind the back of every caller. */
export type ControllerReport =
  /** A child may still be there; the sweeper owns it and tries again. `attempts` counts failed closes. */
  | {
      readonly kind: 'cleanup_failed'
      readonly identity: SideIdentity
      readonly providerSessionId: string
      readonly attempts: number
      readonly error: SideError
    }
  | {
      readonly kind: 'cleanup_done'
      readonly identity: SideIdentity
      readonly providerSessionId: string
      readonly attempts: number
    }
  /** A provider answered for a side that nobody asked for (O8). Its child was not touched. */
  | { readonly kind: 'wrong_identity'; readonly identity: SideIdentity; readonly detail: string }
  /** A subscriber threw. */
  | { readonly kind: 'listener_failed'; readonly error: unknown }
  /** A detached step of ours failed: a bug, kept from ending the process. */
  | { readonly kind: 'detached_failed'; readonly step: string; readonly error: unknown }

export interface OpenCommand<S extends Source = Source> {
  readonly source: S
  /** `workspaceId` and `sourceSessionId` must be those of `source`. */
  readonly side: SideIdentity
  readonly kind: SideKind
  /** The side's own route; absent = what the source's next turn would use (D9). */
  readonly route?: ModelRoute
  /** Aborting fails the open; a caller that joined an open in flight only stops waiting. */
  readonly signal?: AbortSignal
}

export interface OpenReceipt {
  readonly identity: SideIdentity
  readonly providerSessionId: string
  readonly capabilities: Capabilities
  /** Sequence of the last event published for this side (E6). */
  readonly sequence: number
}

export interface SendReceipt {
  readonly turnId: string
  /** Clock time at which the provider accepted the turn. */
  readonly acceptedAt: number
}

export interface CancelReceipt {
  readonly canceled: boolean
  /** The named turn was not the active one; nothing was touched (T4). */
  readonly targetAbsent: boolean
}

export interface CloseReceipt {
  /** False for a side that was absent, expired or replaced already (T7). */
  readonly found: boolean
  /** True while the child lives on so that the close can be undone. */
  readonly hidden: boolean
  /** True when the child could not be verified gone; the sweeper owns it (T8). */
  readonly cleanupPending: boolean
}

/** What is known of a live side. `phase` is that of machine.ts. */
export interface SideView {
  readonly identity: SideIdentity
  readonly kind: SideKind
  readonly providerSessionId: string
  readonly capabilities: Capabilities
  readonly phase: 'idle' | 'answering' | 'hidden' | 'closing'
  /** The turn that runs now, or null. */
  readonly turnId: string | null
  readonly sequence: number
  /** Whether a client shows it (T10). */
  readonly visible: boolean
  /** Clock time at which a parked or hidden side ends if nothing happens, or null. */
  readonly endsAt: number | null
}

export interface SideController<S extends Source = Source> {
  /** What a side of `source` could rely on (P1, P2): all false when the provider fails or the source is a side. Never rejects. */
  capabilities(source: S): Promise<Capabilities>

  /** Forks `source` once (O1-O11). The same triple again answers the same Side; another one on its id is `conflict`. */
  open(command: OpenCommand<S>): Promise<OpenReceipt>

  /** Starts one turn; resolves when the provider accepted it, not when it ended. `turn_active` while another runs.
   *  A turn id that a provider has seen runs nothing again: it answers the first receipt, or the first failure (T3). */
  send(side: SideIdentity, request: ExecRequest): Promise<SendReceipt>

  /** Stops exactly this turn (T4). Rejects when the provider could not; the turn then runs on. */
  cancel(side: SideIdentity, turnId: string): Promise<CancelReceipt>

  /** Answers a prompt of this turn (T5). The prompt goes away when the event says so (T6). */
  respond(side: SideIdentity, turnId: string, requestId: string, response: unknown): Promise<void>

  /** Makes a `btw` a `side`, with its child and everything said so far; its running turn goes on. Nothing happens to one
   *  that is a `side` already. Rejects when the provider could not; the side then stays what it was. */
  promote(side: SideIdentity): Promise<void>

  /** Ends the side (T7). With `keepForMs` > 0 its turn stops and it hides for at most that long (bounded by
   *  limits.undoMs), open to `reopen`. Idempotent; never rejects for a side that is gone. */
  close(side: SideIdentity, options?: { readonly keepForMs?: number }): Promise<CloseReceipt>

  /** Undoes a close within its window (D6); `expired` afterwards, `limit_reached` when its place was taken. */
  reopen(side: SideIdentity): Promise<void>

  /** Renews the client's lease (D7): limits.lostClientMs when visible, five minutes for a hidden page. Not visible
   *  and idle means parked: it ends after limits.parkedMs (T10). Returns false for a side that is gone. */
  touch(side: SideIdentity, visible: boolean): boolean

  /** A client follows this side's stream: its lease does not run until the returned function is called, from
   *  where it runs for limits.lostClientMs. For hosts that see their streams instead of heartbeats (D7). */
  hold(side: SideIdentity): () => void

  /** Ends a side that a client or door found broken (E2, E7): publishes `expired` with the reason at once, then
   *  disposes the child; resolves when that was tried. Nothing happens for a side that is gone. */
  expire(side: SideIdentity, reason: ExpiryReason): Promise<void>

  /** Ends every side of a source that is gone, and any open of it in flight, as `source_gone` (O4). */
  sourceClosed(workspaceId: string, sessionId: string): Promise<void>

  /** Every side of the provider expires now, opens in flight fail (T9). */
  providerLost(): void

  /** Other limits from now on. What runs already keeps the deadlines that it was given. */
  retune(limits: Partial<Limits>): void

  /** One pass over children that could not be closed: the oldest is tried once (T8). Runs by itself each limits.sweepMs. */
  sweep(): Promise<void>

  /** Ends everything within limits.shutdownMs, one try for each child left. Idempotent. Resolves with what may still be there. */
  shutdown(): Promise<readonly SideIdentity[]>

  /** Receives every event of every side in order (topic `agent.side.updated`). A listener that throws harms only itself. */
  subscribe(listener: (envelope: Envelope) => void): () => void

  /** The live side of this id, whoever opened it. */
  find(workspaceId: string, sideSessionId: string): SideView | undefined
  /** Live sides of one source in the order of opening, hidden ones included. */
  list(workspaceId: string, sourceSessionId: string): readonly SideView[]

  /** Keeps the rest of a host away from sides (T11). */
  readonly scope: ScopeGuard
}
