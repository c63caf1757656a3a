/** What a key means while the overlay has the focus. Pure; the card does it. */

import { isComposing } from '../parts/composer-keys.ts'

export type CardKey =
  | 'stop'
  | 'dismiss'
  | 'copy'
  | 'previous'
  | 'next'
  /** Ours and without effect: an Esc that is held down does one thing only. */
  | 'swallow'
  /** The person types on: the key belongs to main's composer. */
  | 'type'
  | 'leave'

export interface CardKeyState {
  /** A turn runs and Stop was not asked for yet. */
  readonly stoppable: boolean
  readonly copyable: boolean
  /** The caret is in a text field of the card. */
  readonly inField: boolean
  /** The card itself has the focus, not a button in it. */
  readonly onCard: boolean
  readonly selection: boolean
  /** The letter that copies, '' = none. */
  readonly copyKey: string
}

type Key = Pick<
  KeyboardEvent,
  'key' | 'keyCode' | 'isComposing' | 'repeat' | 'shiftKey' | 'altKey' | 'ctrlKey' | 'metaKey'
>

export function cardKey(event: Key, state: CardKeyState): CardKey {
  if (isComposing(event)) return state.onCard ? 'type' : 'leave'
  if (event.altKey || event.ctrlKey || event.metaKey) return 'leave'
  if (event.key === 'Escape') {
    if (event.shiftKey) return 'leave'
    if (event.repeat) return 'swallow'
    return state.stoppable ? 'stop' : 'dismiss'
  }
  if (state.inField) return 'leave'
  // A letter by what it writes (D12): on a layout without C there is the button.
  if (
    !event.shiftKey &&
    state.copyKey !== '' &&
    event.key.toLowerCase() === state.copyKey &&
    state.copyable &&
    !state.selection
  )
    return 'copy'
  if (!event.shiftKey && event.key === 'ArrowLeft') return 'previous'
  if (!event.shiftKey && event.key === 'ArrowRight') return 'next'
  return state.onCard && event.key.length === 1 && !state.selection ? 'type' : 'leave'
}
