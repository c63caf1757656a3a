/** A growing text at a pace that can be afforded: a long one is taken over when it grew by a share of its length or when
 *  a moment has passed, so that reading it again and again costs as much as reading it a few dozen times. */

import { useEffect, useRef, useState } from 'react'

/** Characters up to which every change is shown at once. */
const SHORT = 4_000
/** A long text is taken over when it has grown by its 32nd part. */
const SHARE = 32
const MOMENT_MS = 150
/** In a moment so many characters can be read and drawn beside everything else: a longer text takes its time. */
const A_MOMENT = 30_000

/** @param read gives all `length` characters; called for those alone that are shown. */
export function useCalm(length: number, read: () => string, growing: boolean): string {
  const [shown, setShown] = useState(read)
  const latest = useRef({ length, read })
  useEffect(() => {
    latest.current = { length, read }
  })
  const grew = length - shown.length
  const behind = growing && length > SHORT && grew > 0 && grew * SHARE < length
  const text = behind ? shown : read()
  if (shown !== text) setShown(text)
  useEffect(() => {
    if (!behind) return
    const wait = MOMENT_MS * Math.max(1, latest.current.length / A_MOMENT)
    const timer = setTimeout(() => setShown(latest.current.read()), wait)
    return () => clearTimeout(timer)
  }, [behind])
  return text
}
