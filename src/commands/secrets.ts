/** Holds the secret of every side and decides whether a control message may act (D3). Secrets are made by clients,
 *  live in memory only and leave with their side. */

import type { Control } from '../wire/control.ts'

export interface Secrets {
  /** Whether this message carries the right secret: the side's own, a first one for a new side, or a first claim. */
  admits(control: Control): boolean
  /** Binds the secret of a new side. */
  bind(sideId: string, secret: string): void
  /** Lets exactly one client claim a side that a plain command opened. */
  offer(sideId: string): void
  forget(sideId: string): void
}

export function createSecrets(): Secrets {
  const bound = new Map<string, string>()
  const offered = new Set<string>()
  return {
    admits(control) {
      const secret = bound.get(control.side)
      if (secret !== undefined) return equal(secret, control.secret)
      if (control.op === 'open') return !offered.has(control.side)
      return control.op === 'claim' && offered.has(control.side)
    },
    bind(sideId, secret) {
      offered.delete(sideId)
      bound.set(sideId, secret)
    },
    offer(sideId) {
      offered.add(sideId)
    },
    forget(sideId) {
      bound.delete(sideId)
      offered.delete(sideId)
    },
  }
}

/** Compares in time that depends on the length alone. */
function equal(left: string, right: string): boolean {
  if (left.length !== right.length) return false
  let difference = 0
  for (let index = 0; index < left.length; index += 1) difference |= left.charCodeAt(index) ^ right.charCodeAt(index)
  return difference === 0
}
