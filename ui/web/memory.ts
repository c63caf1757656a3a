/** What a page remembers of its sides over a reload (D7): names, times and sizes, never a question or an answer. It lives in
 *  the tab's own storage, so that no other tab has it. */

import type { ForkFacts, ParentRef, SideKind } from '../../src/wire/index.ts'

/** What outlives a reload. */
export interface Remembered {
  readonly sideId: string
  readonly requestId: string
  readonly kind: SideKind
  readonly parent: ParentRef
  readonly facts: ForkFacts
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
      const kept = sides.map(({ sideId, requestId, kind, parent, facts }) => ({
        sideId,
        requestId,
        kind,
        parent,
        facts,
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

function isRemembered(value: unknown): value is Remembered {
  const side = value as Partial<Remembered> | null
  return (
    typeof side?.sideId === 'string' &&
    typeof side.requestId === 'string' &&
    (side.kind === 'btw' || side.kind === 'side') &&
    typeof side.parent?.sessionId === 'string' &&
    typeof side.parent.workspaceId === 'string' &&
    typeof side.facts?.forkedAt === 'number' &&
    Array.isArray(side.facts.tools)
  )
}
