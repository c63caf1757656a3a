/** The provider-neutral Side contract: its nouns and the SideProvider port.
 *  Field names here are wire names. Who may do what when is machine.ts; what is read is projector.ts. */

import type { SideErrorCode } from './errors.ts'

/** Which surface asks: `btw` is one question without tools, `side` a conversation with read-only ones. */
export type SideKind = 'btw' | 'side'

/** What a runtime can really do for one source. A Side needs all five (P1). */
export interface Capabilities {
  readonly supported: boolean
  readonly activeSourceTurn: boolean
  readonly ephemeral: boolean
  readonly hideInheritedTurns: boolean
  readonly modelBoundaryInjected: boolean
}

/** The names of one Side. `requestId` tells two opens of the same side id apart (O2, T1). */
export interface SideIdentity {
  readonly workspaceId: string
  readonly sourceSessionId: string
  readonly sideSessionId: string
  readonly requestId: string
}

/** What the live turn of a parent is doing, already bounded by the door that captured it. */
export interface LiveTurn {
  /** Last message of the person in the open turn, or '' when the turn has none yet. */
  readonly userMessage: string
  /** Tool calls of the open turn in order: `name target` and whether each one has its result. */
  readonly tools: readonly { readonly name: string; readonly target: string; readonly done: boolean }[]
  /** Text that the model has written so far in this turn, tail-bounded. */
  readonly partialAnswer: string
  /** What the turn waits for. */
  readonly waitsFor: 'model' | 'tool' | 'approval' | 'answer' | 'unknown'
}

/** The conversation a side is asked beside, captured once at the door as a plain value.
 *  Providers extend it with what they need to fork (a cut, a route); core reads only these fields. */
export interface Source {
  readonly workspaceId: string
  readonly sessionId: string
  /** Completed turns that a side inherits. */
  readonly inheritedTurns: number
  /** Size of the inherited context in tokens, estimated unless the provider reported it. */
  readonly inheritedTokens: number
  /** The turn that is open now, or null. */
  readonly liveTurn: LiveTurn | null
  /** The newest completed turns in a few words, the oldest first, bounded by the door that captured them; for a side that
   *  inherits no turns. */
  readonly recentTurns?: readonly { readonly asked: string; readonly answered: string }[]
  /** Epoch milliseconds of the capture. */
  readonly capturedAt: number
}

/** One piece of a question. Text is literal, never trimmed (I8). */
export type ContentPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly ref: unknown }

export type TurnPhase = 'submitted' | 'running' | 'waiting' | 'settling' | 'settled'
export type TurnOutcome = 'completed' | 'failed' | 'canceled' | 'interrupted'
export type LifecycleStatus = 'opening' | 'ready' | 'closing' | 'closed' | 'expired'

/** Why a Side ended although nobody closed it. */
export type ExpiryReason =
  | 'provider_lost'
  | 'sequence_gap'
  | 'identity_mismatch'
  | 'client_lost'
  | 'parked_too_long'
  | 'source_gone'
  | 'stream_lost'

/** A failed turn in words a client can translate: `code` is closed, `status` the provider's HTTP status if any. */
export interface TurnFailure {
  readonly code: SideErrorCode
  /** What kind of failure the model API reported; `refused_calls`: it called nothing but tools that do not run, to the end. */
  readonly kind:
    | 'auth'
    | 'rate_limit'
    | 'overloaded'
    | 'timeout'
    | 'connection'
    | 'context_overflow'
    | 'refused_calls'
    | 'malformed'
    | 'other'
  readonly status?: number
  /** The provider's own sentence, untrusted text. */
  readonly detail: string
}

export interface TurnPatch {
  readonly turnId: string
  readonly phase: TurnPhase
  readonly outcome?: TurnOutcome
  readonly error?: TurnFailure
  /** Epoch milliseconds at which this phase began, when the provider knows it. */
  readonly at?: number
}

/** One tool call as a person reads it. */
export interface ToolView {
  readonly callId: string
  readonly name: string
  /** What it acts on (a path, a query), bounded; '' when unknown. */
  readonly target: string
  readonly status: 'running' | 'ok' | 'failed' | 'refused'
  /** Bounded text of the result; absent while running. */
  readonly result?: string
}

/** One question of an agent to its person. Without `options` it is answered in words; with them in words too. */
export interface AskedQuestion {
  /** The agent's own name of it, told back with the answer. */
  readonly id: string
  readonly question: string
  readonly header?: string
  readonly options: readonly { readonly label: string; readonly description?: string }[]
  /** Whether more than one option, and words beside them, may be chosen. */
  readonly multiple: boolean
}

/** `selected` names options by their labels. Nothing selected and no words: left out. */
export interface QuestionAnswer {
  readonly id: string
  readonly selected: readonly string[]
  readonly custom?: string
}

/** `input` of a question: the questions asked at once. */
export interface QuestionInput {
  readonly questions: readonly AskedQuestion[]
}

/** What a client answers a prompt with: answers in the order of the questions, or a decision. A question can be refused
 *  (put aside), never allowed. */
export type PromptResponse = { readonly answers: readonly QuestionAnswer[] } | { readonly decision: 'allow' | 'refuse' }

export interface InteractionPatch {
  readonly requestId: string
  readonly turnId: string
  readonly kind: 'approval' | 'question'
  /** `rejected`: the person refused or put it aside. `gone`: nobody answered, and nobody can any more. */
  readonly status: 'pending' | 'answered' | 'rejected' | 'gone'
  /** A QuestionInput for a question; what a runtime tells of an approval is its own affair. */
  readonly input: unknown
}

