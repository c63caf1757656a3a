/** Holds the secret of every side and decides whether a control message may act (D3). Secrets are made by clients and
 *  live in memory only. Those of ended sides are known for a while, so that what a client says late about its side is
 *  answered as late, and not asked as a question. */

import { SideError } from '../core/errors.ts'
import type { Control } from '../wire/control.ts'

/** Secrets of ended sides that are known, the oldest forgotten first. */
const REMEMBERED = 1_024

export interface Secrets {
  /** Whether this message carries the right secret: the side's own, also after its end, a first one for a new side, or
   *  a first claim. */
  admits(control: Control): boolean
  /** Binds the secret of a new side. What was admitted may be late by now: throws `expired` when the side has ended
   *  (clients name every attempt anew, so this one is a repetition), `conflict` when another secret came first. */
  bind(sideId: string, secret: string): void
  /** Lets exactly one client claim a side that a plain command opened. */
  offer(sideId: string): void
  /** The side ended. */
  ended(sideId: string): void
}

export function createSecrets(): Secrets {
  const bound = new Map<string, string>()
  const offered = new Set<string>()
  const past = new Map<string, string>()
  return {
    admits(control) {
      const secret = bound.get(control.side) ?? past.get(control.side)
      if (secret !== undefined) return equal(secret, control.secret)
      if (control.op === 'open') return !offered.has(control.side)
      return control.op === 'claim' && offered.has(control.side)
    },
    bind(sideId, secret) {
      if (past.has(sideId)) throw new SideError('expired', `side ${sideId} has ended`)
      const other = bound.get(sideId)
      if (other !== undefined && !equal(other, secret)) throw new SideError('conflict', `side ${sideId} has a secret`)
      offered.delete(sideId)
      bound.set(sideId, secret)
    },
    offer(sideId) {
      offered.add(sideId)
    },
    ended(sideId) {
      offered.delete(sideId)
      const secret = bound.get(sideId)
      if (secret === undefined) return
      bound.delete(sideId)
      past.set(sideId, secret)
      for (const oldest of past.keys()) {
        if (past.size <= REMEMBERED) return
        past.delete(oldest)
      }
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
