/** What a surface reads: immutable values of one store (U1). A value keeps its identity until something in it
 *  changed, so that `useSyncExternalStore` and `memo` can compare by reference. Who changes them is runtime.ts. */

import type {
  ConnectionState,
  ExpiryReason,
  ForkFacts,
  ModelRoute,
  ParentRef,
  Scope,
  SideErrorCode,
  SideKind,
  TranscriptTurn,
} from '../../src/wire/index.ts'
import type { Earlier } from './attempts.ts'

/** The life of one side as its surface shows it (U2). `draft` is a shell without a Side (D1). */
export type SideStatus =
  | { readonly phase: 'draft' }
  | { readonly phase: 'opening'; readonly turnId: string }
  | { readonly phase: 'idle' }
  /** `stopping`: Stop was asked for and the host has not confirmed yet. */
  | { readonly phase: 'running'; readonly turnId: string; readonly stopping: boolean }
  /** Hidden and still undoable until `until` (epoch milliseconds). */
  | { readonly phase: 'closing'; readonly until: number }
  /** The child is gone; the transcript stays readable (U4). */
  | { readonly phase: 'expired'; readonly reason: ExpiryReason }
  /** It was closed; only its text is left (past.ts). */
  | { readonly phase: 'past' }
  /** Opening was refused; nothing exists on the host. The text is in the side's draft. */
  | { readonly phase: 'error'; readonly code: SideErrorCode }

/** One message that waits for the running turn to settle (T2). */
export interface QueuedMessage {
  readonly id: string
  readonly text: string
}

export interface QueueSnapshot {
  readonly messages: readonly QueuedMessage[]
  /** True after Stop or a failed turn (D11): nothing is sent by itself until the person resumes. */
  readonly paused: boolean
}

/** A refused verb on a side that lives on: shown as one sentence above the composer, gone with the next send. */
export interface SideNotice {
  readonly code: SideErrorCode
  readonly verb: 'send' | 'queue' | 'stop' | 'respond' | 'continue'
}

export interface SideSnapshot {
  /** The client's own name of this side; stable over "start again". Never shown. */
  readonly sideId: string
  readonly parent: ParentRef
  readonly kind: SideKind
  /** The first question on one line, or '' for a draft. */
  readonly title: string
  readonly status: SideStatus
  /** Optimistic turns included (U3), oldest first. */
  readonly turns: readonly TranscriptTurn[]
  /** Attempts before the one that is in `turns`. */
  readonly earlier: Earlier
  /** What its next turn asks where the person chose that; null = main's model, or as before (facts.route). */
  readonly route: ModelRoute | null
  readonly queue: QueueSnapshot
  /** What the next question quotes, '' for nothing. */
  readonly quote: string
  /** Main's turns since go along with the next question. */
  readonly catchUp: boolean
  readonly notice: SideNotice | null
  /** Null until the host accepted the fork. */
  readonly facts: ForkFacts | null
  /** How much of main the next fork takes along at most; null = as much as fits. */
  readonly scope: Scope | null
  readonly connection: ConnectionState
  /** True when an answer landed while no surface showed this side. */
  readonly unread: boolean
  /** Epoch milliseconds at which the host ends this hidden, idle side (T10); null while it is shown or answers. */
  readonly endsAt: number | null
  /** Opened as an empty ask box: the overlay keeps its composer for the next question (K30). */
  readonly askBox: boolean
}

/** A side that ended, kept readable in memory (D6). */
export interface RecentSide {
  readonly sideId: string
  readonly kind: SideKind
  readonly title: string
  readonly turns: readonly TranscriptTurn[]
  readonly earlier: Earlier
  readonly facts: ForkFacts | null
  /** What was typed or queued and never sent; "start again" puts it back (I9). */
  readonly unsent: string
  /** Epoch milliseconds. */
  readonly endedAt: number
}

/** Everything that belongs to one parent conversation. */
export interface SidesSnapshot {
  /** `/btw` questions in the order in which they were asked; closing ones are not in it. */
  readonly btw: readonly SideSnapshot[]
  /** `/side` conversations in the order in which they were opened; closing ones are not in it. */
  readonly side: readonly SideSnapshot[]
  /** Closed a moment ago and undoable, newest last. */
  readonly closing: readonly SideSnapshot[]
  /** Ended, newest first, at most 20. */
  readonly recent: readonly RecentSide[]
  /** Which `/btw` the overlay shows, also one of `recent`; null when there is none. */
  readonly shownBtw: string | null
  /** Which `/side` the drawer shows; null when there is none. */
  readonly shownSide: string | null
  /** Which of `recent` is read in an empty side; null when none. */
  readonly reading: string | null
  /** Where a search led; another `times` for every jump. */
  readonly sought: { readonly sideId: string; readonly turnId: string; readonly times: number } | null
}

/** The value for a parent that has no side, always the same object. */
export const NO_SIDES: SidesSnapshot = {
  btw: [],
  side: [],
  closing: [],
  recent: [],
  shownBtw: null,
  shownSide: null,
  reading: null,
  sought: null,
}
