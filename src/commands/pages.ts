/** Which page shows which side, and whether that page is alive (D7). A page holds one command open; the host aborts it
 *  when the page goes. While it is held, no lease of the page's sides runs; when a side ends on the host, it is told there. */

import type { SideIdentity } from '../core/contract.ts'
import type { Clock } from '../core/limits.ts'
import type { HoldReply } from '../wire/token.ts'

export interface Pages {
  /** From now on this side lives for `page`. */
  bind(side: SideIdentity, page: string): void
  /** Stays pending while the page is there: resolves when one of its sides ended, when the page holds again, or after
   *  the renewal time. */
  hold(page: string, signal: AbortSignal): Promise<HoldReply>
  /** The answer to a hold that came through a side which had ended: that one, and what the page was not told yet. */
  missed(page: string, sideId: string): HoldReply
  /** The side ended on the host; its page is told, now or at its next hold. */
  ended(sideId: string, reason: string): void
  /** The page closed this side itself: nothing to tell. */
  forget(sideId: string): void
  /** Every side ends now; the pages that wait are told. */
  endAll(reason: string): void
}

interface Page {
  readonly sides: Map<string, SideIdentity>
  readonly releases: Map<string, () => void>
  gone: { side: string; reason: string }[]
  /** One for each hold that waits: answers it, with what the page has to be told or with nothing. */
  readonly waiting: Set<(told: boolean) => void>
}

export interface PagesOptions {
  readonly clock: Clock
  /** Stops the lease of a side until the returned function is called. */
  readonly keep: (side: SideIdentity) => () => void
  /** After this many milliseconds a hold is answered, so that a host that never aborts is noticed. */
  readonly renewMs: number
}

export function createPages({ clock, keep, renewMs }: PagesOptions): Pages {
  const pages = new Map<string, Page>()

  function pageOf(id: string): Page {
    let page = pages.get(id)
    if (page === undefined)
      pages.set(id, (page = { sides: new Map(), releases: new Map(), gone: [], waiting: new Set() }))
    return page
  }

  /** Takes a side from its page; `tell` is what the page hears of it. */
  function drop(sideId: string, tell?: { readonly side: string; readonly reason: string }): void {
    for (const [id, page] of pages) {
      if (!page.sides.delete(sideId)) continue
      page.releases.get(sideId)?.()
      page.releases.delete(sideId)
      if (tell !== undefined) {
        page.gone.push(tell)
        for (const answer of page.waiting) answer(true)
        // A page that never comes back hears nothing; what it would have heard does not stay.
        if (page.waiting.size === 0 && page.sides.size === 0)
          clock.after(renewMs, () => page.waiting.size === 0 && page.sides.size === 0 && pages.delete(id))
      }
      tidy(id, page)
    }
  }

  function tidy(id: string, page: Page): void {
    if (page.sides.size === 0 && page.waiting.size === 0 && page.gone.length === 0) pages.delete(id)
  }

  function take(page: Page): Page['gone'] {
    const { gone } = page
    page.gone = []
    return gone
  }

  function engage(page: Page): void {
    for (const [sideId, side] of page.sides) if (!page.releases.has(sideId)) page.releases.set(sideId, keep(side))
  }

  function release(page: Page): void {
    for (const undo of page.releases.values()) undo()
    page.releases.clear()
  }

  return {
    bind(side, id) {
      drop(side.sideSessionId)
      const page = pageOf(id)
      page.sides.set(side.sideSessionId, side)
      if (page.waiting.size > 0) engage(page)
    },

    async hold(id, signal) {
      const page = pageOf(id)
      let told = !signal.aborted
      if (page.gone.length === 0 && told) {
        const before = [...page.waiting]
        const waits = new Promise<boolean>((resolve) => {
          const answer = (withWhatEnded: boolean): void => {
            cancel()
            signal.removeEventListener('abort', leave)
            page.waiting.delete(answer)
            resolve(withWhatEnded)
          }
          const leave = (): void => answer(false)
          const cancel = clock.after(renewMs, () => answer(true))
          signal.addEventListener('abort', leave)
          page.waiting.add(answer)
          engage(page)
        })
        // A page holds once. An earlier hold is of a connection that is gone without the host having noticed yet, and
        // must not swallow what this one has to hear.
        for (const answer of before) answer(false)
        told = await waits
      }
      if (page.waiting.size === 0) release(page)
      const reply = { gone: told ? take(page) : [] }
      tidy(id, page)
      return reply
    },

    missed(id, sideId) {
      const page = pageOf(id)
      const gone = take(page)
      tidy(id, page)
      return {
        gone: gone.some(({ side }) => side === sideId) ? gone : [...gone, { side: sideId, reason: 'client_lost' }],
      }
    },

    endAll(reason) {
      for (const page of [...pages.values()])
        for (const sideId of [...page.sides.keys()]) drop(sideId, { side: sideId, reason })
    },

    ended(sideId, reason) {
      drop(sideId, { side: sideId, reason })
    },

    forget(sideId) {
      drop(sideId)
    },
  }
}
