/** Carries published events to whoever subscribed. Order is one for all: an event that a listener causes while it
 *  handles another one reaches everybody after that other one. */

import type { Envelope } from './contract.ts'

export interface Channel {
  publish(envelope: Envelope): void
  subscribe(listener: (envelope: Envelope) => void): () => void
}

/** `onFailure` hears about a listener that threw; the others are served all the same. */
export function createChannel(onFailure: (error: unknown) => void): Channel {
  const listeners = new Set<{ readonly hear: (envelope: Envelope) => void }>()
  const queue: Envelope[] = []
  let draining = false

  return {
    publish(envelope) {
      queue.push(envelope)
      if (draining) return
      draining = true
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        for (const listener of Array.from(listeners)) {
          if (!listeners.has(listener)) continue
          try {
            listener.hear(next)
          } catch (error) {
            onFailure(error)
          }
        }
      }
      draining = false
    },
    subscribe(hear) {
      const listener = { hear }
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
