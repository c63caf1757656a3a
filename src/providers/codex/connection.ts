/** One connection to an app-server: handshake, requests, and messages by thread. The source's owner and the sides of the
 *  source share it by reference; nothing here closes it. */

import { SideError } from '../../core/errors.ts'
import type { Clock } from '../../core/limits.ts'
import { readServerFacts, threadOf, type Fields, type RpcId, type ServerFacts } from './protocol.ts'
import { createRouter, type Incoming, type Provisional, type ThreadListener } from './router.ts'
import { createRpc, type LineStream, type RequestOptions } from './rpc.ts'

export interface CodexConnection {
  readonly facts: ServerFacts
  /** Whether turns may carry collaboration settings and environments; a side needs it. */
  readonly experimental: boolean
  readonly closed: boolean
  request(method: string, params: Fields, options?: RequestOptions): Promise<unknown>
  answer(id: RpcId, reply: { readonly result: unknown } | { readonly error: string }): void
  /** Hears one thread from now on; returns the undo. */
  listen(threadId: string, listener: ThreadListener): () => void
  /** Hears what belongs to no thread that anybody listens to. */
  onUnrouted(listener: ThreadListener): () => void
  expectFork(): Provisional
  /** Told once when the connection is gone, at once when it is already. */
  onLost(listener: (reason: string) => void): () => void
  /** Threads listened to and messages kept for forks (for tests and figures). */
  readonly sizes: { readonly threads: number; readonly kept: number }
}

export interface ConnectOptions {
  readonly clock: Clock
  /** Name and version of this client, as the app-server's logs show them. */
  readonly client: { readonly name: string; readonly title: string; readonly version: string }
  /** Answers a request that came for a thread which may become a side's. Must not wait. */
  readonly refuse: (method: string) => { readonly result: unknown } | { readonly error: string }
  readonly signal?: AbortSignal
}

/** A first start in a new home takes about two seconds. */
const HANDSHAKE_MS = 20_000

/** Shakes hands over `stream`. Rejects with SideError when the other side is no app-server or does not answer. */
export async function connect(stream: LineStream, options: ConnectOptions): Promise<CodexConnection> {
  const unrouted = new Set<ThreadListener>()
  const losses = new Set<(reason: string) => void>()
  let lostBecause: string | null = null

  const router = createRouter({
    unrouted: (message) => {
      // A server request that nobody answers would let its turn wait for ever.
      if (message.kind === 'request' && unrouted.size === 0) rpc.answer(message.id, { error: 'nobody answers here' })
      for (const listener of unrouted) listener(message)
    },
    refuse: ({ id, method }) => rpc.answer(id, options.refuse(method)),
  })
  const rpc = createRpc(stream, {
    after: (ms, task) => options.clock.after(ms, task),
    incoming: (message: Incoming) => router.route(threadOf(message.params), message),
    lost(reason) {
      lostBecause = reason
      for (const listener of losses) listener(reason)
      losses.clear()
    },
  })

  const result = await rpc.request(
    'initialize',
    { clientInfo: options.client, capabilities: { experimentalApi: true } },
    { timeoutMs: HANDSHAKE_MS, ...(options.signal === undefined ? {} : { signal: options.signal }) },
  )
  const facts = readServerFacts(result)
  if (facts.codexHome === '') throw new SideError('unsupported', 'the server is no Codex app-server')
  rpc.notify('initialized')

  return {
    facts,
    experimental: true,
    get closed() {
      return rpc.closed
    },
    request: rpc.request,
    answer: rpc.answer,
    listen: router.listen,
    onUnrouted(listener) {
      unrouted.add(listener)
      return () => unrouted.delete(listener)
    },
    expectFork: router.expectFork,
    onLost(listener) {
      if (lostBecause !== null) listener(lostBecause)
      else losses.add(listener)
      return () => losses.delete(listener)
    },
    get sizes() {
      return router.sizes
    },
  }
}