export type MessageRole = 'user' | 'assistant'
export type MessageKind = 'text' | 'reasoning' | 'tool'

/** What a provider reports about a Side; the controller wraps it in an Envelope. */
export type SideEvent =
  | {
      readonly eventType: 'message_delta'
      readonly data: {
        readonly messageId: string
        readonly turnId: string
        readonly role: MessageRole
        readonly kind: MessageKind
        readonly content: { readonly operation: 'append_text' | 'set'; readonly text: string }
      }
    }
  | {
      /** Facts about a message that is not text: a tool call's state, or the final, whole text (`set`). */
      readonly eventType: 'message_update'
      readonly data: {
        readonly messageId: string
        readonly turnId: string
        readonly role: MessageRole
        readonly kind: MessageKind
        readonly tool?: ToolView
      }
    }
  | {
      readonly eventType: 'state_patch'
      readonly data: {
        readonly lifecycleStatus?: LifecycleStatus
        readonly reason?: ExpiryReason
        readonly turn?: TurnPatch
        readonly interaction?: InteractionPatch
      }
    }
  | { readonly eventType: 'usage'; readonly data: TurnUsage }

/** Token accounting of one turn, summed over its model calls. */
export interface TurnUsage {
  readonly turnId: string
  readonly promptTokens: number
  /** Prompt tokens served from the provider's cache; absent when it does not say. */
  readonly cachedTokens?: number
  readonly completionTokens: number
  /** True when the numbers are ours and not the provider's. */
  readonly estimated: boolean
  /** Milliseconds from submission to the first token. */
  readonly firstTokenMs?: number
}

/** One published event. `sequence` starts at 1 per Side and grows by one (E1). Topic: `agent.side.updated`. */
export type Envelope = SideEvent & {
  readonly workspaceId: string
  readonly sourceSessionId: string
  readonly sideSessionId: string
  readonly sequence: number
}

/** Provider, model and effort a side asks. */
export interface ModelRoute {
  readonly provider: string
  readonly model: string
  readonly effort?: string
}

export interface OpenRequest<S extends Source = Source> {
  readonly source: S
  readonly side: SideIdentity
  readonly kind: SideKind
  /** The text a side is told beside its question: boundary plus digest (brief.ts). */
  readonly boundary: string
  /** The side's own route; absent = what the source's next turn would use (D9). */
  readonly route?: ModelRoute
  readonly signal: AbortSignal
}

export interface OpenResult {
  /** The provider's own id of the child; never the source's. */
  readonly providerSessionId: string
  /** Which source the provider really forked; a mismatch fails the open (O8). */
  readonly sourceSessionId: string
  readonly sideSessionId: string
  readonly capabilities: Capabilities
}

export interface ExecRequest {
  readonly turnId: string
  readonly clientSubmitId: string
  readonly content: readonly ContentPart[]
  /** What this turn and those after it ask; absent = what the turn before it asked. Never the source's business. */
  readonly route?: ModelRoute
  /** The side's last turn, of which this one is another attempt: the model is not shown that one any more where the
   *  provider can leave it out. It stays readable. */
  readonly instead?: string
  /** Told beside this question and kept with it: what the source went on to do (brief.ts). Only from a host that offered it. */
  readonly note?: string
}

/** Where a provider reports to. Both functions are safe to call at any time and never throw. */
export interface SideSink {
  event(event: SideEvent): void
  /** The child is gone without anyone having closed it (T9). */
  lost(reason: ExpiryReason): void
}

/** A handle of an open child, as the controller passes it back. */
export interface OpenSide {
  readonly identity: SideIdentity
  readonly kind: SideKind
  readonly providerSessionId: string
}

/** One agent runtime that can host sides. Every method may reject with SideError; anything else is `provider_error`. */
export interface SideProvider<S extends Source = Source> {
  readonly id: string
  /** What this runtime can do for `source` (P1, P2). Starts no process, resumes nothing, never throws. */
  capabilities(source: S): Promise<Capabilities>
  /** Forks `source`. A failing open has released whatever it made before it rejects (P3). */
  open(request: OpenRequest<S>, sink: SideSink): Promise<OpenResult>
  /** Starts one turn; resolves when the runtime accepted it, not when it ended. */
  exec(side: OpenSide, request: ExecRequest): Promise<void>
  /** Stops exactly this turn; resolves when the runtime confirmed. */
  cancel(side: OpenSide, turnId: string): Promise<void>
  respond(side: OpenSide, turnId: string, requestId: string, response: unknown): Promise<void>
  /** Makes a live `btw` child a `side`: same child, same history; what a `side` may use runs from now on, and `boundary`
   *  is what it is told from its next request on. Idempotent; `unsupported` where a child cannot get what it was made without. */
  promote(side: OpenSide, boundary: string): Promise<void>
  /** Disposes the child and verifies that it is gone. Idempotent; rejects when it may still be there (T8). */
  close(side: OpenSide): Promise<void>
}

export const NO_CAPABILITIES: Capabilities = {
  supported: false,
  activeSourceTurn: false,
  ephemeral: false,
  hideInheritedTurns: false,
  modelBoundaryInjected: false,
}

/** Whether all five capabilities hold. */
export function isSupported(capabilities: Capabilities): boolean {
  return (
    capabilities.supported &&
    capabilities.activeSourceTurn &&
    capabilities.ephemeral &&
    capabilities.hideInheritedTurns &&
    capabilities.modelBoundaryInjected
  )
}
