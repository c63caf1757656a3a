/** Holds back the events of one Side until it is committed (O5, O6), and stops them for good once it ended. */

import type { SideEvent } from './contract.ts'

export interface Gate {
  /** Passes an event on, keeps it until the gate opens, or drops it after `shut`. */
  push(event: SideEvent): void
  /** Publishes `first`, then what was kept until a pass finds nothing new, and lets everything through from there. */
  open(first: SideEvent): void
  /** Drops what was kept and everything that comes. */
  shut(): void
}

/** Keeps at most `limit` events before it opens; the one too many calls `onOverflow` and shuts it. */
export function createGate(limit: number, publish: (event: SideEvent) => void, onOverflow: () => void): Gate {
  let position: 'kept' | 'open' | 'shut' = 'kept'
  let kept: SideEvent[] = []

  const gate: Gate = {
    push(event) {
      if (position === 'open') return publish(event)
      if (position === 'shut') return
      if (kept.length < limit) return void kept.push(event)
      gate.shut()
      onOverflow()
    },
    open(first) {
      if (position !== 'kept') return
      publish(first)
      while (kept.length > 0) {
        const pass = kept
        kept = []
        for (const event of pass) if (stillKept()) publish(event)
      }
      if (stillKept()) position = 'open'
    },
    shut() {
      position = 'shut'
      kept = []
    },
  }
  /** Publishing may shut the gate: a listener can end the Side. */
  const stillKept = (): boolean => position === 'kept'
  return gate
}
