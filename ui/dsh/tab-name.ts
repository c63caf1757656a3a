/** Under which name the right sidebar has our tabs: another plugin may hold ours. */

import type { SidebarTabs } from './seams.ts'

const TAB_KIND = 'sidemind-side'
const TAB_ID = 'sidemind-for-dsh'

export interface TabName {
  readonly id: string
  readonly kind: string
}

/** How many names are tried before sides get the drawer: another plugin may hold ours. */
const TAB_NAMES = 4

/** Registers our tab type under the first name that is free. @returns null when none is. */
export function registerTab(
  tabs: SidebarTabs,
  definition: Record<string, unknown>,
): { readonly name: TabName; readonly undo: () => void } | null {
  for (let at = 1; at <= TAB_NAMES; at += 1) {
    const suffix = at === 1 ? '' : `-${at}`
    const name = { id: `${TAB_ID}${suffix}`, kind: `${TAB_KIND}${suffix}` }
    try {
      return { name, undo: tabs.register({ ...definition, ...name }) }
    } catch {
      // Taken.
    }
  }
  return null
}
