/** What the page's line tells of one side, as the signals that a transport gives. */

import type { ConnectionState, Envelope, ExpiryReason, StreamSignal } from '../../src/wire/index.ts'
import type { SideId } from '../../src/service/client.ts'
import type { Line } from './line.ts'

/** Follows until the returned function is called, or the side ended. */
export function followSide(line: Line, side: SideId, onSignal: (signal: StreamSignal) => void): () => void {
  let last: number | null = null
  let state: ConnectionState | null = null

  function tell(next: ConnectionState): void {
    if (state === next) return
    state = next
    onSignal({ kind: 'connection', state })
  }

  function end(reason: ExpiryReason): void {
    stop()
    onSignal({ kind: 'events', events: [{ eventType: 'state_patch', data: { lifecycleStatus: 'expired', reason } }] })
  }

  const stop = line.side(side, {
    open() {
      // Without a past its snapshot comes first.
      if (last !== null) tell('connected')
    },
    message(message) {
      let over: boolean
      if (message.kind === 'snapshot') {
        onSignal({ kind: 'reset' })
        onSignal({ kind: 'events', events: message.events })
        over = message.events.some(isEnd)
      } else {
        if (last !== null && message.sequence <= last) return
        if (last !== null && message.sequence !== last + 1) return end('sequence_gap')
        onSignal({ kind: 'events', events: [message.event] })
        over = isEnd(message.event)
      }
      last = message.sequence
      tell('connected')
      if (over) stop()
    },
    cut: () => tell('disconnected'),
    // The service does not know it any more, or cannot go on without a gap.
    refused: () => end(last === null ? 'client_lost' : 'stream_lost'),
  })
  tell('connecting')
  return stop
}

function isEnd(event: Pick<Envelope, 'eventType' | 'data'>): boolean {
  if (event.eventType !== 'state_patch') return false
  const { lifecycleStatus } = event.data as { readonly lifecycleStatus?: string }
  return lifecycleStatus === 'closed' || lifecycleStatus === 'expired'
}
