/** A double of the 0.2 host's creation window, written from what that host was seen to do: prepare, a write handle for
 *  the session, setup(agentCtx, agent), append of seed and setup events, publish. Records everything that would be stored
 *  and every event by who may hear it. Only for shapes that cannot be booted here; the real host proves the rest. */

export interface NewHost {
  readonly ctx: never
  readonly parent: never
  /** `<session id> <verb>` of everything that reached the storage. */
  readonly stored: string[]
  /** Options of the last create. */
  created: Record<string, unknown>
  /** What the child ended up with. */
  readonly child: {
    restricted: unknown
    guards: unknown[]
    contexts: { name: string; text: string }[]
    log: Event[]
    inboxCleared: boolean
    filter: ((ctx: unknown) => boolean) | undefined
  }
  /** Creates an ordinary session meanwhile. */
  createOrdinary(id: string): Promise<unknown>
  readonly persistence: { create: (header: { id: string }, options?: object) => Promise<unknown> }
}

interface Event {
  type: string
  seq: number
  time: number
  data: unknown
}

const FILTER = Symbol.for('cordis.filter')

/** @param options `deferred` = the host reaches its storage a tick later, as it does when a signal is passed. */
export function newHost(
  parentLog: readonly Omit<Event, 'seq' | 'time'>[],
  options: { deferred?: boolean } = {},
): NewHost {
  const stored: string[] = []
  const child: NewHost['child'] = {
    restricted: undefined,
    guards: [],
    contexts: [],
    log: [],
    inboxCleared: false,
    filter: undefined,
  }
  const log: Event[] = parentLog.map((event, seq) => ({ ...event, seq, time: seq }))
  const persistence = {
    async open(): Promise<void> {},
    create(header: { id: string }): Promise<unknown> {
      stored.push(`${header.id} create`)
      return Promise.resolve({
        id: header.id,
        append: async () => void stored.push(`${header.id} append`),
        flush: async () => {},
        close: async () => {},
      })
    },
  }
  const fiber = { name: 'scope', store: {}, parent: { fiber: { name: 'root' } } }
  const services: Record<string, unknown> = { sessionPersistence: persistence }
  const session = (id: string, events: Event[]) => ({
    id,
    header: { id, cwd: '/workspace' },
    snapshotEvents: (from = 0) => events.slice(from),
    append: (type: string, data: unknown) => events.push({ type, seq: events.length, time: 0, data }),
    requestHeader: () => undefined,
    get seq() {
      return events.length
    },
  })
  const parent = {
    id: 'parent',
    options: { provider: 'p', model: 'm' },
    session: session('parent', log),
    ctx: { get: () => undefined },
  }

  async function create(wanted: Record<string, unknown>): Promise<unknown> {
    host.created = wanted
    const id = String(wanted['sessionId'])
    if (options.deferred === true) await Promise.resolve()
    const handle = (await persistence.create({ id })) as { append(): Promise<void> }
    const events = [...((wanted['seed'] as Event[] | undefined) ?? [])]
    if (events.length > 0)
      events.push({ type: 'session/end-seed', seq: events.length, time: 0, data: { inherited: true } })
    child.log = events
    const agent = {
      id,
      session: session(id, events),
      inbox: { hasPending: true, clear: () => void (child.inboxCleared = true) },
    }
    const agentCtx = {
      fiber,
      tools: {
        restrict: (filter: unknown) => {
          child.restricted = filter
          return () => {}
        },
        guard: (guard: unknown) => child.guards.push(guard),
      },
      systemPrompt: {
        context: (context: { name: string; text: string }) => {
          if (child.contexts.some(({ name }) => name === context.name)) throw new Error(`${context.name} twice`)
          child.contexts.push(context)
          return () => void child.contexts.splice(child.contexts.indexOf(context), 1)
        },
      },
      on: () => () => {},
    }
    await (wanted['setup'] as (ctx: unknown, agent: unknown) => unknown)(agentCtx, agent)
    child.filter = (agent.session as Record<symbol, unknown>)[FILTER] as typeof child.filter
    await handle.append()
    return { agent, dispose: async () => {} }
  }

  const ctx = { get: (name: string) => services[name], agents: { create } }
  const host: NewHost = {
    ctx: ctx as never,
    parent: parent as never,
    stored,
    created: {},
    child,
    persistence,
    createOrdinary: (id) => persistence.create({ id }),
  }
  return host
}
