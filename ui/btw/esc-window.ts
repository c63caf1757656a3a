/** After a dismissal by Esc a further Esc is swallowed for a moment, so that a person who presses it once too often
 *  does not interrupt main (Keys). The listener exists during that moment only. */

import { isComposing } from '../parts/composer-keys.ts'

export const ESC_WINDOW_MS = 400

/** Opens the window on `page`; returns its undo. A key that is held down keeps it open. */
export function swallowEsc(page: Document): () => void {
  let timer = 0
  const close = (): void => {
    clearTimeout(timer)
    page.removeEventListener('keydown', onKey, true)
  }
  const arm = (): void => {
    clearTimeout(timer)
    timer = window.setTimeout(close, ESC_WINDOW_MS)
  }
  function onKey(event: KeyboardEvent): void {
    if (event.key !== 'Escape' || isComposing(event)) return
    event.preventDefault()
    event.stopImmediatePropagation()
    if (event.repeat) arm()
  }
  page.addEventListener('keydown', onKey, true)
  arm()
  return close
}
