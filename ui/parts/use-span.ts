/** How long something took, measured by watching it: from the first render in which it ran to the first in which it
 *  did not. Remembered per key, so that a surface that is mounted again still knows. */

import { useEffect, useState } from 'react'

export interface Span {
  /** Epoch milliseconds. */
  readonly from: number
  /** Null while it runs. */
  readonly to: number | null
}

const MOST = 200
const spans = new Map<string, Span>()

/** @returns null for something that was over when it was first seen. */
export function useSpan(key: string, running: boolean): Span | null {
  const [span, setSpan] = useState(() => spans.get(key) ?? null)
  useEffect(() => {
    const before = spans.get(key)
    if (before === undefined && running) remember(key, { from: Date.now(), to: null })
    else if (before?.to === null && !running) remember(key, { from: before.from, to: Date.now() })
    setSpan(spans.get(key) ?? null)
  }, [key, running])
  return span
}

function remember(key: string, span: Span): void {
  spans.set(key, span)
  for (const oldest of spans.keys()) if (spans.size > MOST) spans.delete(oldest)
}
