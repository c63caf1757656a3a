/** Everything of the host's client that differs between versions, found by feature. OLD is 0.1.0 to 0.1.2, NEW is 0.2.
 *  The rest of this folder speaks to the host only through these functions; nothing here is required to exist. */

import type { ReactElement } from 'react'
import {
  expectOld,
  failureOf,
  followOld,
  oldHost,
  pageOf,
  type Early,
  type Follow,
  type FollowRequest,
  type Page,
  type PageRequest,
} from './old-follow.ts'
import type { Connected } from './stream.ts'

/** The part of a client context that we use. Services that a host may lack are reached with `get`. */
export interface ClientContext {
  get(name: string): unknown
  inject(services: readonly string[], callback: (ctx: ClientContext) => void): unknown
  effect(setup: () => () => void, label?: string): () => void
  on(event: string, listener: (...args: never[]) => void): () => void
}

export interface RemoteResult<T> {
  readonly ok: boolean
  readonly value?: T
  readonly error?: { readonly code?: string; readonly message?: string }
}

export interface CommandExecution {
  readonly result:
    | { readonly kind: 'success'; readonly text?: string }
    | { readonly kind: 'error'; readonly text: string }
}

export type ExecuteCommand = (
  agentId: string,
  line: string,
  images: readonly unknown[],
  signal?: AbortSignal,
) => Promise<RemoteResult<CommandExecution | undefined>>

/** `remote.commands.execute`, or null when this host has no command transport. */
export function commandTransport(ctx: ClientContext): ExecuteCommand | null {
  const commands =
    member(
      quiet(() => ctx.get('remote')),
      'commands',
    ) ?? quiet(() => ctx.get('remote.commands'))
  const execute = member(commands, 'execute')
  if (typeof execute !== 'function') return null
  return (agentId, line, images, signal) =>
    Reflect.apply(execute, commands, [agentId, line, images, signal]) as ReturnType<ExecuteCommand>
}

/** The host's own follow stream where it has one, else the same frames from that host's history and events.
 *  Null when the host offers neither. */
export function followOf(ctx: ClientContext): Follow | null {
  const session =
    member(
      quiet(() => ctx.get('remote')),
      'session',
    ) ?? quiet(() => ctx.get('remote.session'))
  const follow = member(session, 'follow')
  if (typeof follow === 'function') {
    const own = (request: FollowRequest, signal?: AbortSignal) =>
      Reflect.apply(follow, session, [request, signal]) as ReturnType<Follow>
    const page = member(session, 'page')
    if (typeof page !== 'function') return own
    return Object.assign(own, {
      async page(request: PageRequest, signal: AbortSignal) {
        const { value, error } = (await Reflect.apply(page, session, [request, signal])) as RemoteResult<Page>
        if (value === undefined) throw failureOf(request.address, `${error?.code}`, `${error?.message}`)
        return value
      },
    })
  }
  const host = oldHost(quiet(() => ctx.get('connection')))
  if (host === undefined) return null
  const old = (request: FollowRequest, signal?: AbortSignal, early?: Early) => followOld(request, host, signal, early)
  return Object.assign(old, {
    expect: (sessionId: string) => expectOld(sessionId, host),
    page: async ({ address, beforeSeq }: PageRequest, signal: AbortSignal) =>
      pageOf(await host.history(address, beforeSeq === undefined ? {} : { beforeSeq }, signal)),
  })
}

/** Whether the page reaches its host, on hosts whose client tells (0.1.x: its description of the host is gone meanwhile). */
export function connectedOf(ctx: ClientContext): Connected | null {
  const source = member(
    quiet(() => ctx.get('connection')),
    'hostDescription',
  )
  const snapshot = member(source, 'getSnapshot')
  const subscribe = member(source, 'subscribe')
  if (typeof snapshot !== 'function' || typeof subscribe !== 'function') return null
  return {
    now: () => Reflect.apply(snapshot, source, []) !== undefined,
    subscribe: (listener) => Reflect.apply(subscribe, source, [listener]) as () => void,
  }
}

