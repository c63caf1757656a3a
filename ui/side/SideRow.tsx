/** The one quiet line that a `/side` leaves in main's transcript (D14). */

import type { JSX } from 'react'
import type { SideRuntime } from '../data/runtime.ts'

export interface SideRowProps {
  readonly runtime: SideRuntime
  /** The id from the command's result; null when it holds none. Never shown. */
  readonly sideId: string | null
  /** Opens or reveals the tab of this side (the store's own id is passed). */
  readonly onOpen: (sideId: string) => void
}

export function SideRow(_props: SideRowProps): JSX.Element {
  return <></>
}
