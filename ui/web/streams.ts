/** Reads the event streams of many sides over few connections: a browser gives an address six, and the thread and every
 *  call need some. What waits gets its turn; every stream goes on behind the last event that it delivered, so that a turn
 *  taken away costs a moment and no event. */

import type { ConnectionState, Envelope, ExpiryReason, StreamSignal } from '../../src/wire/index.ts'
import { toSideError } from '../../src/wire/index.ts'
import type { SideClient, SideId } from '../../src/service/client.ts'

export interface StreamsOptions {
  readonly client: Pick<SideClient, 'sideEvents'>
  readonly wait: (ms: number, task: () => void) => () => void
  /** A stream was cut, or could not be opened. */
  readonly onTrouble: () => void
}

export interface Streams {
  /** Follows until the returned function is called. */
  follow(side: SideId, onSignal: (signal: StreamSignal) => void): () => void
  dispose(): void
}

interface Followed {
  readonly side: SideId
  readonly onSignal: (signal: StreamSignal) => void
  last: number | null
  state: ConnectionState | null
  retryMs: number
  abort: AbortController | null
  /** Undoes a planned reconnect. */
  cancelRetry: () => void
  waiting: boolean
}

/** Streams of sides that are read at once. */
const AT_ONCE = 3
/** How long one is read while another waits. */
const SLICE_MS = 800
const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 5_000

export function createStreams({ client, wait, onTrouble }: StreamsOptions): Streams {
  const followed = new Set<Followed>()
  const queue: Followed[] = []
  const reading: Followed[] = []
  let cancelSlice: (() => void) | null = null

  function tell(one: Followed, state: ConnectionState): void {
    if (one.state === state) return
    one.state = state
    one.onSignal({ kind: 'connection', state })
  }

  function enqueue(one: Followed): void {
    if (!followed.has(one) || one.waiting || one.abort !== null) return
    one.waiting = true
    queue.push(one)
    schedule()
  }

  function schedule(): void {
    while (reading.length < AT_ONCE) {
      const next = queue.shift()
      if (next === undefined) break
      next.waiting = false
      if (followed.has(next)) read(next).catch(() => undefined)
    }
    if (queue.length > 0) cancelSlice ??= wait(SLICE_MS, takeTurns)
  }

  /** The one that was read longest makes room. */
  function takeTurns(): void {
    cancelSlice = null
    if (queue.length === 0) return
    const oldest = reading[0]
    if (oldest !== undefined) stop(oldest)
    schedule()
    if (oldest !== undefined) enqueue(oldest)
  }

  function stop(one: Followed): void {
    one.abort?.abort()
    one.abort = null
    const at = reading.indexOf(one)
    if (at >= 0) reading.splice(at, 1)
  }

  async function read(one: Followed): Promise<void> {
    const abort = (one.abort = new AbortController())
    reading.push(one)
    if (one.state === null) tell(one, 'connecting')
    let over = false
    try {
      const after = one.last === null ? {} : { after: one.last }
      for await (const message of client.sideEvents(one.side, { ...after, signal: abort.signal })) {
        if (abort.signal.aborted) return
        one.retryMs = FIRST_RETRY_MS
        if (message.kind === 'snapshot') {
          one.onSignal({ kind: 'reset' })
          one.onSignal({ kind: 'events', events: message.events })
          over = message.events.some(isEnd)
        } else {
          const { sequence, event } = message
          if (one.last !== null && sequence <= one.last) continue
          if (one.last !== null && sequence !== one.last + 1) return end(one, 'sequence_gap')
          if (event.sideSessionId !== one.side.sideSessionId) return end(one, 'identity_mismatch')
          one.onSignal({ kind: 'events', events: [event] })
          over = isEnd(event)
        }
        one.last = message.sequence
        tell(one, 'connected')
        if (over) return end(one, null)
      }
      if (!abort.signal.aborted) lost(one)
    } catch (error) {
      if (abort.signal.aborted) return
      const { code } = toSideError(error)
      // The service does not know it any more, or cannot go on without a gap.
      if (code === 'expired' || code === 'not_found') end(one, one.last === null ? 'client_lost' : 'stream_lost')
      else lost(one)
    }
  }

  function lost(one: Followed): void {
    stop(one)
    tell(one, 'disconnected')
    onTrouble()
    one.cancelRetry = wait(one.retryMs, () => enqueue(one))
    one.retryMs = Math.min(one.retryMs * 2, LAST_RETRY_MS)
    schedule()
  }

  function end(one: Followed, reason: ExpiryReason | null): void {
    stop(one)
    followed.delete(one)
    if (reason !== null)
      one.onSignal({
        kind: 'events',
        events: [{ eventType: 'state_patch', data: { lifecycleStatus: 'expired', reason } }],
      })
    schedule()
  }

  return {
    follow(side, onSignal) {
      const one: Followed = {
        side,
        onSignal,
        last: null,
        state: null,
        retryMs: FIRST_RETRY_MS,
        abort: null,
        cancelRetry: () => {},
        waiting: false,
      }
      followed.add(one)
      enqueue(one)
      return () => {
        if (!followed.delete(one)) return
        one.cancelRetry()
        stop(one)
        schedule()
      }
    },
    dispose() {
      cancelSlice?.()
      for (const one of followed) {
        one.cancelRetry()
        stop(one)
      }
      followed.clear()
      queue.length = 0
    },
  }
}

function isEnd(event: Pick<Envelope, 'eventType' | 'data'>): boolean {
  if (event.eventType !== 'state_patch') return false
  const { lifecycleStatus } = event.data as { readonly lifecycleStatus?: string }
  return lifecycleStatus === 'closed' || lifecycleStatus === 'expired'
}
