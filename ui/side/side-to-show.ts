/** Which side a person means who asks for the sides of a conversation. */

import type { ParentRef } from '../../src/wire/index.ts'
import type { SideRuntime } from '../data/runtime.ts'

/** The side whose answer nobody saw, else the one that was shown last, else an empty one. */
export function sideToShow(runtime: SideRuntime, parent: ParentRef): string {
  const { side: sides, shownSide } = runtime.sidesOf(parent.sessionId)
  const unread = sides.find((side) => side.unread)
  const last = sides.find((side) => side.sideId === shownSide) ?? sides.at(-1)
  return (unread ?? last)?.sideId ?? runtime.openDraft(parent, 'side')
}