/** The host's own list of commands by conversation (`list`), or undefined. */
export function remoteCommands(ctx: ClientContext): unknown {
  return (
    member(
      quiet(() => ctx.get('remote')),
      'commands',
    ) ?? quiet(() => ctx.get('remote.commands'))
  )
}

/** What our entry answers for a typed line, in the shape of the host's input trigger sources. */
export interface LineClaim {
  readonly token: string
  readonly hint?: string
  submit(args: string): Promise<{ readonly kind: 'success' | 'error'; readonly text?: string }>
}

export interface LinePick {
  readonly candidate: { readonly name: string }
  readonly session: { readonly sessionId: string }
  /** Where the typed token stands in the draft. */
  readonly span?: { readonly start: number; readonly end: number; readonly draftRev: number }
}

export interface LineSource {
  readonly trigger: '/'
  readonly name: string
  readonly order: number
  candidates(): Promise<readonly never[]>
  onPick(pick: LinePick): { readonly claim: LineClaim } | 'handled' | undefined
  matchSpace(session: { readonly sessionId: string }, token: string): { readonly claim: LineClaim } | undefined
  matchEnter(
    session: { readonly sessionId: string },
    line: string,
    signal: AbortSignal,
    envelope: { readonly images?: number; readonly attachments?: number } | undefined,
  ): Promise<{ readonly claim: LineClaim } | undefined>
}

/** Registers `source` and gets it ahead of the host's own command source, which would claim our commands with its
 *  plain transaction (a refused draft would be lost there). Public order decides while typing; for pasted lines and
 *  menu picks the roster itself is reordered where the host keeps it as a list. @returns the undo. */
export function registerLineSource(inputTriggers: unknown, source: LineSource): () => void {
  const register = member(inputTriggers, 'registerSource')
  if (typeof register !== 'function') return () => {}
  const unregister = Reflect.apply(register, inputTriggers, [source]) as () => void
  const roster = member(member(inputTriggers, 'live'), 'sources')
  const undo: (() => void)[] = [unregister]
  if (Array.isArray(roster)) {
    const at = roster.indexOf(source)
    if (at > 0) roster.unshift(...roster.splice(at, 1))
    const commands: unknown = roster.find((entry) => member(entry, 'name') === 'command')
    const pick = member(commands, 'onPick')
    if (typeof pick === 'function') {
      const host = commands as { onPick: unknown }
      const own = Object.getOwnPropertyDescriptor(host, 'onPick')
      host.onPick = (request: LinePick) => source.onPick(request) ?? (Reflect.apply(pick, host, [request]) as unknown)
      undo.push(() => {
        if (own !== undefined) Object.defineProperty(host, 'onPick', own)
      })
    }
  }
  return () => {
    for (const step of undo.toReversed()) step()
  }
}

/** Takes a typed token out of a conversation's draft. @returns whether the host did. */
export function consumeToken(
  sessions: HostSessions | null,
  sessionId: string,
  span: NonNullable<LinePick['span']>,
): boolean {
  const scope = sessions?.scope(sessionId)
  const bail = member(scope, 'bail')
  if (typeof bail !== 'function') return false
  return (
    quiet(
      () =>
        Reflect.apply(bail, scope, [scope, 'slash/input-consume-token', { guard: { kind: 'span', span } }]) === true,
    ) ?? false
  )
}

export interface HostLocale {
  active(): string
  subscribe(listener: () => void): () => void
}

