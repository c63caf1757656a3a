/** Where a `/side` is shown: a tab of the host's right sidebar, or our drawer. Owns which tab belongs to which side and
 *  whether the drawer is open; a side whose tab is really closed is closed with it (I6). */

import type { SideRuntime } from '../data/runtime.ts'
import { member } from './seams.ts'

export interface SidePlace {
  /** Shows the surface of this side and brings it to the front. */
  show(sideId: string): void
  /** Shows the sides of this conversation that came back after a reload. */
  showRestored(sessionId: string): void
  /** Told by a tab's body once it is drawn. */
  bindTab(sideId: string, tabId: string, signal: AbortSignal, close: () => void): void
  /** The side that this tab of this conversation was bound to, or ''. */
  sideIn(tabId: string, sessionId: string): string
  /** The drawer's own state. */
  isOpen(sessionId: string): boolean
  hide(sessionId: string): void
  /** Pixels that the docked drawer takes at the right edge. */
  dock(width: number): void
  subscribe(listener: () => void): () => void
}

/** Each side is a resource of its own, so that the host tells its tab from the others'. */
export const TAB_PATTERN = 'dsh-resource://sidemind-side/**'

function addressOf(sideId: string): string {
  return `dsh-resource://sidemind-side/${encodeURIComponent(sideId)}`
}

const SHOW_TRIES = 25
const SHOW_AGAIN_MS = 200

/** A tab's body has this long to say which side it shows before a tab is opened for it. */
const SETTLE_MS = 100

export interface TabPlaceOptions {
  readonly runtime: SideRuntime
  /** The host's `sidebarRight`. */
  readonly sidebar: unknown
  /** Our tab type. */
  readonly kind: string
  /** The conversation on screen. */
  readonly current: () => string | undefined
  readonly later: (ms: number, task: () => void) => unknown
}

/** Sides as tabs of the host's right sidebar. Every live side of the conversation on screen has one: a side that was
 *  undone or restored gets its tab back. */
export function tabPlace({ runtime, sidebar, kind, current, later }: TabPlaceOptions): SidePlace & { stop(): void } {
  const tabs = new Map<string, { readonly tabId: string; readonly close: () => void }>()
  const showing = new Set<string>()
  const watched = new WeakSet<AbortSignal>()
  let settling = false
  let stopped = false

  function call(verb: string, ...args: unknown[]): void {
    const method = member(sidebar, verb)
    if (typeof method === 'function') Reflect.apply(method, sidebar, args)
  }

  function reveal(sideId: string): void {
    const tab = tabs.get(sideId)
    if (tab === undefined) {
      call('openResource', addressOf(sideId), { kind, params: { sideId } })
      return
    }
    const expanded = member(sidebar, 'isExpanded')
    if (typeof expanded === 'function' && Reflect.apply(expanded, sidebar, []) === false) call('toggleExpanded')
    call('focus', tab.tabId)
  }

  /** The host opens nothing while no conversation is mounted: right after the page came up, or between two. What it
   *  opens, it opens in the conversation on screen; a side of another one has to wait for its own. */
  function show(sideId: string, triesLeft = SHOW_TRIES): void {
    const sessionId = current()
    const parent = runtime.find(sideId)?.parent.sessionId
    if (stopped || (sessionId !== undefined && parent !== undefined && parent !== sessionId)) {
      showing.delete(sideId)
      return
    }
    showing.add(sideId)
    try {
      reveal(sideId)
      if (tabs.has(sideId)) showing.delete(sideId)
    } catch {
      if (triesLeft > 0 && runtime.find(sideId) !== null) later(SHOW_AGAIN_MS, () => show(sideId, triesLeft - 1))
      else showing.delete(sideId)
    }
  }

  function settle(): void {
    settling = false
    if (stopped) return
    for (const [sideId, tab] of tabs) {
      if (runtime.find(sideId) !== null) continue
      tabs.delete(sideId)
      tab.close()
    }
    for (const sideId of showing) if (runtime.find(sideId) === null) showing.delete(sideId)
    const sessionId = current()
    if (sessionId === undefined) return
    for (const side of runtime.sidesOf(sessionId).side) {
      if (!tabs.has(side.sideId) && !showing.has(side.sideId)) show(side.sideId)
    }
  }

  const unsubscribe = runtime.subscribe(() => {
    if (settling) return
    settling = true
    later(SETTLE_MS, settle)
  })

  return {
    stop() {
      stopped = true
      unsubscribe()
    },
    show(sideId) {
      show(sideId)
      runtime.show(sideId)
    },
    showRestored: settle,
    bindTab(sideId, tabId, signal, close) {
      showing.delete(sideId)
      tabs.set(sideId, { tabId, close })
      if (!watched.has(signal)) {
        watched.add(signal)
        signal.addEventListener(
          'abort',
          () =>
            later(0, () => {
              // A sidebar that is unloaded takes its tabs along; their sides go on elsewhere.
              if (stopped || tabs.get(sideId)?.tabId !== tabId) return
              tabs.delete(sideId)
              runtime.close(sideId)
            }),
          { once: true },
        )
      }
    },
    sideIn(tabId, sessionId) {
      for (const [sideId, tab] of tabs)
        if (tab.tabId === tabId && runtime.find(sideId)?.parent.sessionId === sessionId) return sideId
      return ''
    },
    isOpen: () => false,
    hide() {},
    dock() {},
    subscribe: () => () => {},
  }
}

/** Sides in our own drawer. `makeRoom` is told the width that the drawer takes. */
export function drawerPlace(runtime: SideRuntime, makeRoom: (width: number) => void): SidePlace {
  const open = new Set<string>()
  /** Conversations that were on screen once: from there on the person decides. */
  const settled = new Set<string>()
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  return {
    show(sideId) {
      runtime.show(sideId)
      const side = runtime.find(sideId)
      if (side === null || open.has(side.parent.sessionId)) return
      open.add(side.parent.sessionId)
      notify()
    },
    showRestored(sessionId) {
      if (settled.has(sessionId)) return
      settled.add(sessionId)
      if (runtime.sidesOf(sessionId).side.length === 0) return
      open.add(sessionId)
      notify()
    },
    bindTab() {},
    sideIn: () => '',
    isOpen: (sessionId) => open.has(sessionId),
    hide(sessionId) {
      if (open.delete(sessionId)) notify()
    },
    dock: makeRoom,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
