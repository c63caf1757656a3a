/** A growing text at a pace that can be afforded: a long one is taken over when it grew by a share of its length or when
 *  a moment has passed, so that reading it again and again costs as much as reading it a few dozen times. */

import { useEffect, useRef, useState } from 'react'

/** Characters up to which every change is shown at once. */
const SHORT = 4_000
/** A long text is taken over when it has grown by its 32nd part. */
const SHARE = 32
const MOMENT_MS = 150

export function useCalm(text: string, growing: boolean): string {
  const [shown, setShown] = useState(text)
  const latest = useRef(text)
  useEffect(() => {
    latest.current = text
  }, [text])
  const grew = text.length - shown.length
  const behind = growing && text.length > SHORT && grew > 0 && grew * SHARE < text.length && text.startsWith(shown)
  if (!behind && shown !== text) setShown(text)
  useEffect(() => {
    if (!behind) return
    const timer = setTimeout(() => setShown(latest.current), MOMENT_MS)
    return () => clearTimeout(timer)
  }, [behind])
  return behind ? shown : text
}
