/** How a consumer takes published events (E2): in order, each once, from the right source, or not at all. Pure.
 *  Who acts on `expire` also ends the Side remotely (SideController.expire). */

import type { Envelope, ExpiryReason, SideIdentity } from './contract.ts'

/** Where a consumer stands. */
export interface IntakeCursor {
  readonly side: Pick<SideIdentity, 'workspaceId' | 'sourceSessionId' | 'sideSessionId'>
  /** Sequence of the last event applied; 0 before the first. */
  readonly last: number
  /** Nothing is taken any more. */
  readonly ended: boolean
}

export interface Intake {
  readonly verdict: 'apply' | 'ignore' | 'expire'
  /** With `expire` only. */
  readonly reason?: ExpiryReason
  readonly cursor: IntakeCursor
}

/** What to do with `envelope`. One for another side id is none of this consumer's business and ignored. */
export function takeIn(cursor: IntakeCursor, envelope: Envelope): Intake {
  const { side, last, ended } = cursor
  if (ended || envelope.sideSessionId !== side.sideSessionId) return { verdict: 'ignore', cursor }
  if (envelope.sourceSessionId !== side.sourceSessionId || envelope.workspaceId !== side.workspaceId)
    return broken(cursor, 'identity_mismatch')
  if (!Number.isSafeInteger(envelope.sequence)) return broken(cursor, 'sequence_gap')
  if (envelope.sequence <= last) return { verdict: 'ignore', cursor }
  if (envelope.sequence !== last + 1) return broken(cursor, 'sequence_gap')
  const status = envelope.eventType === 'state_patch' ? envelope.data.lifecycleStatus : undefined
  return {
    verdict: 'apply',
    cursor: { side, last: envelope.sequence, ended: status === 'closed' || status === 'expired' },
  }
}

function broken(cursor: IntakeCursor, reason: ExpiryReason): Intake {
  return { verdict: 'expire', reason, cursor: { ...cursor, ended: true } }
}
