/** What main is doing and how large it is, for the sides beside it. Reads main's log as the page's own stream tells it,
 *  while somebody looks: nothing is asked of the host that its log would remember (D13). */

import { activityOf, forkPoint, measure } from '../../src/wire/index.ts'
import type { Activity, Measured, VendorEvent } from '../../src/wire/index.ts'
import type { Follow } from './old-follow.ts'
import type { HostSessions } from './seams.ts'

export interface MainView {
  readonly measured: Measured | null
  readonly window: number | null
  readonly activity: Activity | null
}

export interface MainWatch {
  /** The same value until something in it changed. Empty before the log was read. */
  view(sessionId: string): MainView
  /** Reads along while at least one listens. */
  subscribe(sessionId: string, listener: () => void): () => void
}

export interface MainWatchOptions {
  readonly follow: () => Follow | null
  readonly sessions: () => HostSessions | null
  readonly wait: (ms: number, task: () => void) => () => void
}

/** As much of the log as the page itself shows at first. */
const MESSAGES = 50
const AGAIN_MS = 2_000
/** A surface that goes and comes back within this (a tab that is switched) reads on. */
const LINGER_MS = 1_000
const NOTHING: MainView = { measured: null, window: null, activity: null }
/** What changes sizes; everything else can only change what main is at. */
const ENDS: ReadonlySet<string> = new Set(['turn/end', 'compaction/end'])

interface Watched {
  readonly listeners: Set<() => void>
  events: VendorEvent[]
  view: MainView
  abort: AbortController | null
  leave: () => void
}

export function createMainWatch({ follow, sessions, wait }: MainWatchOptions): MainWatch {
  const watched = new Map<string, Watched>()

  function of(sessionId: string): Watched {
    let one = watched.get(sessionId)
    if (one === undefined)
      watched.set(sessionId, (one = { listeners: new Set(), events: [], view: NOTHING, abort: null, leave: () => {} }))
    return one
  }

  function look(sessionId: string, one: Watched, sizes: boolean): void {
    const { events } = one
    const known = sessions()?.sizes(sessionId)
    const activity = activityOf(events)
    const next: MainView = {
      measured: sizes ? measured(events, known?.base ?? 0) : one.view.measured,
      window: known?.window ?? windowIn(events) ?? one.view.window,
      activity: same(activity, one.view.activity) ? one.view.activity : activity,
    }
    const before = one.view
    if (next.measured === before.measured && next.window === before.window && next.activity === before.activity) return
    one.view = next
    for (const listener of one.listeners) listener()
  }

  async function read(sessionId: string, one: Watched, signal: AbortSignal): Promise<void> {
    const stream = follow()
    if (stream === null) return
    for await (const frame of stream({ address: { kind: 'session', sessionId }, maxMessages: MESSAGES }, signal)) {
      if (signal.aborted) return
      if (frame.type === 'snapshot') {
        one.events = frame.records.flatMap((entry) =>
          entry.type === 'event' && isTold(entry.event) ? [entry.event] : [],
        )
        look(sessionId, one, true)
      } else if (frame.type === 'event' && isTold(frame.event)) {
        one.events.push(frame.event)
        look(sessionId, one, ENDS.has(frame.event.type))
      }
    }
  }

  function start(sessionId: string, one: Watched): void {
    if (one.abort !== null) return
    const abort = (one.abort = new AbortController())
    read(sessionId, one, abort.signal)
      .catch(() => {})
      .finally(() => {
        if (one.abort !== abort) return
        one.abort = null
        if (!abort.signal.aborted)
          one.leave = wait(AGAIN_MS, () => void (one.listeners.size > 0 && start(sessionId, one)))
      })
  }

  return {
    view: (sessionId) => watched.get(sessionId)?.view ?? NOTHING,
    subscribe(sessionId, listener) {
      const one = of(sessionId)
      const entry = (): void => listener()
      one.listeners.add(entry)
      one.leave()
      start(sessionId, one)
      return () => {
        one.listeners.delete(entry)
        if (one.listeners.size > 0) return
        one.leave = wait(LINGER_MS, () => {
          one.abort?.abort()
          watched.delete(sessionId)
        })
      }
    },
  }
}

function measured(events: readonly VendorEvent[], base: number): Measured {
  return measure(events, forkPoint(events).cut, base)
}

/** Deltas say nothing here, and are most of a log. */
function isTold(event: VendorEvent): boolean {
  return event.type !== 'assistant/chunk'
}

/** The window that the last request of the log was made for. */
function windowIn(events: readonly VendorEvent[]): number | null {
  const data = events.findLast(({ type }) => type === 'request/context')?.data as
    | { contextWindow?: unknown }
    | undefined
  return typeof data?.contextWindow === 'number' ? data.contextWindow : null
}

function same(a: Activity | null, b: Activity | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
