/** Marks the page's title while an answer waits that nobody has seen, so that it shows in the browser's own tabs (K15).
 *  The host writes the title too: the mark is put before whatever stands there, and taken off again. */

import type { SideRuntime } from '../data/runtime.ts'

const MARK = '● '

/** @returns the undo. */
export function markTitle(runtime: Pick<SideRuntime, 'subscribe' | 'unread'>, page: Document = document): () => void {
  const plain = (): string => (page.title.startsWith(MARK) ? page.title.slice(MARK.length) : page.title)
  const look = (): void => {
    const wanted = runtime.unread() === '' ? plain() : MARK + plain()
    if (page.title !== wanted) page.title = wanted
  }
  const observer = new MutationObserver(look)
  observer.observe(page.head, { subtree: true, childList: true, characterData: true })
  const unsubscribe = runtime.subscribe(look)
  look()
  return () => {
    observer.disconnect()
    unsubscribe()
    page.title = plain()
  }
}
