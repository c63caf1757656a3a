/** The page's one line to the service: events of its thread and of all its sides come over it, because a browser gives an
 *  address six connections over all its tabs. Who joins or leaves has it asked for anew, each behind the last event that was
 *  told; a line that was cut is taken up again the same way. */

import type { Envelope, SideErrorCode } from '../../src/wire/index.ts'
import type { SideAddress, SideClient, SideId, StreamMessage, ThreadEvent, Told } from '../../src/service/client.ts'

/** Who is told. `cut`: the line is down, and comes back by itself. `refused` is the last word. */
export interface Listener<E> {
  readonly open: () => void
  readonly message: (message: StreamMessage<E>) => void
  readonly cut: () => void
  readonly refused: (code: SideErrorCode) => void
}

export interface Line {
  /** Listens until the returned function is called. One listener per side and per thread: a second takes the place. */
  side(side: SideId, listener: Listener<Envelope>): () => void
  thread(threadId: string, listener: Listener<ThreadEvent>): () => void
  dispose(): void
}

export interface LineOptions {
  readonly client: Pick<SideClient, 'events'>
  readonly wait: (ms: number, task: () => void) => () => void
  /** The line was cut, or could not be opened. */
  readonly onTrouble: () => void
}

interface Joined<T, E> {
  readonly target: T
  readonly listener: Listener<E>
  last: number | null
}

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 5_000

export function createLine({ client, wait, onTrouble }: LineOptions): Line {
  const sides = new Map<string, Joined<SideId, Envelope>>()
  const threads = new Map<string, Joined<string, ThreadEvent>>()
  let reading = new AbortController()
  let retryMs = FIRST_RETRY_MS
  let cancelPlan: (() => void) | null = null

  function plan(ms: number): void {
    cancelPlan?.()
    cancelPlan = wait(ms, () => {
      cancelPlan = null
      void read()
    })
  }

  async function read(): Promise<void> {
    reading.abort()
    const { signal } = (reading = new AbortController())
    if (sides.size + threads.size === 0) return
    const wanted = {
      sides: [...sides.values()].map(({ target, last }) => ({ side: target, ...afterOf(last) })),
      threads: [...threads.values()].map(({ target, last }) => ({ threadId: target, ...afterOf(last) })),
    }
    try {
      for await (const told of client.events(wanted, signal)) {
        if (signal.aborted) return
        hear(told)
      }
    } catch {
      // Whatever it was, the line is down.
    }
    if (signal.aborted || sides.size + threads.size === 0) return
    onTrouble()
    for (const { listener } of [...sides.values(), ...threads.values()]) listener.cut()
    plan(retryMs)
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
  }

  function hear(told: Told): void {
    switch (told.kind) {
      case 'open':
        retryMs = FIRST_RETRY_MS
        for (const { listener } of [...sides.values(), ...threads.values()]) listener.open()
        return
      case 'side':
        return tell(sides.get(keyOf(told.side)), told.message)
      case 'thread':
        return tell(threads.get(told.threadId), told.message)
      case 'refusedSide':
        return refuse(sides, keyOf(told.side), told.code)
      case 'refusedThread':
        return refuse(threads, told.threadId, told.code)
    }
  }

  function tell<T, E>(one: Joined<T, E> | undefined, message: StreamMessage<E>): void {
    if (one === undefined) return
    one.last = message.sequence
    one.listener.message(message)
  }

  function refuse<T, E>(all: Map<string, Joined<T, E>>, key: string, code: SideErrorCode): void {
    const one = all.get(key)
    all.delete(key)
    if (sides.size + threads.size === 0) reading.abort()
    one?.listener.refused(code)
  }

  function join<T, E>(all: Map<string, Joined<T, E>>, key: string, target: T, listener: Listener<E>): () => void {
    const one = { target, listener, last: null }
    all.set(key, one)
    plan(0)
    return () => {
      if (all.get(key) !== one) return
      all.delete(key)
      plan(0)
    }
  }

  return {
    side: (side, listener) => join(sides, keyOf(side), side, listener),
    thread: (threadId, listener) => join(threads, threadId, threadId, listener),
    dispose() {
      cancelPlan?.()
      reading.abort()
      sides.clear()
      threads.clear()
    },
  }
}

function keyOf({ workspaceId, sourceSessionId, sideSessionId }: SideAddress): string {
  return JSON.stringify([workspaceId, sourceSessionId, sideSessionId])
}

function afterOf(last: number | null): { readonly after?: number } {
  return last === null ? {} : { after: last }
}
