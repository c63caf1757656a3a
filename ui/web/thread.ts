/** One thread of the person as this page shows it: attaching, what is said in it, and whether it still runs. The same
 *  projector reads it as reads a side. A lost line is taken up again with a snapshot. */

import type { SideErrorCode, Transcript } from '../../src/wire/index.ts'
import { EMPTY_TRANSCRIPT, project, SideError, toSideError } from '../../src/wire/index.ts'
import type { Output, SideClient } from '../../src/service/client.ts'
import type { Line } from './line.ts'

export type ThreadFacts = Output<'attachThread'>

/** `lost`: its process ended; what was said stays readable. `refused`: it cannot be attached. */
export type ThreadStage =
  | { readonly at: 'attaching' }
  | { readonly at: 'open'; readonly offline: boolean }
  | { readonly at: 'lost' }
  | { readonly at: 'refused'; readonly code: SideErrorCode }

export interface ThreadSnapshot {
  readonly threadId: string
  readonly stage: ThreadStage
  /** Null until it was attached once. */
  readonly facts: ThreadFacts | null
  readonly transcript: Transcript
}

export interface Thread {
  snapshot(): ThreadSnapshot
  subscribe(listener: () => void): () => void
  /** Runs it again after it was lost or refused. */
  attach(): void
  /** Resolves when the question was accepted. Rejects with SideError. */
  ask(text: string): Promise<void>
  stop(): Promise<void>
  answer(requestId: string, decision: 'accept' | 'decline'): Promise<void>
  dispose(): void
}

export interface ThreadOptions {
  readonly client: SideClient
  /** Its owner's. */
  readonly line: Line
  readonly threadId: string
  /** Known when the thread was just started here. */
  readonly facts?: ThreadFacts
  readonly newId: () => string
  readonly wait: (ms: number, task: () => void) => () => void
  /** Runs `task` before the next paint; returns its undo. */
  readonly frame: (task: () => void) => () => void
  readonly onTrouble: () => void
}

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 4_000

export function createThread(options: ThreadOptions): Thread {
  const { client, line, threadId, newId, wait, onTrouble } = options
  const params = { threadId }
  const listeners = new Set<() => void>()
  let now: ThreadSnapshot = {
    threadId,
    stage: { at: 'attaching' },
    facts: options.facts ?? null,
    transcript: EMPTY_TRANSCRIPT,
  }
  let attaching = new AbortController()
  let stopReading: () => void = () => {}
  let retryMs = FIRST_RETRY_MS
  let cancelRetry: () => void = () => {}
  let cancelFrame: (() => void) | null = null

  function become(change: Partial<ThreadSnapshot>): void {
    now = { ...now, ...change }
    for (const listener of listeners) listener()
  }

  /** However many events come, the page hears of them once per frame. */
  function read(transcript: Transcript): void {
    now = { ...now, transcript }
    cancelFrame ??= options.frame(() => {
      cancelFrame = null
      for (const listener of listeners) listener()
    })
  }

  function failed(error: unknown): void {
    const { code } = toSideError(error)
    if (code === 'stream_unavailable') {
      onTrouble()
      again()
    } else become({ stage: { at: 'refused', code } })
  }

  function again(): void {
    if (now.stage.at === 'open' && !now.stage.offline) become({ stage: { at: 'open', offline: true } })
    cancelRetry = wait(retryMs, () => void run())
    retryMs = Math.min(retryMs * 2, LAST_RETRY_MS)
  }

  async function run(known: ThreadFacts | null = null): Promise<void> {
    attaching.abort()
    stopReading()
    const abort = (attaching = new AbortController())
    try {
      const facts = known ?? (await client.call('attachThread', { params }, abort.signal))
      if (!abort.signal.aborted) follow(facts)
    } catch (error) {
      if (!abort.signal.aborted) failed(error)
    }
  }

  function follow(facts: ThreadFacts): void {
    let transcript = EMPTY_TRANSCRIPT
    stopReading = line.thread(threadId, {
      open() {},
      message(message) {
        retryMs = FIRST_RETRY_MS
        transcript =
          message.kind === 'snapshot'
            ? message.events.reduce((view, event) => project(view, event), EMPTY_TRANSCRIPT)
            : project(transcript, message.event)
        if (transcript.lifecycle === 'expired' || transcript.lifecycle === 'closed') {
          stopReading()
          become({ facts, transcript, stage: { at: 'lost' } })
        } else if (now.stage.at === 'open' && !now.stage.offline) read(transcript)
        else become({ facts, transcript, stage: { at: 'open', offline: false } })
      },
      // Its process may be another one afterwards: it is attached again.
      cut() {
        stopReading()
        again()
      },
      refused: (code) => failed(new SideError(code, `thread ${threadId} is not told of`)),
    })
  }

  /** Calls the service, and tells when it is not there. */
  async function reach(work: Promise<unknown>): Promise<void> {
    try {
      await work
    } catch (error) {
      const known = toSideError(error)
      if (known.code === 'stream_unavailable') onTrouble()
      throw known
    }
  }

  void run(options.facts ?? null)
  return {
    snapshot: () => now,
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    attach() {
      cancelRetry()
      // What was said stays on screen until the stored turns are there.
      become({ stage: { at: 'attaching' } })
      void run()
    },
    ask: (text) => reach(client.call('askThread', { params, body: { turnId: newId(), text } })),
    async stop() {
      const turn = now.transcript.turns.findLast((one) => one.phase !== 'settled')
      if (turn !== undefined) await reach(client.call('interruptThread', { params, body: { turnId: turn.turnId } }))
    },
    answer: (requestId, decision) => reach(client.call('answerThread', { params, body: { requestId, decision } })),
    dispose() {
      cancelRetry()
      cancelFrame?.()
      attaching.abort()
      stopReading()
      listeners.clear()
    },
  }
}
