/** The `/btw` overlay above main's composer. Owns its keys (Esc, C, arrows) and its focus; what it shows is the
 *  store's. Renders nothing when the parent has no `/btw` and nothing to undo. */

import type { JSX } from 'react'
import type { ParentRef } from '../../src/wire/index.ts'
import type { SideRuntime } from '../data/runtime.ts'

export interface BtwCardProps {
  readonly runtime: SideRuntime
  readonly parent: ParentRef
  /** False while the host shows something else in this place; default true. */
  readonly visible?: boolean
  /** Gives the keyboard back to main's composer. */
  readonly focusComposer: () => void
  /** What main's composer holds now, '' when the person is done typing. */
  readonly composerText: () => string
  /** Puts text into main's draft; without it the action is not offered. */
  readonly bringBack?: (markdown: string) => void
}

export function BtwCard(_props: BtwCardProps): JSX.Element | null {
  return null
}
