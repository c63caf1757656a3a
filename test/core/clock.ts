/** Time that a test owns. */

import type { Clock } from '../../src/core/limits.ts'

export interface ManualClock extends Clock {
  /** Fires what is due within `ms`, in order, letting promises settle after each. */
  advance(ms: number): Promise<void>
  /** Timers that wait. */
  pending(): number
}

export function manualClock(start = 1_000_000): ManualClock {
  let now = start
  let order = 0
  const timers = new Map<number, { readonly at: number; readonly task: () => void }>()

  function nextDue(until: number): number | undefined {
    let due: number | undefined
    for (const [id, { at }] of timers) {
      if (at <= until && (due === undefined || at < (timers.get(due)?.at ?? 0))) due = id
    }
    return due
  }

  return {
    now: () => now,
    after(ms, task) {
      const id = (order += 1)
      timers.set(id, { at: now + ms, task })
      return () => void timers.delete(id)
    },
    async advance(ms) {
      const until = now + ms
      await settle()
      for (let id = nextDue(until); id !== undefined; id = nextDue(until)) {
        const timer = timers.get(id)
        timers.delete(id)
        if (timer === undefined) continue
        now = timer.at
        timer.task()
        await settle()
      }
      now = until
    },
    pending: () => timers.size,
  }
}

/** Lets every promise that can settle without time settle. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

/** A promise that the test ends. */
export interface Deferred<T = void> {
  readonly promise: Promise<T>
  resolve(value: T): void
  reject(error: unknown): void
}

export function deferred<T = void>(): Deferred<T> {
  const ends: Partial<Pick<Deferred<T>, 'resolve' | 'reject'>> = {}
  const promise = new Promise<T>((resolve, reject) => Object.assign(ends, { resolve, reject }))
  return { promise, resolve: (value) => ends.resolve?.(value), reject: (error) => ends.reject?.(error) }
}
