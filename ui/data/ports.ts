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

/** The ports of a real page. A hidden page paints no frames, so work that waits for one is run by a timer there:
 *  a queued message goes out although the person looks at another tab. */
export function browserPorts(page: Window = window): BrowserPorts {
  return {
    clock: {
      now: () => Date.now(),
      after(ms, task) {
        const id = page.setTimeout(task, ms)
        return () => page.clearTimeout(id)
      },
    },
    frame(task) {
      let done = false
      const run = (): void => {
        if (done) return
        done = true
        page.cancelAnimationFrame(frame)
        page.clearTimeout(late)
        task()
      }
      const frame = page.requestAnimationFrame(run)
      const late = page.setTimeout(run, 100)
      return () => {
        done = true
        page.cancelAnimationFrame(frame)
        page.clearTimeout(late)
      }
    },
    page: pageVisibility(page),
    newId: () => page.crypto.randomUUID(),
  }
}

function pageVisibility(page: Window): PageVisibility {
  let leaving = false
  return {
    visible: () => !leaving && page.document.visibilityState === 'visible',
    onChange(listener) {
      const onHide = (): void => {
        leaving = true
        listener()
      }
      const onShow = (): void => {
        leaving = false
        listener()
      }
      page.document.addEventListener('visibilitychange', listener)
      page.addEventListener('pagehide', onHide)
      page.addEventListener('pageshow', onShow)
      return () => {
        page.document.removeEventListener('visibilitychange', listener)
        page.removeEventListener('pagehide', onHide)
        page.removeEventListener('pageshow', onShow)
      }
    },
  }
}
