/** Where a `/side` is shown: a tab of the host's right sidebar, or our drawer. Owns which tab belongs to which side and
 *  whether the drawer is open; a side whose tab is really closed is closed with it (I6). */

import type { SideRuntime } from '../data/runtime.ts'
import { member } from './seams.ts'

export interface SidePlace {
  /** Shows the surface of this side and brings it to the front. */
  show(sideId: string): void
  /** Shows the sides of this conversation that came back after a reload. */
  showRestored(sessionId: string): void
  /** Told by a tab's body; returns the undo for when the body unmounts. */
  bindTab(sideId: string, tabId: string, signal: AbortSignal, close: () => void): () => void
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

/** Sides as tabs of `sidebar` (the host's `sidebarRight`). `kind` names our tab type. */
export function tabPlace(runtime: SideRuntime, sidebar: unknown, kind: string): SidePlace {
  const tabs = new Map<string, { readonly tabId: string; readonly close: () => void }>()
  const watched = new WeakSet<AbortSignal>()

  function call(verb: string, ...args: unknown[]): void {
    const method = member(sidebar, verb)
    if (typeof method === 'function') Reflect.apply(method, sidebar, args)
  }

  function show(sideId: string): void {
    const tab = tabs.get(sideId)
    try {
      if (tab !== undefined) {
        if (Reflect.apply(member(sidebar, 'isExpanded') as () => unknown, sidebar, []) === false) call('toggleExpanded')
        call('focus', tab.tabId)
      } else call('openResource', addressOf(sideId), { kind, params: { sideId } })
    } catch {
      // No conversation on screen: the side is in the store and is shown when its conversation is.
    }
    runtime.show(sideId)
  }

  // A side that ended elsewhere (its page was restored, it was undone) keeps its tab; one that the store forgot loses it.
  runtime.subscribe(() => {
    for (const [sideId, tab] of tabs) {
      if (runtime.find(sideId) === null) {
        tabs.delete(sideId)
        tab.close()
      }
    }
  })

  return {
    show,
    showRestored(sessionId) {
      for (const side of runtime.sidesOf(sessionId).side) if (!tabs.has(side.sideId)) show(side.sideId)
    },
    bindTab(sideId, tabId, signal, close) {
      tabs.set(sideId, { tabId, close })
      if (!watched.has(signal)) {
        watched.add(signal)
        signal.addEventListener(
          'abort',
          () => {
            tabs.delete(sideId)
            runtime.close(sideId)
          },
          { once: true },
        )
      }
      return () => {}
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
      if (runtime.sidesOf(sessionId).side.length === 0) return
      open.add(sessionId)
      notify()
    },
    bindTab: () => () => {},
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
