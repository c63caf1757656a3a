/** Where the drawer stands. Pure. It never covers main's composer: docked it takes the right edge beside or above it,
 *  on narrow windows it is a sheet that ends above it (K48). */

/** A rectangle in viewport pixels. */
export interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

export interface DrawerLayout {
  readonly mode: 'dock' | 'sheet'
  readonly left: number
  readonly top: number
  readonly width: number
  readonly height: number
}

/** Below this window width the drawer is a sheet. */
const NARROW = 900
const DOCK_WIDTH = 400
const SHEET_MOST = 460
const GAP = 8

/** @param top pixels that belong to the host's header. */
export function drawerLayout(width: number, height: number, composer: Box | null, top: number): DrawerLayout {
  const floor = composer === null ? height : Math.max(top, Math.min(height, composer.top - GAP))
  if (width < NARROW) {
    const left = composer === null ? 0 : Math.max(0, composer.left)
    const right = composer === null ? width : Math.min(width, composer.right)
    const tall = Math.min(SHEET_MOST, Math.round(height * 0.6), Math.max(0, floor - top))
    return { mode: 'sheet', left, top: floor - tall, width: right - left, height: tall }
  }
  const dock = Math.min(DOCK_WIDTH, Math.round(width / 3))
  const beside = composer === null || composer.right <= width - dock
  return { mode: 'dock', left: width - dock, top, width: dock, height: (beside ? height : floor) - top }
}
