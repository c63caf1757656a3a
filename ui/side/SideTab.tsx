/** One `/side` conversation, as a tab's body: where it comes from, transcript, queue, composer. Fills its parent
 *  (height 100 %). Which tab is on screen is the host's or the drawer's. */

import type { JSX } from 'react'
import type { SideRuntime } from '../data/runtime.ts'
import type { MainActivity } from './MainLine.tsx'

export interface SideTabProps {
  readonly runtime: SideRuntime
  readonly sideId: string
  /** Whether a person can see this tab now. */
  readonly visible: boolean
  /** Puts the caret into the composer when the tab mounts; default true for a draft, false otherwise. */
  readonly autoFocus?: boolean
  /** What main is doing, for the quiet live line; null or absent hides it. */
  readonly main?: MainActivity | null
  /** Puts text into main's draft; without it the action is not offered. */
  readonly bringBack?: (markdown: string) => void
}

export function SideTab(_props: SideTabProps): JSX.Element {
  return <></>
}
