/** Which sides live now: the records, the shelf that counts them, and the only place where an event gets its
 *  sequence. Holds the state; the order of steps is opening.ts, turns.ts and ending.ts. */

import type { Background } from './background.ts'
import { createChannel } from './channel.ts'
import {
  NO_CAPABILITIES,
  type Capabilities,
  type Envelope,
  type ExpiryReason,
  type OpenSide,
  type SideEvent,
  type SideIdentity,
  type SideKind,
} from './contract.ts'
import { SideError } from './errors.ts'
import { createGate, type Gate } from './gate.ts'
import { createLedger, type InteractionLedger } from './interactions.ts'
import { sideKey } from './keys.ts'
import type { Limits } from './limits.ts'
import { activeTurn, advance, isOver, type SideState, type SideStep } from './machine.ts'
import { admit, arrange, EMPTY_SHELF, sameSide, type Shelf } from './shelf.ts'
import type { CancelReceipt, SendReceipt } from './verbs.ts'

/** One Side while it lives. Only registry.ts changes `state` and `sequence`. */
export interface SideRecord {
  readonly identity: SideIdentity
  /** Changes once, from `btw` to `side` (registry.promote). */
  kind: SideKind
  readonly gate: Gate
  readonly ledger: InteractionLedger
  /** The first answer to each turn id (T3). */
  readonly receipts: Map<string, Promise<SendReceipt>>
  readonly cancels: Map<string, Promise<CancelReceipt>>
  /** What it is told as a side of that kind; null before it is open. */
  boundaryAs: ((kind: SideKind) => string) | null
  state: SideState
  sequence: number
  child: OpenSide | null
  capabilities: Capabilities
}

/** Ids of ended sides and children that the scope guard still knows. */
const REMEMBERED_IDS = 1_024

export interface Registry {
  /** The provisional Side (O5). Throws `limit_reached`; `evict` names hidden sides that must end to make place. */
  reserve(
    identity: SideIdentity,
    kind: SideKind,
    onOverflow: () => void,
  ): { readonly record: SideRecord; readonly evict: readonly SideIdentity[] }
  /** The record of exactly this Side, whatever its phase, or undefined (T1). */
  get(identity: SideIdentity): SideRecord | undefined
  /** Whatever lives under this side id. */
  at(key: string): SideRecord | undefined
  /** Records in the order of opening. */
  all(): readonly SideRecord[]
  /** Takes a step. Throws what machine.ts throws; then nothing has changed. */
  step(record: SideRecord, step: SideStep): void
  hide(record: SideRecord, until: number): void
  /** Throws `limit_reached` unless one more turn of this side may run beside the others (D8). */
  admitTurn(record: SideRecord): void
  /** Brings a hidden side back. Throws `limit_reached` when its place was taken, `expired` when it is over. */
  reopen(record: SideRecord): void
  /** The Side is a `side` from now on. */
  promote(record: SideRecord, child: OpenSide): void
  /** Publishes now, gate or not. */
  publish(record: SideRecord, event: SideEvent): void
  /** Drops the Side. It is remembered as ended only if it ever was open. */
  forget(record: SideRecord, reason?: ExpiryReason): void
  /** Whether exactly this Side expired a while ago; it is never resumed (T9). */
  hasExpired(identity: SideIdentity): boolean
  isSide(sessionId: string): boolean
  subscribe(listener: (envelope: Envelope) => void): () => void
}

export interface RegistryOptions {
  readonly limits: Limits
  readonly now: () => number
  readonly background: Background
  /** Called after every step that changed something. */
  readonly onStep: (record: SideRecord) => void
}

