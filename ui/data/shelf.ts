/** Which sides belong to one parent conversation, in which order, and which of them is shown. Pure. */

import type { SideKind } from '../../src/wire/index.ts'
import { sameFields, sameItems } from './same.ts'
import { NO_SIDES } from './snapshot.ts'
import type { RecentSide, SideSnapshot, SidesSnapshot } from './snapshot.ts'

const RECENT_MOST = 20

export interface Shelf {
  readonly btw: readonly string[]
  readonly side: readonly string[]
  readonly shownBtw: string | null
  readonly shownSide: string | null
  readonly recent: readonly RecentSide[]
  readonly reading: string | null
  readonly sought: SidesSnapshot['sought']
}

export const EMPTY_SHELF: Shelf = {
  btw: [],
  side: [],
  shownBtw: null,
  shownSide: null,
  recent: [],
  reading: null,
  sought: null,
}

const SHOWN = { btw: 'shownBtw', side: 'shownSide' } as const

/** Adds at the end, or where `before` is named in the place of that side, and shows it. */
export function put(shelf: Shelf, kind: SideKind, sideId: string, instead?: string): Shelf {
  const at = instead === undefined ? -1 : shelf[kind].indexOf(instead)
  const ids = at === -1 ? [...shelf[kind], sideId] : shelf[kind].with(at, sideId)
  return { ...shelf, [kind]: ids, [SHOWN[kind]]: sideId }
}

export function remove(shelf: Shelf, kind: SideKind, sideId: string): Shelf {
  if (!shelf[kind].includes(sideId)) return shelf
  return { ...hide(shelf, kind, sideId, () => true), [kind]: shelf[kind].filter((id) => id !== sideId) }
}

export function show(shelf: Shelf, kind: SideKind, sideId: string): Shelf {
  return shelf[SHOWN[kind]] === sideId || !shelf[kind].includes(sideId) ? shelf : { ...shelf, [SHOWN[kind]]: sideId }
}

/** Shows a closed side's text: a `/btw` in the overlay, a `/side` where an empty one stands. */
export function read(shelf: Shelf, sideId: string): Shelf {
  const side = shelf.recent.find((one) => one.sideId === sideId)
  if (side === undefined) return shelf
  return side.kind === 'btw' ? { ...shelf, shownBtw: sideId } : { ...shelf, reading: sideId }
}

/** Leaves a closed side's text. */
export function leave(shelf: Shelf, sideId: string): Shelf {
  return {
    ...shelf,
    shownBtw: shelf.shownBtw === sideId ? (shelf.btw.at(-1) ?? null) : shelf.shownBtw,
    reading: shelf.reading === sideId ? null : shelf.reading,
  }
}

/** Remembers where a search led. */
export function seek(shelf: Shelf, sideId: string, turnId: string): Shelf {
  return { ...shelf, sought: { sideId, turnId, times: (shelf.sought?.times ?? 0) + 1 } }
}

/** Shows a neighbour instead of `sideId`: the one before it, else the one after it, among those that `open` allows. */
export function hide(shelf: Shelf, kind: SideKind, sideId: string, open: (id: string) => boolean): Shelf {
  if (shelf[SHOWN[kind]] !== sideId) return shelf
  const ids = shelf[kind].filter((id) => id === sideId || open(id))
  const at = ids.indexOf(sideId)
  return { ...shelf, [SHOWN[kind]]: ids[at - 1] ?? ids[at + 1] ?? null }
}

export function remember(shelf: Shelf, side: RecentSide): Shelf {
  return {
    ...shelf,
    recent: [side, ...shelf.recent.filter((other) => other.sideId !== side.sideId)].slice(0, RECENT_MOST),
  }
}

export function forget(shelf: Shelf, sideId: string): Shelf {
  const recent = shelf.recent.filter((side) => side.sideId !== sideId)
  if (recent.length === shelf.recent.length) return shelf
  return {
    ...shelf,
    recent,
    shownBtw: shelf.shownBtw === sideId ? (shelf.btw.at(-1) ?? null) : shelf.shownBtw,
    reading: shelf.reading === sideId ? null : shelf.reading,
  }
}

/** The snapshot of a shelf; `previous` itself when nothing in it has changed. */
export function toSidesSnapshot(
  shelf: Shelf,
  side: (id: string) => SideSnapshot,
  previous: SidesSnapshot,
): SidesSnapshot {
  const btw = shelf.btw.map(side)
  const sides = shelf.side.map(side)
  const isClosing = (one: SideSnapshot): boolean => one.status.phase === 'closing'
  const closing = [...btw, ...sides].filter(isClosing).toSorted((a, b) => until(a) - until(b))
  const next: SidesSnapshot = {
    btw: keep(
      btw.filter((one) => !isClosing(one)),
      previous.btw,
    ),
    side: keep(
      sides.filter((one) => !isClosing(one)),
      previous.side,
    ),
    closing: keep(closing, previous.closing),
    recent: shelf.recent,
    shownBtw: shelf.shownBtw,
    shownSide: shelf.shownSide,
    reading: shelf.reading,
    sought: shelf.sought,
  }
  if (btw.length + sides.length + shelf.recent.length === 0) return NO_SIDES
  return sameFields(next, previous) ? previous : next
}

function keep<T>(next: readonly T[], previous: readonly T[]): readonly T[] {
  return sameItems(next, previous) ? previous : next
}

function until(side: SideSnapshot): number {
  return side.status.phase === 'closing' ? side.status.until : 0
}
