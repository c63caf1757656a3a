/** A copy of a browser tab is told from a reload of it. */
import { describe, expect, it, vi } from 'vitest'

import { solePage } from '../../ui/data/sole-page.ts'

/** The browser's locks, as far as one name matters: given to one at a time, waited for by the rest. */
function locks() {
  const held = new Map<string, Promise<unknown>>()
  return {
    async request(name: string, { signal }: { signal: AbortSignal }, task: () => Promise<void>) {
      const before = held.get(name)
      if (before !== undefined) {
        const gaveUp = new Promise<never>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
        await Promise.race([before, gaveUp])
      }
      const mine = task()
      held.set(name, mine)
      await mine
    },
  } as unknown as Pick<LockManager, 'request'>
}

function storage(entries: Record<string, string> = {}) {
  const map = new Map(Object.entries(entries))
  return {
    getItem: (key: string) => map.get(key) ?? null,
    setItem: (key: string, value: string) => map.set(key, value),
    map,
  }
}

const newIds = () => {
  let at = 0
  return () => `tab-${(at += 1)}`
}

describe('solePage', () => {
  it('knows a new tab, its reload, and a copy of it', async () => {
    vi.useFakeTimers()
    const browser = locks()
    const newId = newIds()
    const first = storage()
    const life = new AbortController()
    const page = { locks: browser, newId, signal: life.signal }
    expect(await solePage({ ...page, storage: first })).toBe(true)
    const copied = storage(Object.fromEntries(first.map))
    const copy = solePage({ ...page, storage: copied })
    await vi.advanceTimersByTimeAsync(5_000)
    expect(await copy).toBe(false)
    expect(copied.map.get('sidemind-tab')).not.toBe(first.map.get('sidemind-tab'))
    const reload = solePage({ ...page, storage: first })
    life.abort()
    expect(await reload).toBe(true)
    vi.useRealTimers()
  })

  it('says yes where nothing can tell', async () => {
    const { signal } = new AbortController()
    expect(await solePage({ storage: null, locks: locks(), newId: newIds(), signal })).toBe(true)
    expect(await solePage({ storage: storage(), locks: undefined, newId: newIds(), signal })).toBe(true)
  })
})
