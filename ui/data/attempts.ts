/** Attempts at one question: the newest is the turn that is read, those before it can be flipped through. Pure. */

import type { TranscriptTurn } from '../../src/wire/index.ts'
import { sameItems } from './same.ts'

/** Earlier attempts, oldest first, by the id of the newest one. */
export type Earlier = Readonly<Record<string, readonly TranscriptTurn[]>>

export const NO_EARLIER: Earlier = {}

export interface Folded {
  readonly turns: readonly TranscriptTurn[]
  readonly earlier: Earlier
}

/** Takes every turn that was asked again right after itself out of `turns`.
 *  @param again the turn that each attempt repeats, by the attempt's id.
 *  @param before attempts that an earlier side made at the first question.
 *  @param previous its parts are reused where they say the same. */
export function foldAttempts(
  turns: readonly TranscriptTurn[],
  again: Readonly<Record<string, string>>,
  before: readonly TranscriptTurn[],
  previous: Folded,
): Folded {
  const read: TranscriptTurn[] = []
  const found: Record<string, readonly TranscriptTurn[]> = {}
  for (const turn of turns) {
    const last = read.at(-1)
    if (last !== undefined && again[turn.turnId] === last.turnId) {
      read.pop()
      found[turn.turnId] = [...(found[last.turnId] ?? []), last]
      delete found[last.turnId]
    } else if (read.length === 0 && before.length > 0) {
      found[turn.turnId] = before
    }
    read.push(turn)
  }
  // A retry that was given up: what it would have replaced is read again.
  const last = read.length === 0 ? before.at(-1) : undefined
  if (last !== undefined) {
    read.push(last)
    if (before.length > 1) found[last.turnId] = before.slice(0, -1)
  }
  return {
    turns: sameItems(read, previous.turns) ? previous.turns : read,
    earlier: sameEarlier(found, previous.earlier),
  }
}

function sameEarlier(found: Earlier, previous: Earlier): Earlier {
  const ids = Object.keys(found)
  if (ids.length === 0) return NO_EARLIER
  let same = ids.length === Object.keys(previous).length
  const kept: Record<string, readonly TranscriptTurn[]> = {}
  for (const id of ids) {
    const now = found[id] ?? []
    const was = previous[id]
    const reused = was !== undefined && sameItems(now, was)
    kept[id] = reused ? was : now
    same &&= reused
  }
  return same ? previous : kept
}
