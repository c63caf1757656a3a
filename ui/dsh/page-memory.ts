/** What the host's page remembers of its sides and of the models that were chosen for them. */

import type { ModelRoute, ParentRef, SideKind } from '../../src/wire/index.ts'
import { sidesMemory, tabMemory, type TabMemory, type TabStorage } from '../data/tab-memory.ts'

/** What outlives a reload. */
export interface Remembered {
  /** The life of the host half that opened it; '' until it said so. */
  readonly boot: string
  readonly sideId: string
  readonly secret: string
  readonly kind: SideKind
  readonly parent: ParentRef
  readonly from: number
}

export function pageMemory(storage: TabStorage): TabMemory<readonly Remembered[]> {
  return sidesMemory(storage, isRemembered, ({ boot, sideId, secret, kind, parent, from }) => ({
    boot,
    sideId,
    secret,
    kind,
    parent,
    from,
  }))
}

type Routes = Readonly<Record<string, ModelRoute>>

/** Models that new sides of a conversation begin with; names alone. */
export function routeMemory(storage: TabStorage): TabMemory<Routes> {
  return tabMemory<Routes>(
    storage,
    'sidemind-models',
    (stored) =>
      Object.fromEntries(
        Object.entries(Object(stored)).filter((entry): entry is [string, ModelRoute] => isRoute(entry[1])),
      ),
    (routes) => (Object.keys(routes).length === 0 ? null : routes),
  )
}

function isRoute(value: unknown): value is ModelRoute {
  const route = value as Partial<ModelRoute> | null
  return (
    typeof route?.provider === 'string' &&
    typeof route.model === 'string' &&
    (route.effort === undefined || typeof route.effort === 'string')
  )
}

function isRemembered(value: unknown): value is Remembered {
  const side = value as Partial<Remembered> | null
  return (
    typeof side?.sideId === 'string' &&
    typeof side.secret === 'string' &&
    (side.kind === 'btw' || side.kind === 'side') &&
    typeof side.from === 'number' &&
    typeof side.boot === 'string' &&
    typeof side.parent?.sessionId === 'string'
  )
}
