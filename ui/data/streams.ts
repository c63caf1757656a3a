/** Follows the event streams of open sides. Owns the subscriptions and the coalescing: however many events come,
 *  the store changes once per frame and side. */

import type { StreamSignal } from '../../src/wire/index.ts'
import type { Desk } from './desk.ts'

export interface Streams {
  follow(sideId: string): void
  unfollow(sideId: string): void
  dispose(): void
}

export function createStreams(desk: Desk): Streams {
  const following = new Map<string, () => void>()
  const waiting = new Map<string, StreamSignal[]>()
  let cancelFrame: (() => void) | null = null

  function flush(): void {
    cancelFrame = null
    const batches = [...waiting]
    waiting.clear()
    desk.store.batch(() => {
      for (const [sideId, signals] of batches) desk.store.dispatch(sideId, { type: 'signals', signals })
    })
  }

  function receive(sideId: string, signal: StreamSignal): void {
    const signals = waiting.get(sideId)
    if (signals === undefined) waiting.set(sideId, [signal])
    else signals.push(signal)
    cancelFrame ??= desk.frame(flush)
  }

  const streams: Streams = {
    follow(sideId) {
      streams.unfollow(sideId)
      const model = desk.store.model(sideId)
      if (model === undefined) return
      let live = true
      const stop = desk.transport.follow(model.wireId, (signal) => {
        if (live) receive(sideId, signal)
      })
      following.set(sideId, () => {
        live = false
        stop()
      })
    },
    unfollow(sideId) {
      const stop = following.get(sideId)
      following.delete(sideId)
      stop?.()
    },
    dispose() {
      for (const sideId of [...following.keys()]) streams.unfollow(sideId)
      waiting.clear()
      cancelFrame?.()
      cancelFrame = null
    },
  }
  return streams
}
