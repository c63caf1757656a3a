/** What the page itself follows of the configuration: keys and windows. The defaults until the host tells others, and for ever
 *  where it tells none. */

import { DEFAULT_LIMITS, type Limits } from '../../src/wire/index.ts'
import { isShortcut, matches } from '../parts/shortcut.ts'
import { isComposing } from '../parts/composer-keys.ts'
import type { SettingsScope } from '../settings/SettingsCard.tsx'

export interface Keys {
  /** The letter that copies in the card, '' = none. */
  readonly copy: string
  /** The shortcut that shows a side, '' = none. */
  readonly side: string
}

export interface Prefs {
  keys(): Keys
  subscribe(listener: () => void): () => void
  /** Follows this scope from now on; returns the undo. */
  follow(scope: SettingsScope, retune: (limits: Partial<Limits>) => void): () => void
}

const DEFAULT_KEYS: Keys = { copy: 'c', side: 'Ctrl+Shift+Comma' }

export function createPrefs(): Prefs {
  let keys = DEFAULT_KEYS
  const listeners = new Set<() => void>()
  const use = (next: Keys): void => {
    if (next.copy === keys.copy && next.side === keys.side) return
    keys = next
    for (const listener of listeners) listener()
  }
  return {
    keys: () => keys,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    follow(scope, retune) {
      const read = (): void => {
        const { ready, value } = scope.getSnapshot()
        if (!ready) return
        const { copyKey, sideKey, undoSeconds, lostClientSeconds, parkedMinutes } = value
        use({
          copy: typeof copyKey === 'string' ? copyKey : DEFAULT_KEYS.copy,
          side: typeof sideKey === 'string' ? sideKey : DEFAULT_KEYS.side,
        })
        retune({
          undoMs: typeof undoSeconds === 'number' ? undoSeconds * 1_000 : DEFAULT_LIMITS.undoMs,
          lostClientMs: typeof lostClientSeconds === 'number' ? lostClientSeconds * 1_000 : DEFAULT_LIMITS.lostClientMs,
          parkedMs: typeof parkedMinutes === 'number' ? parkedMinutes * 60_000 : DEFAULT_LIMITS.parkedMs,
        })
      }
      read()
      return scope.subscribe(read)
    },
  }
}

/** Calls `show` for the shortcut, wherever the focus is; nobody else gets the key then. @returns the undo. */
export function listenForShortcut(page: Document, prefs: Prefs, show: () => boolean): () => void {
  const onKeyDown = (event: KeyboardEvent): void => {
    const { side } = prefs.keys()
    if (!isShortcut(side) || !matches(event, side) || isComposing(event)) return
    if (!event.repeat && !show()) return
    event.preventDefault()
    event.stopPropagation()
  }
  page.addEventListener('keydown', onKeyDown, { capture: true })
  return () => page.removeEventListener('keydown', onKeyDown, { capture: true })
}
