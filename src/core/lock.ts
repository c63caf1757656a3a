/** Keyed locks. Whoever needs several takes them in sorted order, so that no two can wait for each other (O4). */

export interface KeyedLocks {
  /** Waits for every key, first come first served per key; resolves with the release of all of them (idempotent).
   *  The first key is queued for before this returns. Rejects with the signal's reason when aborted, holding nothing. */
  acquire(keys: readonly string[], signal?: AbortSignal): Promise<() => void>
}

export function createLocks(): KeyedLocks {
  /** A held key and those who wait for it; a free key has no entry. */
  const queues = new Map<string, (() => void)[]>()

  function take(key: string, signal: AbortSignal | undefined): Promise<void> {
    const waiting = queues.get(key)
    if (waiting === undefined) {
      queues.set(key, [])
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      const enter = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        const index = waiting.indexOf(enter)
        if (index >= 0) waiting.splice(index, 1)
        reject(signal?.reason)
      }
      waiting.push(enter)
      signal?.addEventListener('abort', leave, { once: true })
    })
  }

  function give(key: string): void {
    const next = queues.get(key)?.shift()
    if (next === undefined) queues.delete(key)
    else next()
  }

  return {
    async acquire(keys, signal) {
      const held: string[] = []
      const release = (): void => {
        for (const key of held.splice(0).toReversed()) give(key)
      }
      try {
        for (const key of [...new Set(keys)].toSorted()) {
          signal?.throwIfAborted()
          await take(key, signal)
          held.push(key)
        }
        signal?.throwIfAborted()
      } catch (error) {
        release()
        throw error
      }
      return release
    },
  }
}
