/** Everything that differs between versions of the DSH host, found by feature and never by version number.
 *  OLD is 0.1.0-rc.8 to 0.1.2; NEW is 0.2. The rest of this folder speaks to a host only through these functions. */

import type { Context } from '@deepseek-ai/cordis'
import type { Agent, CreateAgentOptions } from '@deepseek-ai/dsh-agent'
import type { Session } from '@deepseek-ai/dsh-session'
import { SideError } from '../../core/errors.ts'
import { record, type VendorEvent } from './translate.ts'

/** How a host stores sessions: OLD only listens to events; NEW writes through a handle made before setup. */
export type StorageShape = 'none' | 'events' | 'handles'

/** A session's own reserved name for the listener filter that cordis consults on every dispatch. */
export const LISTENER_FILTER = Symbol.for('cordis.filter')
const ORIGINAL = Symbol.for('cordis.original')

/** A value behind cordis' tracing proxy, or the value itself. */
export function untraced<T extends object>(traced: T): T {
  return ((traced as Record<symbol, unknown>)[ORIGINAL] as T | undefined) ?? traced
}

/** The service, or undefined when the host lacks it. */
export function service(ctx: Context, name: string): Record<string, unknown> | undefined {
  const value: unknown = (ctx.get as (key: string) => unknown)(name)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
}

/** The events of a session from `from` on, oldest first, without copying payloads. */
export function eventsOf(session: Session, from = 0): readonly VendorEvent[] {
  const shape = session as unknown as {
    events?: readonly VendorEvent[]
    snapshotEvents?: (from?: number) => readonly VendorEvent[]
  }
  if (typeof shape.snapshotEvents === 'function') return shape.snapshotEvents(from)
  if (Array.isArray(shape.events)) return from === 0 ? shape.events : shape.events.slice(from)
  throw new SideError('unsupported', 'this host serves no session events')
}

/** Number of events in a session's log: the next sequence number. */
export function lengthOf(session: Session): number {
  const seq = (session as unknown as { seq?: unknown }).seq
  return typeof seq === 'number' ? seq : eventsOf(session).length
}

/** How this host stores sessions. */
export function storageShape(ctx: Context): StorageShape {
  const persistence = service(ctx, 'sessionPersistence')
  if (persistence === undefined) return 'none'
  return typeof persistence['open'] === 'function' ? 'handles' : 'events'
}

/** Setup as both shapes call it: OLD hands the scoped context only, NEW the agent beside it. */
export type VendorAgentSetup = (agentCtx: Context, handed?: unknown) => void

/** Inside setup: the unpublished agent, handed as second argument (NEW) or found on the context (OLD). */
export function setupAgent(agentCtx: Context, handed: unknown): Agent {
  const agent = (handed ?? agentCtx.agent) as Agent | undefined
  if (agent === undefined) throw new SideError('unsupported', 'this host hands no agent to setup')
  return agent
}

export interface ChildShape {
  readonly sessionId: string
  readonly parent: Agent
  readonly seed: readonly VendorEvent[]
  readonly depth: number
  readonly agentPreset: string | undefined
}

/** What `agents.create` wants on this host, without `agentOptions` and `setup`.
 *  OLD: the parent link is left out, because the header badge counts children by it; `session.history` serves the child.
 *  NEW: the follow stream checks the link, and the badge counts from a catalog that a side never enters. */
export function createOptions(shape: StorageShape, child: ChildShape): CreateAgentOptions {
  const header = child.parent.session.header
  const shared = {
    ...(header.cwd === undefined ? {} : { cwd: header.cwd }),
    origin: 'subagent' as const,
    delegationDepth: child.depth,
    ...(child.agentPreset === undefined ? {} : { agentPreset: child.agentPreset }),
  }
  const seeded = child.seed.length > 0
  const options =
    shape === 'handles'
      ? {
          sessionId: child.sessionId,
          parentAgent: child.parent,
          meta: { ...shared, parentSession: header.id, ...(seeded ? { isSeeded: true } : {}) },
          ...(seeded ? { seed: child.seed, inheritedEventCount: child.seed.length } : {}),
        }
      : {
          sessionId: child.sessionId,
          meta: { ...shared, ...(seeded ? { seedLength: child.seed.length } : {}) },
          ...(seeded ? { seed: child.seed } : {}),
        }
  return options as unknown as CreateAgentOptions
}

/** Functions of the host's own subagent package that a side child is composed with. */
export interface SubagentHelpers {
  resolveChildDepth(parent: Agent, maxDepth: number | undefined): number
  snapshotSubagentDescriptor(input: { mode: 'one-shot'; provider: string; label?: string }): unknown
  captureDelegatedPolicyOverrides(parent: Agent): unknown
  appendDelegatedPolicyOverrides(session: Session, overrides: unknown): void
}

/** The host's subagent helpers; `unsupported` on a host without them. */
export async function subagentHelpers(): Promise<SubagentHelpers> {
  try {
    return await import('@deepseek-ai/dsh-subagent')
  } catch (error) {
    throw new SideError('unsupported', 'this host has no subagent package', error)
  }
}