/** The host's language, live; English where the host tells none. */
export function localeOf(ctx: ClientContext): HostLocale {
  const locale = quiet(() => ctx.get('locale'))
  const snapshot = member(locale, 'getSnapshot')
  const subscribe = member(locale, 'subscribe')
  return {
    active() {
      if (typeof snapshot !== 'function') return 'en'
      const active = member(Reflect.apply(snapshot, locale, []), 'active')
      return typeof active === 'string' ? active : 'en'
    },
    subscribe(listener) {
      if (typeof subscribe !== 'function') return () => {}
      return Reflect.apply(subscribe, locale, [listener]) as () => void
    },
  }
}

export interface HostSessions {
  /** The conversation on screen, or undefined. */
  current(): string | undefined
  /** Whether a conversation's turn runs or waits for its person. */
  activity(sessionId: string): 'running' | 'approval' | 'question' | 'idle'
  /** What the host counts of a conversation's context: window of its model, and system prompt with tools; tokens. */
  sizes(sessionId: string): { readonly window: number | null; readonly base: number }
  /** Puts another conversation on screen; false where the host does not let us. */
  open(sessionId: string): boolean
  /** What the conversation is called in the host's list, '' when it is not in it. */
  title(sessionId: string): string
  subscribe(listener: () => void): () => void
  /** Scoped context of a conversation, for services that are addressed by scope. */
  scope(sessionId: string): unknown
}

/** The host's list of conversations, or null. */
export function sessionsOf(ctx: ClientContext): HostSessions | null {
  const sessions = quiet(() => ctx.get('sessions'))
  const list = member(sessions, 'list')
  const snapshot = member(list, 'getSnapshot')
  const subscribe = member(list, 'subscribe')
  const scope = member(sessions, 'scope')
  if (typeof snapshot !== 'function' || typeof subscribe !== 'function') return null
  const state = (): unknown => Reflect.apply(snapshot, list, [])
  return {
    current() {
      const current = member(state(), 'current')
      return typeof current === 'string' ? current : undefined
    },
    activity(sessionId) {
      const row = member(member(state(), 'byId'), sessionId)
      const pending = member(row, 'pendingInteraction')
      if (pending !== undefined) return pending === 'question' ? 'question' : 'approval'
      return member(row, 'running') === true ? 'running' : 'idle'
    },
    sizes(sessionId) {
      const values = member(member(member(state(), 'byId'), sessionId), 'projectionValues')
      const window = member(member(values, 'contextPressure'), 'contextWindow')
      const breakdown = member(values, 'contextBreakdown')
      const parts = [member(breakdown, 'systemTokens'), member(breakdown, 'toolsTokens')]
      return {
        window: typeof window === 'number' && window > 0 ? window : null,
        base: parts.reduce((sum: number, part) => sum + (typeof part === 'number' ? part : 0), 0),
      }
    },
    open(sessionId) {
      const open = member(sessions, 'open')
      if (typeof open !== 'function' || member(member(state(), 'byId'), sessionId) === undefined) return false
      return quiet(() => Reflect.apply(open, sessions, [sessionId]) as unknown) === undefined
    },
    title(sessionId) {
      const title = member(member(member(state(), 'byId'), sessionId), 'displayTitle')
      return typeof title === 'string' ? title : ''
    },
    subscribe: (listener) => Reflect.apply(subscribe, list, [listener]) as () => void,
    scope: (sessionId) =>
      typeof scope === 'function' ? (Reflect.apply(scope, sessions, [sessionId]) as unknown) : undefined,
  }
}

/** The host's slot registry: `inject` waits until a slot is declared, `register` fills it. */
export interface HostSlots {
  inject(slot: string, callback: () => () => void): () => void
  register(
    options: Record<string, unknown>,
    component: (props: Record<string, unknown>) => ReactElement | null,
  ): () => void
}

export interface SidebarTabs {
  register(definition: Record<string, unknown>): () => void
}

/** A property of anything, or undefined; never throws. */
export function member(value: unknown, key: string): unknown {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return undefined
  return quiet(() => (value as Record<string, unknown>)[key])
}

/** Hosts throw when a service is named that was never provided; here that means absent. */
function quiet<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
