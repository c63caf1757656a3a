/** Where an element is on screen, in viewport pixels, with what stands on its upper edge; null until it was measured. */

import { useLayoutEffect, useState } from 'react'
import type { RefObject } from 'react'
import type { Box } from '../side/drawer-layout.ts'

/** @param above a selector of what stands on the element's upper edge without being part of its height; '' for nothing.
 *  @param moved another value whenever the element may have moved, or that thing come or gone: neither is heard of. */
export function useBox(element: RefObject<HTMLElement>, above = '', moved: unknown = null): Box | null {
  const [box, setBox] = useState<Box | null>(null)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return undefined
    const card = above === '' ? null : current.querySelector(above)
    const measure = (): void => {
      const { left, top: edge, right, bottom } = current.getBoundingClientRect()
      const top = card === null ? edge : Math.min(edge, card.getBoundingClientRect().top)
      setBox((before) =>
        before?.left === left && before.top === top && before.right === right && before.bottom === bottom
          ? before
          : { left, top, right, bottom },
      )
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.documentElement)
    observer.observe(current)
    if (card !== null) observer.observe(card)
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [element, above, moved])
  return box
}
