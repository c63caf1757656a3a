/** React's view of the store: each hook re-renders only when the value it reads is another one. */

import { useEffect, useSyncExternalStore } from 'react'
import type { SideRuntime } from './runtime.ts'
import type { SideSnapshot, SidesSnapshot } from './snapshot.ts'

export function useSides(runtime: SideRuntime, parentSessionId: string): SidesSnapshot {
  return useSyncExternalStore(runtime.subscribe, () => runtime.sidesOf(parentSessionId))
}

/** Null when the side is unknown or has ended. */
export function useSide(runtime: SideRuntime, id: string | null): SideSnapshot | null {
  return useSyncExternalStore(runtime.subscribe, () => (id === null ? null : runtime.find(id)))
}

export function useDraft(runtime: SideRuntime, sideId: string): string {
  return useSyncExternalStore(runtime.subscribe, () => runtime.draftOf(sideId))
}

/** Tells the store that this surface shows the sides of `sideIds` (space-separated) while it is mounted and `visible`. */
export function useVisible(runtime: SideRuntime, sideIds: string, visible: boolean): void {
  useEffect(() => {
    const ids = visible ? sideIds.split(' ').filter((id) => id !== '') : []
    for (const id of ids) runtime.setVisible(id, true)
    return () => {
      for (const id of ids) runtime.setVisible(id, false)
    }
  }, [runtime, sideIds, visible])
}
