/** What the host sends to its pages, as a list to look at: the live events of every conversation. */

/** One frame of the host's event stream; `session/event` frames carry an event of the conversation's log. */
export interface Frame {
  /** Milliseconds since the epoch, on arrival. */
  at: number
  type: string
  sessionId?: string
  event?: { type: string; seq: number; data?: unknown }
}

/** The frames that have come so far, and a way to wait for one. */
export interface Frames {
  readonly all: readonly Frame[]
  /** The log events of one conversation. */
  events(sessionId: string): NonNullable<Frame['event']>[]
  /**
   * The first matching frame, from `since` (an index into `all`, 0 by default) on.
   * @throws when none came within `ms`, with the types that did.
   */
  waitFor(what: string, match: (frame: Frame) => boolean, options?: { since?: number; ms?: number }): Promise<Frame>
  close(): void
}

/** Connects to a host's event stream. @param url the host's address without a slash at the end. */
export async function followFrames(url: string): Promise<Frames> {
  const all: Frame[] = []
  const waiting = new Set<() => void>()
  const socket = new WebSocket(`${url.replace('http', 'ws')}/api/events.mux`)
  socket.addEventListener('message', ({ data }) => {
    const { payload }: { payload: Omit<Frame, 'at'> } = JSON.parse(String(data))
    all.push({ ...payload, at: Date.now() })
    for (const look of waiting) look()
  })
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve(), { once: true })
    socket.addEventListener('error', () => reject(new Error(`no event stream at ${url}`)), { once: true })
  })
  return {
    all,
    events: (sessionId) => all.flatMap((frame) => (frame.sessionId === sessionId && frame.event ? [frame.event] : [])),
    waitFor(what, match, { since = 0, ms = 15_000 } = {}) {
      return new Promise((resolve, reject) => {
        let seen = since
        const timer = setTimeout(() => {
          waiting.delete(look)
          reject(new Error(`${what}: nothing within ${ms} ms. Last frames: ${describe(all.slice(-12))}`))
        }, ms)
        const look = (): void => {
          for (let frame = all[seen]; frame !== undefined; frame = all[++seen]) {
            if (!match(frame)) continue
            clearTimeout(timer)
            waiting.delete(look)
            resolve(frame)
            return
          }
        }
        waiting.add(look)
        look()
      })
    },
    close: () => socket.close(),
  }
}

function describe(frames: Frame[]): string {
  return frames.map((frame) => frame.event?.type ?? frame.type).join(', ') || 'none at all'
}
