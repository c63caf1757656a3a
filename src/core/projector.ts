/** Folds provider events into the transcript a person reads. Pure: same events in, same transcript out.
 *  Owns turn order and partial text. Whether a side may open or close is machine.ts. */

import type { InteractionPatch, LifecycleStatus, SideEvent, ToolView, TurnFailure, TurnOutcome, TurnPhase, TurnUsage, ExpiryReason } from './contract.ts'

/** One readable piece of an answer, in the order in which it began. */
export type TranscriptItem =
  | { readonly kind: 'text'; readonly messageId: string; readonly text: string }
  | { readonly kind: 'reasoning'; readonly messageId: string; readonly text: string }
  | { readonly kind: 'tool'; readonly messageId: string; readonly tool: ToolView }

export interface TranscriptTurn {
  readonly turnId: string
  readonly question: string
  readonly phase: TurnPhase
  readonly outcome?: TurnOutcome
  readonly error?: TurnFailure
  readonly items: readonly TranscriptItem[]
  readonly usage?: TurnUsage
  /** Epoch milliseconds, when the provider told. */
  readonly startedAt?: number
  readonly settledAt?: number
  readonly interactions: readonly InteractionPatch[]
}

export interface Transcript {
  readonly lifecycle: LifecycleStatus
  readonly reason?: ExpiryReason
  /** Oldest first. Objects of turns that an event did not touch keep their identity. */
  readonly turns: readonly TranscriptTurn[]
}

export const EMPTY_TRANSCRIPT: Transcript = { lifecycle: 'opening', turns: [] }

/** The transcript after one more event. Returns `transcript` itself when nothing changed. */
export function project(transcript: Transcript, event: SideEvent): Transcript {
  void event
  return transcript
}
