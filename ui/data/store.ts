/** Holds the sides of this page and tells who listens. The one place that writes a model and notifies; what an
 *  action means is actions.ts, what is read is view.ts and shelf.ts. */

import type { SideKind } from '../../src/wire/index.ts'
import { reduceSide } from './actions.ts'
import type { SideAction } from './actions.ts'
import type { SideModel } from './model.ts'
import { EMPTY_SHELF, toSidesSnapshot } from './shelf.ts'
import type { Shelf } from './shelf.ts'
import { NO_SIDES } from './snapshot.ts'
import type { SideSnapshot, SidesSnapshot } from './snapshot.ts'
import { toSnapshot } from './view.ts'

export interface Store {
  subscribe(listener: () => void): () => void
  model(sideId: string): SideModel | undefined
  models(): readonly SideModel[]
  /** The side behind any id under which the host knew it. */
  resolve(id: string): string | undefined
  side(sideId: string): SideSnapshot | null
  sides(parentSessionId: string): SidesSnapshot
  shelf(parentSessionId: string): Shelf
  add(model: SideModel): void
  drop(sideId: string): void
  dispatch(sideId: string, action: SideAction): void
  arrange(parentSessionId: string, change: (shelf: Shelf) => Shelf): void
  /** Runs `change` and notifies once after it. */
  batch<T>(change: () => T): T
}

/** @param onChange runs after every change of a side, before listeners hear of it.
 *  @param onDrop runs once a side is gone for good: whoever files something under its id lets go of it. */
export function createStore(onChange: (sideId: string) => void, onDrop: (sideId: string) => void): Store {
  const models = new Map<string, SideModel>()
  const snapshots = new Map<string, SideSnapshot>()
  const shelves = new Map<string, Shelf>()
  const sidesOf = new Map<string, SidesSnapshot>()
  const aliases = new Map<string, string>()
  const listeners = new Set<() => void>()
  let depth = 0
  let dirty = false

  const store: Store = {
    subscribe(listener) {
      // A wrapper, so that one function subscribed twice is two subscriptions.
      const entry = (): void => listener()
      listeners.add(entry)
      return () => void listeners.delete(entry)
    },
    model: (sideId) => models.get(sideId),
    models: () => [...models.values()],
    resolve(id) {
      const sideId = models.has(id) ? id : aliases.get(id)
      return sideId !== undefined && models.has(sideId) ? sideId : undefined
    },
    side: (sideId) => snapshots.get(sideId) ?? null,
    sides: (parentSessionId) => sidesOf.get(parentSessionId) ?? NO_SIDES,
    shelf: (parentSessionId) => shelves.get(parentSessionId) ?? EMPTY_SHELF,
    add: (model) => store.batch(() => write(model)),
    drop(sideId) {
      const model = models.get(sideId)
      if (model === undefined) return
      store.batch(() => {
        models.delete(sideId)
        snapshots.delete(sideId)
        for (const [alias, target] of aliases) if (target === sideId) aliases.delete(alias)
        refresh(model.parent.sessionId)
        dirty = true
        onDrop(sideId)
      })
    },
    dispatch(sideId, action) {
      const model = models.get(sideId)
      if (model === undefined) return
      const next = reduceSide(model, action)
      if (next === model) return
      store.batch(() => {
        write(next)
        onChange(sideId)
      })
    },
    arrange(parentSessionId, change) {
      const shelf = store.shelf(parentSessionId)
      const next = change(shelf)
      if (next === shelf) return
      store.batch(() => {
        shelves.set(parentSessionId, next)
        refresh(parentSessionId)
        dirty = true
      })
    },
    batch(change) {
      depth += 1
      try {
        return change()
      } finally {
        depth -= 1
        if (depth === 0 && dirty) {
          dirty = false
          notify()
        }
      }
    },
  }

  function write(model: SideModel): void {
    models.set(model.sideId, model)
    if (model.wireId !== model.sideId) aliases.set(model.wireId, model.sideId)
    snapshots.set(model.sideId, toSnapshot(model, snapshots.get(model.sideId)))
    refresh(model.parent.sessionId)
    dirty = true
  }

  function refresh(parentSessionId: string): void {
    const shelf = store.shelf(parentSessionId)
    const known = (kind: SideKind): readonly string[] => shelf[kind].filter((id) => snapshots.has(id))
    const present = { ...shelf, btw: known('btw'), side: known('side') }
    const read = (id: string): SideSnapshot => snapshots.get(id) as SideSnapshot
    sidesOf.set(parentSessionId, toSidesSnapshot(present, read, store.sides(parentSessionId)))
  }

  function notify(): void {
    for (const listener of [...listeners]) {
      try {
        listener()
      } catch (error) {
        // A bad listener harms only itself; its error still reaches the page's error reporting.
        globalThis.reportError?.(error)
      }
    }
  }

  return store
}
