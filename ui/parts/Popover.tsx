/** A small raised surface at its button, in the browser's top layer: whatever clips or covers the place does not clip or
 *  cover it. It stays inside its own tree, so keys and focus are still those of the surface it belongs to. Owns place,
 *  dismissal and the way back of the focus; what stands in it is the caller's. */

import { useCallback, useEffect, useLayoutEffect, useRef } from 'react'
import type { JSX, KeyboardEvent, ReactNode, RefObject } from 'react'
import { isComposing } from './composer-keys.ts'
import css from './Popover.module.css'

export interface PopoverProps {
  readonly id: string
  /** The button that it belongs to. */
  readonly anchor: RefObject<HTMLElement>
  readonly onClose: () => void
  readonly onKeyDown?: (event: KeyboardEvent<HTMLDivElement>) => void
  readonly children: ReactNode
}

/** Not among React's own attributes yet. A browser without a top layer shows it in place. */
const MANUAL = typeof HTMLElement !== 'undefined' && 'showPopover' in HTMLElement.prototype ? { popover: 'manual' } : {}
const GAP = 6
const EDGE = 8

export function Popover({ id, anchor, onClose, onKeyDown, children }: PopoverProps): JSX.Element {
  const box = useRef<HTMLDivElement>(null)
  const close = useCallback(
    (refocus: boolean) => {
      if (refocus) anchor.current?.focus({ preventScroll: true })
      onClose()
    },
    [anchor, onClose],
  )

  useLayoutEffect(() => {
    const element = box.current
    const button = anchor.current
    if (element === null || button === null) return undefined
    element.showPopover?.()
    const put = (): void => place(element, button.getBoundingClientRect())
    put()
    const observer = typeof ResizeObserver === 'undefined' ? null : new ResizeObserver(put)
    observer?.observe(element)
    window.addEventListener('resize', put)
    window.addEventListener('scroll', put, true)
    return () => {
      observer?.disconnect()
      window.removeEventListener('resize', put)
      window.removeEventListener('scroll', put, true)
    }
  }, [anchor])

  useEffect(() => {
    const onPointer = (event: PointerEvent): void => {
      const target = event.target as Node
      if (box.current?.contains(target) === true || anchor.current?.contains(target) === true) return
      close(false)
    }
    document.addEventListener('pointerdown', onPointer, true)
    return () => document.removeEventListener('pointerdown', onPointer, true)
  }, [anchor, close])

  return (
    <div
      ref={box}
      id={id}
      {...MANUAL}
      className={css['popover']}
      data-raised=""
      onKeyDown={(event) => {
        if (event.key === 'Escape' && !isComposing(event.nativeEvent)) {
          // Leaves this and nothing else: neither an answer nor main stops.
          event.preventDefault()
          event.stopPropagation()
          close(true)
          return
        }
        onKeyDown?.(event)
        // A letter typed here is not for the surface around it.
        if (event.key !== 'Tab') event.stopPropagation()
      }}
      onBlur={(event) => {
        const next = event.relatedTarget
        if (next === null || event.currentTarget.contains(next) || anchor.current?.contains(next) === true) return
        close(false)
      }}
    >
      {children}
    </div>
  )
}

/** Above its button where there is more room, else below; never over an edge of the window. */
function place(element: HTMLElement, at: DOMRect): void {
  const { innerWidth, innerHeight } = window
  const above = at.top - GAP - EDGE
  const below = innerHeight - at.bottom - GAP - EDGE
  const wanted = element.scrollHeight
  const up = above >= Math.min(wanted, below) || above > below
  const height = Math.max(96, up ? above : below)
  const width = element.offsetWidth
  const left = Math.max(EDGE, Math.min(at.left, innerWidth - width - EDGE))
  element.style.maxHeight = `${height}px`
  element.style.left = `${left}px`
  element.style.top = up ? 'auto' : `${at.bottom + GAP}px`
  element.style.bottom = up ? `${innerHeight - at.top + GAP}px` : 'auto'
}
