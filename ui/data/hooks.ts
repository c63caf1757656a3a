/** React's view of the store: each hook re-renders only when the value it reads is another one. */

import { useCallback, useEffect, useMemo, useSyncExternalStore } from 'react'
import type { SideModelChoice } from './models.ts'
import type { SideRuntime } from './runtime.ts'
import { isSearchable, searchSides } from './search.ts'
import type { Hit } from './search.ts'
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

export function useModelChoice(runtime: SideRuntime, side: SideSnapshot): SideModelChoice {
  const { sideId, kind, parent, route, facts } = side
  const { models } = runtime
  const { sessionId } = parent
  const catalog = useSyncExternalStore(models.subscribe, () => models.catalogOf(sessionId))
  const remembered = useSyncExternalStore(models.subscribe, () => models.remembered(sessionId))
  const load = useCallback((once?: boolean) => models.load(parent, once), [models, parent])
  const forked = facts?.route ?? null
  return useMemo(
    () => ({
      catalog,
      route,
      // A card's next question is a new fork, which asks main's model again.
      asked: kind === 'side' ? forked : null,
      used: forked ?? route,
      remembered,
      load,
      pick: (next) => runtime.pick(sideId, next),
      remember: (next) => models.remember(sessionId, next),
    }),
    [catalog, route, kind, forked, remembered, load, models, runtime, sideId, sessionId],
  )
}

/** Looks for words in the sides of a conversation; null while there is nothing to look in. */
export function useSearch(runtime: SideRuntime, parentSessionId: string): ((query: string) => readonly Hit[]) | null {
  const sides = useSides(runtime, parentSessionId)
  return useMemo(() => (isSearchable(sides) ? (query: string) => searchSides(sides, query) : null), [sides])
}
