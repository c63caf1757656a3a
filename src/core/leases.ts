/** The clocks of open sides (D7, T10): a client that falls silent, a parked side, and the window of an undo.
 *  An open and visible side never ends by being idle. What a side does is not looked at here beyond its phase. */

import type { Background } from './background.ts'
import type { ExpiryReason } from './contract.ts'
import type { Limits } from './limits.ts'
import type { SideRecord } from './registry.ts'

/** Browsers slow the timers of hidden pages down to once a minute or less. */
const HIDDEN_PAGE_LEASE_MS = 5 * 60_000

export interface Leases {
  /** Looks at a side whose phase changed: starts, keeps or stops its clocks. */
  review(record: SideRecord): void
  touch(record: SideRecord, visible: boolean): void
  /** While held, the client counts as present. */
  hold(record: SideRecord): () => void
  /** Starts the undo window of a side that hides. */
  hide(record: SideRecord, until: number): void
  visible(record: SideRecord): boolean
  /** When a parked or hidden side ends by itself, or null. */
  endsAt(record: SideRecord): number | null
  stop(): void
}

export interface LeasesParts {
  readonly limits: Limits
  readonly now: () => number
  readonly background: Background
  readonly expire: (record: SideRecord, reason: ExpiryReason) => unknown
  readonly endHidden: (record: SideRecord) => unknown
}

interface Timer {
  readonly endsAt: number
  readonly undo: () => void
}

interface Lease {
  visible: boolean
  holds: number
  client: Timer | null
  parked: Timer | null
  hidden: Timer | null
}

export function createLeases({ limits, now, background, expire, endHidden }: LeasesParts): Leases {
  const leases = new Map<SideRecord, Lease>()

  function start(ms: number, step: string, task: () => unknown): Timer {
    return { endsAt: now() + ms, undo: background.after(ms, step, task) }
  }

  function clear(lease: Lease, which: 'client' | 'parked' | 'hidden'): void {
    lease[which]?.undo()
    lease[which] = null
  }

  /** The client has to say something again before this runs out. */
  function renew(record: SideRecord, lease: Lease): void {
    clear(lease, 'client')
    if (lease.holds > 0) return
    const ms = lease.visible ? limits.lostClientMs : HIDDEN_PAGE_LEASE_MS
    lease.client = start(ms, 'lost client', () => expire(record, 'client_lost'))
  }

  function park(record: SideRecord, lease: Lease): void {
    if (lease.visible || record.state.phase !== 'idle') clear(lease, 'parked')
    else lease.parked ??= start(limits.parkedMs, 'parked', () => expire(record, 'parked_too_long'))
  }

  function review(record: SideRecord): void {
    const { phase } = record.state
    const lease = leases.get(record) ?? { visible: true, holds: 0, client: null, parked: null, hidden: null }
    leases.set(record, lease)
    if (phase !== 'hidden') clear(lease, 'hidden')
    if (isOpen(record)) {
      if (lease.client === null) renew(record, lease)
      park(record, lease)
      return
    }
    clear(lease, 'client')
    clear(lease, 'parked')
    if (phase === 'closed' || phase === 'expired') leases.delete(record)
  }

  return {
    review,
    touch(record, visible) {
      const lease = leases.get(record)
      if (lease === undefined) return
      lease.visible = visible
      if (!isOpen(record)) return
      renew(record, lease)
      park(record, lease)
    },
    hold(record) {
      const lease = leases.get(record)
      if (lease === undefined) return () => undefined
      let held = true
      lease.holds += 1
      clear(lease, 'client')
      return () => {
        if (!held) return
        held = false
        lease.holds -= 1
        if (lease.holds > 0 || !leases.has(record) || !isOpen(record)) return
        lease.client = start(limits.lostClientMs, 'lost client', () => expire(record, 'client_lost'))
      }
    },
    hide(record, until) {
      const lease = leases.get(record)
      if (lease === undefined) return
      lease.hidden = start(Math.max(0, until - now()), 'undo window', () => endHidden(record))
    },
    visible: (record) => leases.get(record)?.visible ?? false,
    endsAt(record) {
      const lease = leases.get(record)
      return lease?.hidden?.endsAt ?? lease?.parked?.endsAt ?? null
    },
    stop() {
      for (const lease of leases.values())
        for (const which of ['client', 'parked', 'hidden'] as const) clear(lease, which)
    },
  }
}

function isOpen(record: SideRecord): boolean {
  return record.state.phase === 'idle' || record.state.phase === 'answering'
}
