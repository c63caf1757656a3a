/** What the store needs from a browser, as ports, so that tests own time, frames and visibility.
 *  The real ones are made by `browserPorts`. */

import type { Clock } from '../../src/wire/index.ts'

/** Runs `task` before the next paint; returns its undo. */
export type FrameScheduler = (task: () => void) => () => void

/** Whether a person can see this page. */
export interface PageVisibility {
  visible(): boolean
  /** Calls back on visibilitychange, pageshow and pagehide (then `visible()` is false); returns its undo. */
  onChange(listener: () => void): () => void
}

export interface BrowserPorts {
  readonly clock: Clock
  readonly frame: FrameScheduler
  readonly page: PageVisibility
  readonly newId: () => string
}
