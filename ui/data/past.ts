/** A `/btw` that was closed, as the card reads it: its text and nothing that can be done to it but asking again. Pure. */

import type { ParentRef } from '../../src/wire/index.ts'
import type { RecentSide, SideSnapshot } from './snapshot.ts'

const made = new WeakMap<RecentSide, SideSnapshot>()

export function pastOf(side: RecentSide, parent: ParentRef): SideSnapshot {
  const known = made.get(side)
  if (known !== undefined) return known
  const past: SideSnapshot = {
    sideId: side.sideId,
    parent,
    kind: side.kind,
    title: side.title,
    status: { phase: 'past' },
    turns: side.turns,
    earlier: side.earlier,
    route: null,
    queue: { messages: [], paused: false },
    notice: null,
    facts: side.facts,
    scope: null,
    connection: 'disposed',
    unread: false,
    endsAt: null,
    askBox: false,
    quote: '',
    catchUp: false,
  }
  made.set(side, past)
  return past
}
