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
    newId: () => newId(page.crypto),
  }
}

/** A random UUID; pages served over plain http from another machine have no `randomUUID`. */
export function newId(crypto: Pick<Crypto, 'getRandomValues'>): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16))
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
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
