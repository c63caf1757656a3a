/** Keeps the Enter that confirms a candidate from sending a line of ours in main's composer. Hosts hold back an Enter while an input
 *  method says that it composes; some say so no longer at that key, and some end the composition in the same moment (K23). */

import { AFTER_COMPOSITION_MS } from '../parts/composer-keys.ts'
import { composerField } from './composer.ts'

/** @param isOurs whether main's composer holds a line that would open a side. @returns the undo. */
export function guardComposing(page: Document, isOurs: (text: string) => boolean): () => void {
  let composedAt = -Infinity
  const inComposer = (event: Event): HTMLElement | null => {
    const field = composerField(page)
    return field !== null && event.target instanceof Node && field.contains(event.target) ? field : null
  }
  const onEnd = (event: CompositionEvent): void => {
    if (inComposer(event) !== null) composedAt = performance.now()
  }
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || event.shiftKey) return
    const justComposed = performance.now() - composedAt < AFTER_COMPOSITION_MS
    if (event.isComposing || (event.keyCode !== 229 && !justComposed)) return
    const field = inComposer(event)
    if (field === null) return
    const text = field instanceof HTMLTextAreaElement ? field.value : (field.textContent ?? '')
    if (!isOurs(text)) return
    event.stopPropagation()
    // The key of the input method itself is left to it.
    if (event.keyCode !== 229) event.preventDefault()
  }
  page.addEventListener('compositionend', onEnd, { capture: true })
  page.addEventListener('keydown', onKeyDown, { capture: true })
  return () => {
    page.removeEventListener('compositionend', onEnd, { capture: true })
    page.removeEventListener('keydown', onKeyDown, { capture: true })
  }
}
