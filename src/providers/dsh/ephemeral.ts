/** Keeps a side out of everything that stores, indexes, exports or reacts to sessions (I4, I5).
 *  Owns who may see a side's events (an allow-list) and, on hosts that write through handles, the handle that writes nothing. */

import type { Context } from '@deepseek-ai/cordis'
import type { Agent } from '@deepseek-ai/dsh-agent'
import type { Session } from '@deepseek-ai/dsh-session'
import { SideError } from '../../core/errors.ts'
import { LISTENER_FILTER, service, storageShape, untraced } from './seams.ts'

/** Services whose listeners the agent loop and the client's stream need. Everybody else sees nothing of a side:
 *  storage, search, titles, telemetry, goals, memory, and every plugin that nobody thought of. */
const SERVICES_THAT_SEE: readonly string[] = [
  'agentLoop',
  'agentPresets',
  'apiProxy',
  'approval',
  'compaction',
  'fileReferences',
  'llm',
  'permissionPresets',
  'planMode',
  'sandboxPolicy',
  'sessionController',
  'sessionProjections',
  'systemPrompt',
  'tokenMeter',
  'toolResultPruner',
  'tools',
  'userQuestions',
]

/** Plugins without a service that a model call or a read-only tool needs, by their fiber's name.
 *  A renamed one is refused, which costs its comfort and leaks nothing. */
const PLUGINS_THAT_SEE: readonly string[] = [
  'agent-instructions',
  'llm-retry',
  'repeat-tool-reminder',
  'spill-policy',
  'timeout-policy',
]

interface FiberLike {
  readonly name?: string
  readonly store?: Record<string, { readonly fiber?: unknown } | undefined>
  readonly parent?: { readonly fiber?: FiberLike }
}

/** Names of the services that exactly this fiber provides. */
function providedBy(fiber: FiberLike): readonly string[] {
  return Object.entries(fiber.store ?? {}).flatMap(([name, impl]) => (impl?.fiber === fiber ? [name] : []))
}

function within(fiber: FiberLike, ancestor: FiberLike): boolean {
  let at: FiberLike | undefined = fiber
  while (at !== undefined) {
    if (at === ancestor) return true
    const next: FiberLike | undefined = at.parent?.fiber
    if (next === at) return false
    at = next
  }
  return false
}

/** Whether the owner of a listener may see a side whose own scope is `scope`. */
export function maySee(listener: FiberLike | undefined, scope: FiberLike): boolean {
  if (listener === undefined) return false
  if (within(listener, scope)) return true
  if (providedBy(listener).some((name) => SERVICES_THAT_SEE.includes(name))) return true
  return listener.name !== undefined && PLUGINS_THAT_SEE.includes(listener.name)
}

/** The service that shortens a conversation that grew too long. */
const SHORTENS = 'compaction'

/** Follows whether the running turn of a side was shortened already. Once a turn is enough: what is too long even so stays
 *  too long, and a model that is asked again and again costs the person time and tokens (K05). Hears one event at a time:
 *  a host may copy its whole log for whoever asks to see it. */
export function shortenedWatch(): { hear(type: string): void; shortened(): boolean } {
  let shortened = false
  return {
    hear(type) {
      if (type === 'compaction/start') shortened = true
      else if (type === 'turn/start' || type === 'turn/end') shortened = false
    },
    shortened: () => shortened,
  }
}

/** What the plugin that shortens is asked before each step: whether this side has grown too long. */
const LOOK = 'agent/pre-step'

/** Hides an unpublished side from every listener that is not allowed, for its session's and its agent's events. While
 *  `roomy`, whoever shortens is not asked to look either; it hears that a model refused a request as too long all the same.
 *  Must run inside setup: the host reads the filter when the session is entered.
 *  @returns hears which question is being put to the agent's listeners (seams.ts). */
export function hideFromListeners(
  agentCtx: Context,
  agent: Agent,
  roomy: () => boolean,
): (question: string | null) => void {
  const scope = agentCtx.fiber as unknown as FiberLike
  const verdicts = new WeakMap<object, boolean | 'shortens'>()
  const watch = shortenedWatch()
  let asked: string | null = null
  agentCtx.on('session/event', (session, event) => {
    if (session === agent.session) watch.hear(event.type)
  })
  const filter = (listener: { readonly fiber?: FiberLike }): boolean => {
    const fiber = listener.fiber
    if (fiber === undefined) return false
    let verdict = verdicts.get(fiber)
    if (verdict === undefined) {
      verdict = maySee(fiber, scope) && (providedBy(fiber).includes(SHORTENS) ? 'shortens' : true)
      verdicts.set(fiber, verdict)
    }
    return verdict === 'shortens' ? !watch.shortened() && !(asked === LOOK && roomy()) : verdict
  }
  for (const subject of [agent.session, agent])
    Object.defineProperty(subject, LISTENER_FILTER, { value: filter, configurable: true })
  return (question) => {
    asked = question
  }
}

/** What a NEW host's persistence hands out for writing; this one keeps nothing. */
function transientHandle(header: unknown, inheritedEventCount: number): Record<PropertyKey, unknown> {
  const nothing = async (): Promise<void> => {}
  return {
    id: (header as { id?: unknown }).id,
    header,
    inheritedEventCount,
    access: 'write',
    read: async () => [],
    append: nothing,
    flush: nothing,
    close: nothing,
    [Symbol.asyncDispose]: nothing,
  }
}

/** Runs `create`, which must reach the host's storage synchronously, so that the session `id` gets a handle that stores
 *  nothing. The returned `intercepted` says whether the host really took it; setup must refuse to go on when it did not. */
export function withTransientStorage<T>(ctx: Context, id: string, create: (intercepted: () => boolean) => T): T {
  if (storageShape(ctx) !== 'handles') return create(() => true)
  const persistence = untraced(service(ctx, 'sessionPersistence') as object) as {
    create?: (header: { id?: unknown }, options?: { inheritedEventCount?: number }) => unknown
  }
  const original = persistence.create
  if (typeof original !== 'function') throw new SideError('unsupported', 'this host stores sessions in an unknown way')
  const previous = Object.getOwnPropertyDescriptor(persistence, 'create')
  let taken = false
  Object.defineProperty(persistence, 'create', {
    configurable: true,
    writable: true,
    value(this: unknown, header: { id?: unknown }, options?: { inheritedEventCount?: number }) {
      if (header.id !== id) return Reflect.apply(original, this, [header, options])
      taken = true
      return Promise.resolve(transientHandle(header, options?.inheritedEventCount ?? 0))
    },
  })
  try {
    return create(() => taken)
  } finally {
    if (previous === undefined) delete persistence.create
    else Object.defineProperty(persistence, 'create', previous)
  }
}

/** Whether the host can be kept from storing a side at all. */
export function canHide(ctx: Context): boolean {
  const shape = storageShape(ctx)
  if (shape !== 'handles') return true
  return typeof (service(ctx, 'sessionPersistence') as { create?: unknown } | undefined)?.create === 'function'
}

/** Whether a session is still entered in the host's live store. */
export function isLive(ctx: Context, sessionId: string): boolean {
  const sessions = service(ctx, 'sessions') as { get?: (id: string) => Session | undefined } | undefined
  return sessions?.get?.(sessionId) !== undefined
}
