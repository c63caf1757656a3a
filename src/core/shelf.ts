/** Which sides exist per parent: their order, how many fit, what ended lately, and the undo of a close. Pure.
 *  Whether a step is legal for one side is machine.ts; children and timers are none of its business. */

import type { ExpiryReason, SideIdentity, SideKind } from './contract.ts'
import { assertNever } from './errors.ts'
import type { Limits } from './limits.ts'

export interface ShelfEntry {
  readonly identity: SideIdentity
  readonly kind: SideKind
  /** A turn runs, or (for `btw`) is about to because its first one has not been sent yet. */
  readonly answering: boolean
  /** Clock time at which a closed but undoable side ends; null while it is open. */
  readonly hiddenUntil: number | null
}

/** A side that ended. */
export interface ShelfRecent {
  readonly identity: SideIdentity
  readonly kind: SideKind
  readonly endedAt: number
  /** Absent when it was closed. */
  readonly reason?: ExpiryReason
}

export interface Shelf {
  /** In the order of opening. */
  readonly entries: readonly ShelfEntry[]
  /** Newest first, at most RECENT_PER_SOURCE of one parent and RECENT_PER_HOST in all. */
  readonly recent: readonly ShelfRecent[]
}

export type ShelfMove =
  | { readonly type: 'place'; readonly identity: SideIdentity; readonly kind: SideKind }
  | { readonly type: 'answering'; readonly identity: SideIdentity; readonly answering: boolean }
  | { readonly type: 'hide'; readonly identity: SideIdentity; readonly until: number }
  | { readonly type: 'reopen'; readonly identity: SideIdentity }
  /** A `btw` is a `side` from now on. */
  | { readonly type: 'promote'; readonly identity: SideIdentity }
  /** The side ended. Without `endedAt` it never really began and leaves nothing in `recent`. */
  | {
      readonly type: 'remove'
      readonly identity: SideIdentity
      readonly endedAt?: number
      readonly reason?: ExpiryReason
    }

export const EMPTY_SHELF: Shelf = { entries: [], recent: [] }

const RECENT_PER_SOURCE = 20
const RECENT_PER_HOST = 320

/** The shelf after one move; `shelf` itself when nothing changed. */
export function arrange(shelf: Shelf, move: ShelfMove): Shelf {
  switch (move.type) {
    case 'place': {
      const entry: ShelfEntry = {
        identity: move.identity,
        kind: move.kind,
        answering: move.kind === 'btw',
        hiddenUntil: null,
      }
      return { ...shelf, entries: [...shelf.entries, entry] }
    }
    case 'answering':
      return changed(shelf, move.identity, (entry) =>
        entry.answering === move.answering ? entry : { ...entry, answering: move.answering },
      )
    case 'hide':
      return changed(shelf, move.identity, (entry) => ({ ...entry, hiddenUntil: move.until }))
    case 'reopen':
      return changed(shelf, move.identity, (entry) =>
        entry.hiddenUntil === null ? entry : { ...entry, hiddenUntil: null },
      )
    case 'promote':
      return changed(shelf, move.identity, (entry) => (entry.kind === 'side' ? entry : { ...entry, kind: 'side' }))
    case 'remove': {
      const entry = shelf.entries.find((one) => sameSide(one.identity, move.identity))
      if (entry === undefined) return shelf
      const entries = shelf.entries.filter((one) => one !== entry)
      if (move.endedAt === undefined) return { ...shelf, entries }
      const { identity, kind } = entry
      const ended: ShelfRecent = {
        identity,
        kind,
        endedAt: move.endedAt,
        ...(move.reason === undefined ? {} : { reason: move.reason }),
      }
      return { entries, recent: bounded([ended, ...shelf.recent]) }
    }
    default:
      return assertNever(move)
  }
}

/** Whether one more side of `kind` fits beside this source's others (O11, D8, D10), and which hidden sides must end
 *  now to make place: undo is a courtesy and never the reason for a refusal. */
export function admit(
  shelf: Shelf,
  source: Pick<SideIdentity, 'workspaceId' | 'sourceSessionId'>,
  kind: SideKind,
  limits: Pick<Limits, 'sidesPerSource' | 'sidesPerHost' | 'parallelBtw'>,
): { readonly admitted: boolean; readonly evict: readonly SideIdentity[] } {
  const beside = shelf.entries.filter((entry) => sameSource(entry.identity, source))
  const open = (entries: readonly ShelfEntry[]): number => entries.filter((entry) => entry.hiddenUntil === null).length
  const answering = beside.filter(
    (entry) => entry.kind === 'btw' && entry.answering && entry.hiddenUntil === null,
  ).length
  if (
    open(beside) >= limits.sidesPerSource ||
    open(shelf.entries) >= limits.sidesPerHost ||
    (kind === 'btw' && answering >= limits.parallelBtw)
  ) {
    return { admitted: false, evict: [] }
  }
  const evict = new Set<ShelfEntry>()
  const makePlace = (entries: readonly ShelfEntry[], limit: number): void => {
    const alive = entries.filter((entry) => !evict.has(entry))
    const hidden = alive
      .filter((entry) => entry.hiddenUntil !== null)
      .toSorted((a, b) => (a.hiddenUntil ?? 0) - (b.hiddenUntil ?? 0))
    for (const entry of hidden.slice(0, Math.max(0, alive.length + 1 - limit))) evict.add(entry)
  }
  makePlace(beside, limits.sidesPerSource)
  makePlace(shelf.entries, limits.sidesPerHost)
  return { admitted: true, evict: [...evict].map((entry) => entry.identity) }
}

function changed(shelf: Shelf, identity: SideIdentity, change: (entry: ShelfEntry) => ShelfEntry): Shelf {
  const index = shelf.entries.findIndex((entry) => sameSide(entry.identity, identity))
  const before = shelf.entries[index]
  if (before === undefined) return shelf
  const after = change(before)
  return after === before ? shelf : { ...shelf, entries: shelf.entries.with(index, after) }
}

function bounded(recent: readonly ShelfRecent[]): readonly ShelfRecent[] {
  const newest = recent[0]
  let beside = 0
  const kept = recent.filter(
    (one) => newest === undefined || !sameSource(one.identity, newest.identity) || ++beside <= RECENT_PER_SOURCE,
  )
  return kept.slice(0, RECENT_PER_HOST)
}

function sameSource(
  a: Pick<SideIdentity, 'workspaceId' | 'sourceSessionId'>,
  b: Pick<SideIdentity, 'workspaceId' | 'sourceSessionId'>,
): boolean {
  return a.workspaceId === b.workspaceId && a.sourceSessionId === b.sourceSessionId
}

/** Whether two identities name one Side: same id, source and request (T1). */
export function sameSide(a: SideIdentity, b: SideIdentity): boolean {
  return sameSource(a, b) && a.sideSessionId === b.sideSessionId && a.requestId === b.requestId
}
