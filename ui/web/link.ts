/** Whether the service is there. Asks now and then, at once when somebody doubts it, and less often the longer it is gone. */

import type { SideClient } from '../../src/service/client.ts'
import { toSideError } from '../../src/wire/index.ts'

/** `foreign`: something answers, and does not know this page's token: the service was started anew. */
export type LinkState = 'connecting' | 'connected' | 'gone' | 'foreign'

export interface Link {
  state(): LinkState
  subscribe(listener: () => void): () => void
  /** A call or a stream failed: look now. */
  doubt(): void
  dispose(): void
}

export interface LinkOptions {
  readonly client: Pick<SideClient, 'call'>
  readonly wait: (ms: number, task: () => void) => () => void
}

const CALM_MS = 10_000
const FIRST_RETRY_MS = 500
const LAST_RETRY_MS = 4_000
/** A service that does not answer within this is not there. */
const PATIENCE_MS = 8_000

export function createLink({ client, wait }: LinkOptions): Link {
  let state: LinkState = 'connecting'
  let retryMs = FIRST_RETRY_MS
  let asking = false
  let stopped = false
  let cancel: () => void = () => {}
  const listeners = new Set<() => void>()

  function become(next: LinkState): void {
    if (state === next) return
    state = next
    for (const listener of listeners) listener()
  }

  async function ask(): Promise<void> {
    if (asking || stopped) return
    asking = true
    cancel()
    const late = new AbortController()
    const patience = wait(PATIENCE_MS, () => late.abort())
    try {
      await client.call('status', {}, late.signal)
      retryMs = FIRST_RETRY_MS
      become('connected')
    } catch (error) {
      // A service that answers this is another one: the question itself cannot be wrong.
      become(toSideError(error).code === 'invalid_request' ? 'foreign' : 'gone')
    } finally {
      patience()
      asking = false
    }
    if (stopped || state === 'foreign') return
    cancel = wait(state === 'connected' ? CALM_MS : retryMs, () => void ask())
    if (state !== 'connected') retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
  }

  void ask()
  return {
    state: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    doubt: () => void ask(),
    dispose() {
      stopped = true
      cancel()
      listeners.clear()
    },
  }
}
