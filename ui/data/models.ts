/** Models that sides may ask, and which one a conversation's new sides begin with. The list is the host's, read when a
 *  picker asks for it; nothing here tells the host anything. */

import type { ModelCatalog, ModelRoute, ParentRef, SideTransport } from '../../src/wire/index.ts'

/** Where a choice outlives a reload of the page: names of models, no text. */
export interface RouteMemory {
  read(): Readonly<Record<string, ModelRoute>>
  write(routes: Readonly<Record<string, ModelRoute>>): void
}

export interface Models {
  subscribe(listener: () => void): () => void
  /** What the host offered last; `NO_MODELS` before it was asked or where it tells nothing. */
  catalogOf(parentSessionId: string): ModelCatalog
  /** Asks the host anew, or only when nothing is known (`once`). A failure keeps what is known. */
  load(parent: ParentRef, once?: boolean): void
  /** What new sides of this conversation ask; null = main's model. */
  remembered(parentSessionId: string): ModelRoute | null
  remember(parentSessionId: string, route: ModelRoute | null): void
}

/** A side's choice of model, as a picker takes it. */
export interface SideModelChoice {
  readonly catalog: ModelCatalog
  /** The person's own choice; null = main's model, or as before. */
  readonly route: ModelRoute | null
  /** What the conversation was asked with so far; null where the next question is a new fork. */
  readonly asked: ModelRoute | null
  /** What the last answer was asked with. */
  readonly used: ModelRoute | null
  /** What new sides of this conversation ask; null = main's model. */
  readonly remembered: ModelRoute | null
  readonly load: (once?: boolean) => void
  readonly pick: (route: ModelRoute | null) => void
  readonly remember: (route: ModelRoute | null) => void
}

export const NO_MODELS: ModelCatalog = { main: null, providers: [] }

export function createModels(transport: Pick<SideTransport, 'models'>, memory: RouteMemory | undefined): Models {
  const catalogs = new Map<string, ModelCatalog>()
  const routes = new Map(Object.entries(memory?.read() ?? {}))
  const asking = new Set<string>()
  const listeners = new Set<() => void>()
  const notify = (): void => {
    for (const listener of listeners) listener()
  }
  return {
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    catalogOf: (parentSessionId) => catalogs.get(parentSessionId) ?? NO_MODELS,
    load(parent, once = false) {
      if (asking.has(parent.sessionId) || (once && catalogs.has(parent.sessionId))) return
      asking.add(parent.sessionId)
      const asked = (): void => void asking.delete(parent.sessionId)
      transport.models(parent).then((catalog) => {
        asked()
        catalogs.set(parent.sessionId, catalog)
        notify()
      }, asked)
    },
    remembered: (parentSessionId) => routes.get(parentSessionId) ?? null,
    remember(parentSessionId, route) {
      if (route === null) routes.delete(parentSessionId)
      else routes.set(parentSessionId, route)
      memory?.write(Object.fromEntries(routes))
      notify()
    },
  }
}
