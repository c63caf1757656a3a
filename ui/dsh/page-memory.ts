/** What a page remembers of its sides over a reload (D7): ids, secrets and chosen models, never a question or an answer. It lives in the
 *  tab's own storage, so that no other tab has it. */

import type { ModelRoute, ParentRef, SideKind } from '../../src/wire/index.ts'

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

export interface PageMemory {
  /** The sides from before the reload; whatever is not of our shape is ignored. */
  read(): Remembered[]
  /** Remembers exactly these. A browser that stores nothing brings nothing back; everything else works. */
  write(sides: readonly Remembered[]): void
}

const KEY = 'sidemind-sides'

/** @param storage the tab's own storage, or null where the browser forbids it. */
export function pageMemory(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null): PageMemory {
  return {
    read() {
      try {
        const value: unknown = JSON.parse(storage?.getItem(KEY) ?? '[]')
        return Array.isArray(value) ? value.filter(isRemembered) : []
      } catch {
        return []
      }
    },
    write(sides) {
      const kept = sides.map(({ boot, sideId, secret, kind, parent, from }) => ({
        boot,
        sideId,
        secret,
        kind,
        parent,
        from,
      }))
      try {
        if (kept.length === 0) storage?.removeItem(KEY)
        else storage?.setItem(KEY, JSON.stringify(kept))
      } catch {
        // Full, or forbidden.
      }
    },
  }
}

const ROUTES = 'sidemind-models'

/** Models that new sides of a conversation begin with; names alone. */
export function routeMemory(storage: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null): {
  read(): Record<string, ModelRoute>
  write(routes: Readonly<Record<string, ModelRoute>>): void
} {
  return {
    read() {
      try {
        const value: unknown = JSON.parse(storage?.getItem(ROUTES) ?? '{}')
        if (typeof value !== 'object' || value === null) return {}
        return Object.fromEntries(
          Object.entries(value).filter((entry): entry is [string, ModelRoute] => isRoute(entry[1])),
        )
      } catch {
        return {}
      }
    },
    write(routes) {
      try {
        if (Object.keys(routes).length === 0) storage?.removeItem(ROUTES)
        else storage?.setItem(ROUTES, JSON.stringify(routes))
      } catch {
        // Full, or forbidden.
      }
    },
  }
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
