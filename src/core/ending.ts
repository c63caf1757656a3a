/** Every way in which a Side ends: closed, hidden and perhaps reopened, expired, lost with its source or provider (T7-T9).
 *  The child itself is released through the sweeper, which owns it until it is verified gone. */

import type { ExpiryReason, SideIdentity } from './contract.ts'
import { sideKey, sourceKey } from './keys.ts'
import type { Leases } from './leases.ts'
import type { Limits } from './limits.ts'
import type { KeyedLocks } from './lock.ts'
import { activeTurn, isOver } from './machine.ts'
import { live, type Registry, type SideRecord } from './registry.ts'
import type { Sweeper } from './sweeper.ts'
import type { Turns } from './turns.ts'
import type { CloseReceipt } from './verbs.ts'

export interface Ending {
  close(identity: SideIdentity, keepForMs: number): Promise<CloseReceipt>
  reopen(identity: SideIdentity): Promise<void>
  /** Ends a side whose undo window is over, unless it was reopened. */
  endHidden(identity: SideIdentity): Promise<void>
  /** Publishes the end now; the promise is the release of the child. */
  expire(record: SideRecord, reason: ExpiryReason): Promise<void>
  /** Ends every side of a source once no open of it is in flight any more. */
  sourceClosed(source: Pick<SideIdentity, 'workspaceId' | 'sourceSessionId'>): Promise<void>
}

export interface EndingParts {
  readonly registry: Registry
  readonly locks: KeyedLocks
  readonly turns: Turns
  readonly sweeper: Sweeper
  readonly leases: Leases
  readonly limits: Limits
  readonly now: () => number
}

export function createEnding({ registry, locks, turns, sweeper, leases, limits, now }: EndingParts): Ending {
  async function close(identity: SideIdentity, keepForMs: number): Promise<CloseReceipt> {
    const release = await locks.acquire([sideKey(identity)])
    try {
      const record = registry.get(identity)
      if (record === undefined) return { found: false, hidden: false, cleanupPending: sweeper.owns(sideKey(identity)) }
      const keep = Math.min(keepForMs, limits.undoMs)
      if (keep > 0) return await hide(record, now() + keep)
      return await end(record)
    } finally {
      release()
    }
  }

  async function hide(record: SideRecord, until: number): Promise<CloseReceipt> {
    if (record.state.phase !== 'hidden') {
      registry.hide(record, until)
      leases.hide(record, until)
      await turns.quiesce(live(record))
    }
    return { found: true, hidden: !isOver(record.state), cleanupPending: sweeper.owns(sideKey(record.identity)) }
  }

  async function end(found: SideRecord): Promise<CloseReceipt> {
    const record = live(found)
    registry.step(record, { type: 'close' })
    registry.publish(record, { eventType: 'state_patch', data: { lifecycleStatus: 'closing' } })
    await turns.quiesce(record)
    const gone = await sweeper.release(record.child)
    // The provider may have been lost meanwhile; then the end is told already.
    if (!isOver(record.state)) {
      registry.step(record, { type: 'closed' })
      registry.publish(record, { eventType: 'state_patch', data: { lifecycleStatus: 'closed' } })
      registry.forget(record)
    }
    return { found: true, hidden: false, cleanupPending: !gone }
  }

  async function expire(record: SideRecord, reason: ExpiryReason): Promise<void> {
    const { child } = record
    if (isOver(record.state) || child === null) return
    const turnId = activeTurn(record.state)
    registry.step(record, { type: 'expire', reason })
    if (turnId !== null) {
      registry.publish(record, {
        eventType: 'state_patch',
        data: { turn: { turnId, phase: 'settled', outcome: 'interrupted', at: now() } },
      })
    }
    registry.publish(record, { eventType: 'state_patch', data: { lifecycleStatus: 'expired', reason } })
    registry.forget(record, reason)
    await sweeper.release(child)
  }

  return {
    close,
    expire,
    async endHidden(identity) {
      const release = await locks.acquire([sideKey(identity)])
      try {
        const record = registry.get(identity)
        // It may have been brought back while this waited.
        if (record?.state.phase === 'hidden') await end(record)
      } finally {
        release()
      }
    },
    async reopen(identity) {
      const release = await locks.acquire([sideKey(identity)])
      try {
        registry.reopen(live(registry.get(identity)))
      } finally {
        release()
      }
    },
    async sourceClosed(source) {
      const release = await locks.acquire([sourceKey(source)])
      try {
        const beside = registry.all().filter((record) => sourceKey(record.identity) === sourceKey(source))
        await Promise.all(beside.map((record) => expire(record, 'source_gone')))
      } finally {
        release()
      }
    },
  }
}
