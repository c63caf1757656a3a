/** What a key means in a composer. Pure; the component beside it does it. */

export interface ComposerKeyEvent {
  readonly key: string
  /** 229 while an input method handles the key; some report only this. */
  readonly keyCode: number
  readonly isComposing: boolean
  readonly shiftKey: boolean
  readonly altKey: boolean
  readonly ctrlKey: boolean
  readonly metaKey: boolean
}

export interface ComposerKeyState {
  /** A composition ended a moment ago: the Enter that confirmed it may still arrive as an ordinary one. */
  readonly justComposed: boolean
  readonly empty: boolean
}

/** How long after `compositionend` an Enter still belongs to the input method, in milliseconds. */
export const AFTER_COMPOSITION_MS = 100

/** `send` and `recall` are ours, `swallow` does nothing at all; with `leave` the field does what it always does (a
 *  newline, a candidate, a caret). */
export function composerKey(event: ComposerKeyEvent, state: ComposerKeyState): 'send' | 'recall' | 'swallow' | 'leave' {
  if (isComposing(event)) return 'leave'
  const plain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey
  if (event.key === 'Enter' && !event.shiftKey && !event.altKey) return state.justComposed ? 'swallow' : 'send'
  if (event.key === 'ArrowUp' && plain && state.empty) return 'recall'
  return 'leave'
}

/** Whether an input method has the key. */
export function isComposing(event: Pick<ComposerKeyEvent, 'keyCode' | 'isComposing'>): boolean {
  return event.isComposing || event.keyCode === 229
}
