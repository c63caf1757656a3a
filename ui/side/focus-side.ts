/** Puts the keyboard into a side that is being shown, in its composer where it has one: its surface may still be on its way. */

const TRIES = 20
const AGAIN_MS = 50

export function focusSide(sideId: string, page: Document = document, triesLeft = TRIES): void {
  const surface = page.querySelector(`[data-sidemind-side="${CSS.escape(sideId)}"]`)
  const fields = surface?.querySelectorAll<HTMLElement>('textarea') ?? []
  const field = [...fields].at(-1) ?? surface?.querySelector<HTMLElement>('button')
  if (field != null && field.getClientRects().length > 0) field.focus({ preventScroll: true })
  else if (triesLeft > 0) setTimeout(() => focusSide(sideId, page, triesLeft - 1), AGAIN_MS)
}
