/** A clock that ticks once a second while something runs. */

import { useEffect, useState } from 'react'

/** Milliseconds since `since` (epoch milliseconds); stands still when `running` is false. */
export function useElapsed(since: number | undefined, running: boolean): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    if (!running) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [running, since])
  return since === undefined ? 0 : Math.max(0, now - since)
}