export function createRegistry({ limits, now, background, onStep }: RegistryOptions): Registry {
  const records = new Map<string, SideRecord>()
  const pastIds = new Set<string>()
  let shelf: Shelf = EMPTY_SHELF
  const channel = createChannel((error) => background.report({ kind: 'listener_failed', error }))

  function step(record: SideRecord, one: SideStep): void {
    const next = advance(record.state, one)
    if (next === record.state) return
    record.state = next
    // A `/btw` counts as answering from its reservation on; being open and not asked yet does not change that.
    if (one.type !== 'opened')
      shelf = arrange(shelf, { type: 'answering', identity: record.identity, answering: activeTurn(next) !== null })
    onStep(record)
  }

  function publish(record: SideRecord, event: SideEvent): void {
    if (event.eventType === 'state_patch') {
      const { turn, interaction } = event.data
      if (interaction !== undefined) record.ledger.observe(interaction)
      if (turn !== undefined) {
        if (turn.phase === 'settled') record.ledger.settled(turn.turnId)
        step(record, { type: 'turn', turnId: turn.turnId, phase: turn.phase })
      }
    }
    const { workspaceId, sourceSessionId, sideSessionId } = record.identity
    record.sequence += 1
    channel.publish({ ...event, workspaceId, sourceSessionId, sideSessionId, sequence: record.sequence })
  }

  function admitBesideOthers(record: SideRecord, kind: SideKind): void {
    const others = arrange(shelf, { type: 'remove', identity: record.identity })
    if (!admit(others, record.identity, kind, limits).admitted) {
      throw new SideError('limit_reached', `no place for ${record.kind} ${record.identity.sideSessionId}`)
    }
  }

  function remember(sessionId: string): void {
    pastIds.delete(sessionId)
    pastIds.add(sessionId)
    for (const oldest of pastIds) {
      if (pastIds.size <= REMEMBERED_IDS) return
      pastIds.delete(oldest)
    }
  }

  return {
    reserve(identity, kind, onOverflow) {
      const { admitted, evict } = admit(shelf, identity, kind, limits)
      if (!admitted)
        throw new SideError('limit_reached', `no place for one more ${kind} beside ${identity.sourceSessionId}`)
      const record: SideRecord = {
        identity,
        kind,
        gate: createGate(limits.openBuffer, (event) => publish(record, event), onOverflow),
        ledger: createLedger(),
        receipts: new Map(),
        cancels: new Map(),
        boundaryAs: null,
        state: { phase: 'opening' },
        sequence: 0,
        child: null,
        capabilities: NO_CAPABILITIES,
      }
      records.set(sideKey(identity), record)
      shelf = arrange(shelf, { type: 'place', identity, kind })
      return { record, evict }
    },
    get(identity) {
      const record = records.get(sideKey(identity))
      return record !== undefined && sameSide(record.identity, identity) ? record : undefined
    },
    at: (key) => records.get(key),
    all: () => [...records.values()],
    step,
    hide(record, until) {
      step(record, { type: 'hide' })
      shelf = arrange(shelf, { type: 'hide', identity: record.identity, until })
    },
    admitTurn(record) {
      if (record.kind === 'btw') admitBesideOthers(record, 'btw')
    },
    reopen(record) {
      // Only its place is asked for: coming back starts no turn.
      if (record.state.phase === 'hidden') admitBesideOthers(record, 'side')
      step(record, { type: 'reopen' })
      shelf = arrange(shelf, { type: 'reopen', identity: record.identity })
    },
    promote(record, child) {
      record.kind = 'side'
      record.child = child
      shelf = arrange(shelf, { type: 'promote', identity: record.identity })
    },
    publish,
    forget(record, reason) {
      record.gate.shut()
      records.delete(sideKey(record.identity))
      shelf = arrange(shelf, {
        type: 'remove',
        identity: record.identity,
        ...(record.child === null ? {} : { endedAt: now() }),
        ...(reason === undefined ? {} : { reason }),
      })
      remember(record.identity.sideSessionId)
      if (record.child !== null) remember(record.child.providerSessionId)
    },
    hasExpired: (identity) => shelf.recent.some((one) => one.reason !== undefined && sameSide(one.identity, identity)),
    isSide: (sessionId) =>
      pastIds.has(sessionId) ||
      [...records.values()].some(
        (one) => one.identity.sideSessionId === sessionId || one.child?.providerSessionId === sessionId,
      ),
    subscribe: channel.subscribe,
  }
}

/** The record if it can be driven: throws `in_progress` while it opens and `expired` when it is over. */
export function live(record: SideRecord | undefined): SideRecord & { readonly child: OpenSide } {
  if (record?.state.phase === 'opening')
    throw new SideError('in_progress', `side ${record.identity.sideSessionId} is opening`)
  if (record === undefined || isOver(record.state) || !hasChild(record))
    throw new SideError('expired', 'no such side is live')
  return record
}

function hasChild(record: SideRecord): record is SideRecord & { readonly child: OpenSide } {
  return record.child !== null
}
