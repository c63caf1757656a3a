/** Waiting that an AbortSignal can end. */

import { SideError } from './errors.ts'

/** `promise`, or the signal's reason as soon as it aborts; `onAbort` then owns the promise. */
export function orAbort<T>(promise: Promise<T>, signal: AbortSignal | undefined, onAbort?: () => void): Promise<T> {
  if (signal === undefined) return promise
  return new Promise((resolve, reject) => {
    const leave = (): void => {
      onAbort?.()
      reject(
        signal.reason instanceof SideError
          ? signal.reason
          : new SideError('expired', 'the open was given up', signal.reason),
      )
    }
    const stay = (): void => signal.removeEventListener('abort', leave)
    promise.finally(stay).then(resolve, reject)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
  })
}
