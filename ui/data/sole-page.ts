/** Whether this document is the one that the tab's storage belongs to. A browser that duplicates a tab copies that storage, and
 *  the copy must not take over the sides of its original (D7). Told by a lock that a document holds as long as it lives. */

const KEY = 'sidemind-tab'

/** A reload gets the lock when its predecessor is gone, which a loaded browser may take a moment for; a copy never does. */
const RELOAD_MS = 2_000

export interface SolePageOptions {
  readonly storage: Pick<Storage, 'getItem' | 'setItem'> | null
  /** `navigator.locks`; absent where the page is not a secure one, and then nobody is told apart. */
  readonly locks: Pick<LockManager, 'request'> | undefined
  readonly newId: () => string
  /** Aborted when the plugin goes. */
  readonly signal: AbortSignal
}

/** Resolves false in a copy, which gets an identity of its own. Never rejects. */
export async function solePage({ storage, locks, newId, signal }: SolePageOptions): Promise<boolean> {
  if (storage === null || locks === undefined) return true
  try {
    const known = storage.getItem(KEY)
    if (known !== null && (await hold(locks, known, RELOAD_MS, signal))) return true
    const fresh = newId()
    storage.setItem(KEY, fresh)
    await hold(locks, fresh, RELOAD_MS, signal)
    return known === null
  } catch {
    return true
  }
}

/** Takes the lock of `id` until `signal` aborts. @returns whether it was free within `ms`. */
function hold(locks: Pick<LockManager, 'request'>, id: string, ms: number, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve) => {
    const late = new AbortController()
    const timer = setTimeout(() => late.abort(), ms)
    locks
      .request(`sidemind ${id}`, { signal: late.signal }, () => {
        clearTimeout(timer)
        resolve(true)
        return new Promise<void>((release) => signal.addEventListener('abort', () => release(), { once: true }))
      })
      .catch(() => resolve(false))
  })
}
