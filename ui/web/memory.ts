/** What the service's page remembers of its sides. */

import type { ForkFacts, ParentRef, SideKind } from '../../src/wire/index.ts'
import { sidesMemory, type TabMemory, type TabStorage } from '../data/tab-memory.ts'

/** What outlives a reload. */
export interface Remembered {
  readonly sideId: string
  readonly requestId: string
  readonly kind: SideKind
  readonly parent: ParentRef
  readonly facts: ForkFacts
}

export function pageMemory(storage: TabStorage): TabMemory<readonly Remembered[]> {
  return sidesMemory(storage, isRemembered, ({ sideId, requestId, kind, parent, facts }) => ({
    sideId,
    requestId,
    kind,
    parent,
    facts,
  }))
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
