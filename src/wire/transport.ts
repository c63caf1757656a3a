/** The port through which a client drives sides: what ui/data needs and ui/dsh or ui/web provide.
 *  One side has one secret, made by the client; a transport keeps it and never shows it. */

import type { Capabilities, ContentPart, ModelRoute, SideEvent, SideKind } from '../core/contract.ts'
import type { Rung, Scope } from '../core/ladder.ts'

/** The conversation on screen that sides belong to. */
export interface ParentRef {
  readonly workspaceId: string
  readonly sessionId: string
}

/** What the host told about a fork, for the header line and the popover. */
export interface ForkFacts {
  readonly inheritedTurns: number
  /** The number of main's last whole turn that the side knows of. */
  readonly mainTurn: number
  readonly inheritedTokens: number
  /** How much of main it took along; left out, everything. */
  readonly scope?: Scope
  /** The rung to ask again with when the model refuses this one as too long. */
  readonly smaller?: Rung
  /** Context window of the route, tokens; left out when the host does not tell. */
  readonly window?: number
  /** Whether a digest of the parent's open turn was added. */
  readonly liveDigest: boolean
  /** Epoch milliseconds of the fork. */
  readonly forkedAt: number
  readonly route?: ModelRoute
  /** Names of the tools that may run in this side. */
  readonly tools: readonly string[]
  /** Whether refused tools stay listed in the request. */
  readonly toolSurface: 'restrict' | 'inherit'
  /** False when this host could not be kept from storing; the surface then says so. */
  readonly ephemeral: boolean
}

export interface OpenSideRequest {
  readonly parent: ParentRef
  readonly kind: SideKind
  readonly sideId: string
  readonly requestId: string
  readonly turnId: string
  readonly content: readonly ContentPart[]
  readonly route?: ModelRoute
  /** How much of main to take along at most; left out, as much as fits. */
  readonly scope?: Scope
  readonly signal: AbortSignal
}

/** One model that the host offers. */
export interface ModelOffer {
  readonly model: string
  readonly name: string
  /** Efforts in the host's order; empty where the model has none to choose. */
  readonly efforts: readonly { readonly id: string; readonly name: string }[]
  /** What the host asks when no effort is named. */
  readonly defaultEffort?: string
}

/** What a side may ask instead of main's model. */
export interface ModelCatalog {
  /** What main's next turn would ask; null where the host does not tell. */
  readonly main: ModelRoute | null
  readonly providers: readonly {
    readonly provider: string
    readonly name: string
    readonly models: readonly ModelOffer[]
  }[]
}

/** What goes with a follow-up. */
export interface SendOptions {
  /** What this turn and those after it ask; absent = as before. */
  readonly route?: ModelRoute
  /** The turn of which this is another attempt. */
  readonly instead?: string
  /** Main's turns since are told beside it. */
  readonly catchUp?: true
}

/** Connection of one side's event stream (E7). */
export type ConnectionState = 'connecting' | 'connected' | 'disconnected' | 'disposed'

/** What a side's stream delivers. After `reset` the events that follow rebuild the transcript from nothing:
 *  a reconnect is a snapshot plus the rest. */
export type StreamSignal =
  | { readonly kind: 'reset' }
  | { readonly kind: 'events'; readonly events: readonly SideEvent[] }
  | { readonly kind: 'connection'; readonly state: ConnectionState }

/** Every method rejects with SideError (errors.ts) and nothing else. */
export interface SideTransport {
  capabilities(parent: ParentRef): Promise<Capabilities>
  /** Forks and sends the first question in one step; resolves when the host accepted both. */
  open(request: OpenSideRequest): Promise<ForkFacts>
  /** Resolves with the last of main's turns that the side then knows, when `catchUp` was asked for. */
  send(
    sideId: string,
    turnId: string,
    content: readonly ContentPart[],
    options?: SendOptions,
  ): Promise<{ readonly mainTurn?: number }>
  /** Models that the host offers beside this conversation. Asks no agent, changes nothing, leaves no record. */
  models(parent: ParentRef): Promise<ModelCatalog>
  cancel(sideId: string, turnId: string): Promise<{ readonly canceled: boolean; readonly targetAbsent: boolean }>
  respond(sideId: string, turnId: string, requestId: string, response: unknown): Promise<void>
  /** Makes a `/btw` a `/side` at the host, with everything said so far; resolves with what it may use now. */
  promote(sideId: string): Promise<ForkFacts>
  /** `keepFor` > 0 hides the side and disposes it after that many milliseconds unless `reopen` comes first (D6). */
  close(sideId: string, keepFor: number): Promise<void>
  reopen(sideId: string): Promise<void>
  /** Tells the host that this client still shows the side; `visible` false parks it (T10). */
  touch(sideId: string, visible: boolean): Promise<void>
  /** Follows the side's events until the returned function is called. Only for sides opened or restored here. */
  follow(sideId: string, onSignal: (signal: StreamSignal) => void): () => void
  /** Sides that this page opened before a reload and that still live (D7). */
  restore(parent: ParentRef): Promise<readonly RestoredSide[]>
  /** Stops every stream and timer. Idempotent. */
  dispose(): void
}

export interface RestoredSide {
  readonly sideId: string
  readonly kind: SideKind
  readonly title: string
  readonly facts: ForkFacts
}
