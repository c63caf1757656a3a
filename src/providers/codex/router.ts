/** Which thread's owner hears a message of the app-server. Notices of a child can come before the answer that names it,
 *  so while a fork is pending those of unknown threads are kept, bounded, and handed over once it is known. */

import type { Fields, RpcId } from './protocol.ts'

export type Incoming =
  | { readonly kind: 'notice'; readonly method: string; readonly params: Fields; readonly at: number | null }
  | { readonly kind: 'request'; readonly id: RpcId; readonly method: string; readonly params: Fields }

/** Hears one thread's messages. Must not throw. */
export type ThreadListener = (message: Incoming) => void

/** One fork on its way. */
export interface Provisional {
  /** The child is `threadId`: `listener` hears what came early, in order, and everything from now on. Returns the undo.
   *  Throws `overflow` when more came than is kept. */
  adopt(threadId: string, listener: ThreadListener): () => void
  /** The fork failed or is adopted; what was kept for nobody is dropped when no other fork waits. Idempotent. */
  end(): void
}

export interface Router {
  /** Hands a message to the listeners of its thread. */
  route(threadId: string | null, message: Incoming): void
  /** Hears a thread from now on. */
  listen(threadId: string, listener: ThreadListener): () => void
  expectFork(): Provisional
  /** Threads with a listener, and messages kept; both are 0 when nothing is open. */
  readonly sizes: { readonly threads: number; readonly kept: number }
}

export interface RouterPorts {
  /** Hears what belongs to no thread, or to one that nobody listens to and no fork waits for. */
  readonly unrouted: ThreadListener
  /** Answers a request for a thread that may become a side's: it must not wait, and nobody else may see it. */
  readonly refuse: (message: Extract<Incoming, { kind: 'request' }>) => void
}

/** Messages kept per unknown thread, and threads kept. */
const KEPT_PER_THREAD = 256
const KEPT_THREADS = 64

export function createRouter(ports: RouterPorts): Router {
  const listeners = new Map<string, Set<ThreadListener>>()
  const kept = new Map<string, Incoming[] | 'overflow'>()
  let forks = 0

  function keep(threadId: string, message: Incoming): void {
    const queue = kept.get(threadId) ?? []
    if (queue === 'overflow') return
    if (queue.length >= KEPT_PER_THREAD || (queue.length === 0 && kept.size >= KEPT_THREADS)) {
      kept.set(threadId, 'overflow')
      return
    }
    queue.push(message)
    kept.set(threadId, queue)
  }

  function listen(threadId: string, listener: ThreadListener): () => void {
    const set = listeners.get(threadId) ?? new Set()
    listeners.set(threadId, set)
    set.add(listener)
    return () => {
      set.delete(listener)
      if (set.size === 0 && listeners.get(threadId) === set) listeners.delete(threadId)
    }
  }

  return {
    route(threadId, message) {
      if (threadId === null) return ports.unrouted(message)
      const known = listeners.get(threadId)
      if (known !== undefined) {
        for (const listener of known) listener(message)
        return
      }
      if (forks === 0) return ports.unrouted(message)
      if (message.kind === 'request') return ports.refuse(message)
      keep(threadId, message)
    },
    listen,
    expectFork() {
      forks += 1
      let open = true
      return {
        adopt(threadId, listener) {
          const early = kept.get(threadId) ?? []
          kept.delete(threadId)
          if (early === 'overflow') throw new Error('overflow')
          const undo = listen(threadId, listener)
          for (const message of early) listener(message)
          return undo
        },
        end() {
          if (!open) return
          open = false
          forks -= 1
          if (forks === 0) kept.clear()
        },
      }
    },
    get sizes() {
      let messages = 0
      for (const queue of kept.values()) messages += queue === 'overflow' ? KEPT_PER_THREAD : queue.length
      return { threads: listeners.size, kept: messages }
    },
  }
}