/** Builds the dispatcher of an agent's own events; null on a host that has none to build. */
export type BuildDispatch = (loopCtx: unknown, agent: Agent) => unknown

export async function dispatchBuilder(): Promise<BuildDispatch | null> {
  try {
    const { agentEvents } = (await import('@deepseek-ai/dsh-agent')) as { agentEvents?: BuildDispatch }
    return typeof agentEvents === 'function' ? agentEvents : null
  } catch {
    return null
  }
}

/** An agent builds the carrier of its own events before setup, when no filter stands yet: without a new one every
 *  listener would go on hearing its inbox, status and steps. `asks` names the question that is being put to them while
 *  it is settled who hears it. */
export function renewDispatch(agent: Agent, build: BuildDispatch | null, asks: (name: string | null) => void): void {
  const inner = agent as unknown as { dispatch?: unknown; loopCtx?: unknown }
  if (build === null || inner.dispatch === undefined || inner.loopCtx === undefined) return
  const built = build(inner.loopCtx, agent) as { waterfall?: (...args: readonly unknown[]) => unknown }
  const { waterfall } = built
  inner.dispatch =
    typeof waterfall !== 'function'
      ? built
      : Object.create(built, {
          waterfall: {
            value(name: string, ...rest: readonly unknown[]) {
              asks(name)
              try {
                return waterfall.call(built, name, ...rest)
              } finally {
                asks(null)
              }
            },
          },
        })
}

/** The route that the parent's next turn would use: a pending pick where the host tells it (D9). */
export async function pendingRoute(
  ctx: Context,
  sessionId: string,
): Promise<{ provider: string; model: string; reasoningEffort?: string } | null> {
  const proxy = service(ctx, 'apiProxy')
  const sessions = proxy?.['sessions'] as { models?: (request: unknown) => Promise<unknown> } | undefined
  if (typeof sessions?.models !== 'function') return null
  const reply = (await sessions.models({
    type: 'client-request',
    rpcId: 'sidemind',
    method: 'session.models',
    payload: { sessionId },
  })) as {
    result?: { ok?: boolean; value?: { current?: { provider?: unknown; model?: unknown; reasoningEffort?: unknown } } }
  }
  const current = reply.result?.ok === true ? reply.result.value?.current : undefined
  if (typeof current?.provider !== 'string' || typeof current.model !== 'string') return null
  return {
    provider: current.provider,
    model: current.model,
    ...(typeof current.reasoningEffort === 'string' ? { reasoningEffort: current.reasoningEffort } : {}),
  }
}

/** How many tokens a request of this route may hold; null when nobody tells. */
export async function contextWindow(
  ctx: Context,
  agent: Agent,
  route: { readonly provider: string; readonly model: string } | null,
): Promise<number | null> {
  const llm = service(ctx, 'llm') as
    | { resolveModelInfo?: (provider: string, model: string) => Promise<{ context?: { contextWindow?: unknown } }> }
    | undefined
  if (route !== null && typeof llm?.resolveModelInfo === 'function') {
    const info = await llm.resolveModelInfo(route.provider, route.model).catch(() => null)
    const size = info?.context?.contextWindow
    if (typeof size === 'number' && size > 0) return size
  }
  const session = agent.session as unknown as {
    requestContext?: () => { provider?: string; model?: string; contextWindow?: unknown } | undefined
  }
  const last = session.requestContext?.()
  const told = last?.provider === route?.provider && last?.model === route?.model ? last?.contextWindow : undefined
  return typeof told === 'number' && told > 0 ? told : null
}

/** Appends an event whose type this build's types may not know; `surface` for one that the model is shown. */
export function appendLoose(session: Session, type: string, data: unknown, ...surface: [] | [unknown]): void {
  const append = session.append as unknown as (
    this: Session,
    type: string,
    data: unknown,
    ...rest: unknown[]
  ) => unknown
  append.call(session, type, data, ...surface)
}

/** Listens, before everybody else, to an event that this build's types may not know. */
export function onLoose(ctx: Context, name: string, listener: () => unknown): void {
  const on = ctx.on as unknown as (this: Context, name: string, listener: () => unknown, options: object) => unknown
  on.call(ctx, name, listener, { prepend: true })
}

/** Tells which conversations are archived from now on; on a host that keeps no such set, nothing. Some hosts end the
 *  agent of an archived conversation and some let it live; only the set itself tells. */
export function onArchived(ctx: Context, tell: (sessionId: string) => void): void {
  const archived = service(ctx, 'workspaceRegistry')?.['archivedSessionIds']
  let known: ReadonlySet<unknown> = new Set(Array.isArray(archived) ? archived : [])
  const on = ctx.on as unknown as (event: string, hear: (change: unknown) => void) => void
  on.call(ctx, 'domain/changed', (change) => {
    const value = record(record(change)?.['value'])
    const ids = value?.['archivedSessionIds']
    if (!Array.isArray(ids)) return
    const before = known
    known = new Set(ids)
    for (const id of ids) if (typeof id === 'string' && !before.has(id)) tell(id)
  })
}
