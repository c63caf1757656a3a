/** The owner of every step that nobody awaits. A rejection that nobody handles would end the whole host process, so
 *  timers and detached promises of the core start here and their failures end here, as reports. */

import type { Clock } from './limits.ts'
import type { ControllerReport } from './verbs.ts'

/** What `within` answers when the time was up first. */
export const LATE: unique symbol = Symbol('late')

export interface Background {
  /** Hands a report out; a throwing receiver harms nothing. */
  report(report: ControllerReport): void
  /** Runs `task` now and waits for nothing. */
  run(step: string, task: () => unknown): void
  /** Runs `task` once after `ms`; returns its undo. */
  after(ms: number, step: string, task: () => unknown): () => void
  /** `promise`, or LATE after `ms`; a rejection that comes later than that is swallowed. */
  within<T>(ms: number, promise: Promise<T>): Promise<T | typeof LATE>
}

export function createBackground(clock: Clock, receive: ((report: ControllerReport) => void) | undefined): Background {
  function report(one: ControllerReport): void {
    try {
      receive?.(one)
    } catch {
      // The receiver is the last one to be told; there is nobody left to tell about it.
    }
  }

  function run(step: string, task: () => unknown): void {
    const failed = (error: unknown): void => report({ kind: 'detached_failed', step, error })
    try {
      Promise.resolve(task()).catch(failed)
    } catch (error) {
      failed(error)
    }
  }

  return {
    report,
    run,
    after: (ms, step, task) => clock.after(ms, () => run(step, task)),
    within: (ms, promise) =>
      new Promise((resolve, reject) => {
        const undo = clock.after(ms, () => resolve(LATE))
        promise.finally(undo).then(resolve, reject)
      }),
  }
}
