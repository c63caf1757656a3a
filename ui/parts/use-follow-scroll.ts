/** Keeps a growing text at its end while the reader is there, and leaves a reader who went up alone (K24). */

import { useCallback, useLayoutEffect, useRef, useState } from 'react'
import type { RefObject } from 'react'

/** Pixels left above a question that is brought to the top. */
const ABOVE = 12
/** Closer to the end than this counts as being there, in pixels. */
const NEAR = 24

export interface FollowScroll {
  /** On the element that scrolls. */
  readonly scroller: RefObject<HTMLDivElement>
  /** On the one element inside it, whose height grows. */
  readonly content: RefObject<HTMLDivElement>
  readonly onScroll: () => void
  /** False when something is below that the reader does not see. */
  readonly atEnd: boolean
  readonly toEnd: () => void
}

export interface FollowOptions {
  /** The last turn; a new one takes the reader to the end, because it is their own question. */
  readonly anchor: string
  /** Whether text is coming. What was finished before opens at its start and not at its end. */
  readonly running: boolean
  /** One answer, read from its top: it is followed only once the reader has gone to its end. */
  readonly fromTop: boolean
}

export function useFollowScroll({ anchor, running, fromTop }: FollowOptions): FollowScroll {
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const following = useRef(true)
  const seen = useRef<string | null>(null)
  const lastTop = useRef(0)
  const [atEnd, setAtEnd] = useState(true)

  const measure = useCallback(() => {
    const box = scroller.current
    if (box !== null) setAtEnd(box.scrollHeight - box.clientHeight - box.scrollTop <= NEAR)
  }, [])

  const follow = useCallback(() => {
    const box = scroller.current
    if (box !== null && following.current) {
      box.scrollTop = box.scrollHeight
      lastTop.current = box.scrollTop
    }
    measure()
  }, [measure])

  const toEnd = useCallback(() => {
    following.current = true
    follow()
  }, [follow])

  useLayoutEffect(() => {
    const first = seen.current === null
    if (seen.current === anchor) return
    seen.current = anchor
    const box = scroller.current
    if (!fromTop && (!first || running)) return toEnd()
    following.current = false
    if (box === null || fromTop) return measure()
    const target = [...box.querySelectorAll<HTMLElement>('[data-turn]')].at(-1)
    box.scrollTop = Math.max(0, (target?.offsetTop ?? 0) - ABOVE)
    lastTop.current = box.scrollTop
    following.current = box.scrollHeight - box.clientHeight - box.scrollTop <= NEAR
    measure()
  }, [anchor, running, fromTop, toEnd, measure])

  useLayoutEffect(() => {
    const inner = content.current
    const box = scroller.current
    if (inner === null || box === null || typeof ResizeObserver === 'undefined') return
    const observer = new ResizeObserver(follow)
    observer.observe(inner)
    observer.observe(box)
    return () => observer.disconnect()
  }, [follow])

  const onScroll = useCallback(() => {
    const box = scroller.current
    if (box === null) return
    const near = box.scrollHeight - box.clientHeight - box.scrollTop <= NEAR
    // Only going up ends following: growing text moves the end away without anybody scrolling.
    if (box.scrollTop < lastTop.current - 1 && !near) following.current = false
    else if (near) following.current = true
    lastTop.current = box.scrollTop
    setAtEnd(near)
  }, [])

  return { scroller, content, onScroll, atEnd, toEnd }
}
