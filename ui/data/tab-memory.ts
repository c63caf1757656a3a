/** What a page remembers over a reload (D7): names, times and sizes, never a question or an answer. It lives in the tab's own
 *  storage, so that no other tab has it. A browser that stores nothing brings nothing back; everything else works. */

/** The tab's own storage, or null where the browser forbids it. */
export type TabStorage = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null

export interface TabMemory<T> {
  read(): T
  /** Remembers exactly this. */
  write(value: T): void
}

/** @param understand makes a value of what is stored, whoever wrote it; null when nothing is.
 *  @param keep what is stored of a value; null for nothing. */
export function tabMemory<T>(
  storage: TabStorage,
  key: string,
  understand: (stored: unknown) => T,
  keep: (value: T) => unknown,
): TabMemory<T> {
  return {
    read() {
      try {
        return understand(JSON.parse(storage?.getItem(key) ?? 'null'))
      } catch {
        return understand(null)
      }
    },
    write(value) {
      try {
        const kept = keep(value)
        if (kept === null) storage?.removeItem(key)
        else storage?.setItem(key, JSON.stringify(kept))
      } catch {
        // Full, or forbidden.
      }
    },
  }
}

/** The sides of a page; whatever is not of their shape is ignored.
 *  @param keep a side without what must not be stored of it. */
export function sidesMemory<S>(
  storage: TabStorage,
  isSide: (stored: unknown) => stored is S,
  keep: (side: S) => S,
): TabMemory<readonly S[]> {
  return tabMemory<readonly S[]>(
    storage,
    'sidemind-sides',
    (stored) => (Array.isArray(stored) ? stored.filter(isSide) : []),
    (sides) => (sides.length === 0 ? null : sides.map(keep)),
  )
}
