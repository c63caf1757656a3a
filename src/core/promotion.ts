/** Makes a `btw` a `side` while it lives. Holds the side's lock meanwhile, so that it can neither be closed nor opened
 *  half-way; its turn goes on. */

import type { SideProvider } from './contract.ts'
import { SideError } from './errors.ts'
import { sideKey } from './keys.ts'
import type { KeyedLocks } from './lock.ts'
import { isOver } from './machine.ts'
import type { Registry } from './registry.ts'
import type { LiveRecord } from './turns.ts'

export interface Promotion {
  /** @param target the side to drive, looked up anew once it is locked; throws when there is none. */
  promote(target: () => LiveRecord): Promise<void>
}

export interface PromotionParts {
  readonly provider: Pick<SideProvider, 'promote'>
  readonly registry: Pick<Registry, 'promote'>
  readonly locks: KeyedLocks
}

export function createPromotion({ provider, registry, locks }: PromotionParts): Promotion {
  return {
    async promote(target) {
      const release = await locks.acquire([sideKey(target().identity)])
      try {
        const record = target()
        const { child, boundaryAs } = record
        if (record.kind === 'side' || boundaryAs === null) return
        await provider.promote(child, boundaryAs('side'))
        if (isOver(record.state)) throw new SideError('expired', 'the side ended meanwhile')
        registry.promote(record, { ...child, kind: 'side' })
      } finally {
        release()
      }
    },
  }
}
