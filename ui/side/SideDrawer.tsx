/** `/side` on hosts without a right sidebar: a docked drawer at the right with one tab per side, a bottom sheet
 *  above main's composer on narrow windows (D19). Never covers main's composer. */

import type { JSX } from 'react'
import type { ParentRef } from '../../src/wire/index.ts'
import type { SideRuntime } from '../data/runtime.ts'
import type { MainActivity } from './MainLine.tsx'

/** A rectangle in viewport pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface SideDrawerProps {
  readonly runtime: SideRuntime
  readonly parent: ParentRef
  readonly open: boolean
  /** The person hid the drawer (its sides live on) or closed its last side. */
  readonly onHide: () => void
  /** Main's composer, measured by the mounting layer; null when there is none on screen. */
  readonly reserve: Box | null
  /** Pixels below the window's top edge that belong to the host's own header; default 0. */
  readonly top?: number
  /** Width in pixels that the docked drawer takes at the right edge, 0 as a sheet or when closed: a host that can
   *  make room for it does. */
  readonly onDock?: (width: number) => void
  readonly main?: MainActivity | null
  readonly bringBack?: (markdown: string) => void
}

export function SideDrawer(_props: SideDrawerProps): JSX.Element | null {
  return null
}
