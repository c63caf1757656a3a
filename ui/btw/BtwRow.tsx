/** The one quiet line that a `/btw` leaves in main's transcript (D14). */

import type { JSX } from 'react'
import type { SideRuntime } from '../data/runtime.ts'

export interface BtwRowProps {
  readonly runtime: SideRuntime
  /** The id from the command's result; null when it holds none. Never shown. */
  readonly sideId: string | null
  /** Reveals the overlay after the store was told to show this question. */
  readonly onOpen?: () => void
}

export function BtwRow(_props: BtwRowProps): JSX.Element {
  return <></>
}
