/** The life of one side: which step is legal when. Pure. What is read is projector.ts; who takes the steps is controller.ts. */

import type { ExpiryReason, TurnPhase } from './contract.ts'
import { assertNever, SideError } from './errors.ts'

export type SideState =
  | { readonly phase: 'opening' }
  | { readonly phase: 'idle' }
  | { readonly phase: 'answering'; readonly turnId: string; readonly turnPhase: Exclude<TurnPhase, 'settled'> }
  /** Closed by the person but still undoable (D6); `turnId` is a turn that has not stopped yet. */
  | { readonly phase: 'hidden'; readonly turnId: string | null }
  | { readonly phase: 'closing'; readonly turnId: string | null }
  | { readonly phase: 'closed' }
  | { readonly phase: 'expired'; readonly reason: ExpiryReason }

/** Wishes (`send`, `hide`, `reopen`) throw when they are not legal; facts never do and change nothing when they come late. */
export type SideStep =
  | { readonly type: 'opened' }
  | { readonly type: 'send'; readonly turnId: string }
  | { readonly type: 'turn'; readonly turnId: string; readonly phase: TurnPhase }
  | { readonly type: 'hide' }
  | { readonly type: 'reopen' }
  | { readonly type: 'close' }
  | { readonly type: 'closed' }
  | { readonly type: 'expire'; readonly reason: ExpiryReason }

/** The state after `step`; `state` itself when the step changes nothing.
 *  Throws SideError `turn_active`, `in_progress` or `expired` for a wish that cannot be granted. */
export function advance(state: SideState, step: SideStep): SideState {
  switch (step.type) {
    case 'opened':
      return state.phase === 'opening' ? { phase: 'idle' } : state
    case 'send':
      if (state.phase === 'idle') return { phase: 'answering', turnId: step.turnId, turnPhase: 'submitted' }
      if (state.phase === 'answering') throw new SideError('turn_active', `turn ${state.turnId} runs`)
      throw refusal(state)
    case 'turn':
      return afterTurn(state, step.turnId, step.phase)
    case 'hide':
      if (state.phase === 'hidden') return state
      if (state.phase === 'idle' || state.phase === 'answering') return { phase: 'hidden', turnId: activeTurn(state) }
      throw refusal(state)
    case 'reopen':
      if (state.phase === 'idle' || state.phase === 'answering') return state
      if (state.phase !== 'hidden') throw refusal(state)
      return state.turnId === null
        ? { phase: 'idle' }
        : { phase: 'answering', turnId: state.turnId, turnPhase: 'settling' }
    case 'close':
      return isOver(state) || state.phase === 'closing' ? state : { phase: 'closing', turnId: activeTurn(state) }
    case 'closed':
      return isOver(state) ? state : { phase: 'closed' }
    case 'expire':
      return isOver(state) ? state : { phase: 'expired', reason: step.reason }
    default:
      return assertNever(step)
  }
}

/** The turn that has not settled, or null. */
export function activeTurn(state: SideState): string | null {
  return state.phase === 'answering' || state.phase === 'hidden' || state.phase === 'closing' ? state.turnId : null
}

/** Whether nothing can happen to this side any more. */
export function isOver(state: SideState): boolean {
  return state.phase === 'closed' || state.phase === 'expired'
}

function afterTurn(state: SideState, turnId: string, phase: TurnPhase): SideState {
  if (activeTurn(state) !== turnId) return state
  if (phase === 'settled') {
    if (state.phase === 'answering') return { phase: 'idle' }
    return state.phase === 'hidden' || state.phase === 'closing' ? { phase: state.phase, turnId: null } : state
  }
  if (state.phase !== 'answering' || state.turnPhase === phase || RANK[phase] < RANK[state.turnPhase]) return state
  return { phase: 'answering', turnId, turnPhase: phase }
}

/** A turn never goes back to a lower rank. */
const RANK: Record<TurnPhase, number> = { submitted: 0, running: 1, waiting: 1, settling: 2, settled: 3 }

function refusal(state: SideState): SideError {
  return state.phase === 'opening'
    ? new SideError('in_progress', 'the side is opening')
    : new SideError('expired', `the side is ${state.phase}`)
}
