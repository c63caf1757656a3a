/** Makes the child agent of one side: the inherited prefix, the side's own composition, nothing stored.
 *  Owns what happens inside the host's creation window; provider.ts owns the child afterwards. */

import type { Context } from '@deepseek-ai/cordis'
import type { Agent, AgentHandle, AgentOptions } from '@deepseek-ai/dsh-agent'
import type { ModelRoute, SideKind } from '../../core/contract.ts'
import { SideError } from '../../core/errors.ts'
import type { Asking } from './asking.ts'
import { hideFromListeners, withTransientStorage } from './ephemeral.ts'
import { refuseUnlisted } from './guard.ts'
import type { DshSource } from './parent.ts'
import { deepFreeze } from './message.ts'
import { boundRefusals } from './refusals.ts'
import { roomWatch } from './room.ts'
import { takeSeat, type RouteSeat } from './route.ts'
import {
  appendLoose,
  createOptions,
  dispatchBuilder,
  eventsOf,
  lengthOf,
  renewDispatch,
  service,
  setupAgent,
  storageShape,
  subagentHelpers,
  type SubagentHelpers,
  type VendorAgentSetup,
} from './seams.ts'
import { seedOf } from './seed.ts'
import { plainText } from './translate.ts'

export const BOUNDARY_NAME = 'sidemind:fork-boundary'
const BOUNDARY_ORDER = 130

export interface ChildPlan {
  readonly sessionId: string
  readonly kind: SideKind
  readonly source: DshSource
  readonly boundary: string
  readonly route: ModelRoute | null
  /** Names that may run. */
  readonly allowed: readonly string[]
  /** `restrict` takes the other tools out of the request, `inherit` leaves the list as the parent's. */
  readonly surface: 'restrict' | 'inherit'
  /** Takes what this child asks its person. */
  readonly asking: Asking
}

export interface Child {
  readonly handle: AgentHandle
  /** First sequence number that the side wrote once it was published: from there on its page hears of every event. */
  readonly from: number
  /** Which model its next step asks. */
  readonly seat: RouteSeat
  /** From now on these run, as in a `side`, and the boundary reads so. */
  promote(allowed: readonly string[], boundary: string): void
  /** Goes in as a message of its own beside the next question; the transcript does not show it. */
  tell(note: string): void
}

/** Creates the child. Whatever fails inside the window is rolled back by the host; nothing is published then. */
export async function createChild(
  ctx: Context,
  parent: Agent,
  plan: ChildPlan,
  loadHelpers: () => Promise<SubagentHelpers> = subagentHelpers,
): Promise<Child> {
  const helpers = await loadHelpers()
  const buildDispatch = await dispatchBuilder()
  const shape = storageShape(ctx)
  const depth = helpers.resolveChildDepth(parent, undefined)
  const policy = helpers.captureDelegatedPolicyOverrides(parent)
  const presets = service(parent.ctx, 'agentPresets') as
    | {
        composeFrom?: (child: Context, parent: Context) => void
        composedPreset?: (parent: Context) => string | undefined
      }
    | undefined
  const seed = seedOf(eventsOf(parent.session), plan.source.from, plan.source.cut)
  const seat: RouteSeat = { current: plan.route }
  let from = seed.length
  let promote: Child['promote'] = () => undefined
  let tell: Child['tell'] = () => undefined

  const setup: VendorAgentSetup = (agentCtx, handed) => {
    const agent = setupAgent(agentCtx, handed)
    const asks = hideFromListeners(agentCtx, agent, roomOf(agentCtx, agent, plan, seat))
    renewDispatch(agent, buildDispatch, asks)
    presets?.composeFrom?.(agentCtx, parent.ctx)
    promote = admitTools(agentCtx, agent, plan)
    plan.asking.install(agentCtx)
    takeSeat(agentCtx, seat)
    tell = noteBesideQuestion(agentCtx)
    helpers.appendDelegatedPolicyOverrides(agent.session, policy)
    appendLoose(
      agent.session,
      'subagent/descriptor',
      helpers.snapshotSubagentDescriptor({ mode: 'one-shot', provider: 'sidemind', label: 'Side' }),
    )
    if (agent.inbox.hasPending) agent.inbox.clear()
    from = lengthOf(agent.session)
  }

  const base = createOptions(shape, {
    sessionId: plan.sessionId,
    parent,
    seed,
    depth,
    agentPreset: presets?.composedPreset?.(parent.ctx),
  })
  const handle = await withTransientStorage(ctx, plan.sessionId, (intercepted) =>
    ctx.agents.create({
      ...base,
      agentOptions: agentOptions(parent, plan.route, depth),
      setup(agentCtx: Context, handed?: unknown) {
        if (!intercepted()) throw new SideError('unsupported', 'this host would store the side')
        setup(agentCtx, handed)
      },
    }),
  )
  return {
    handle,
    from,
    seat,
    promote: (allowed, boundary) => promote(allowed, boundary),
    tell: (note) => tell(note),
  }
}

/** Whether the child is far from what its model takes. One that asks another model than it was measured for is not. */
function roomOf(agentCtx: Context, agent: Agent, { source, route }: ChildPlan, seat: RouteSeat): () => boolean {
  const room = roomWatch(source.inheritedTokens, source.window)
  agentCtx.on('session/event', (session, event) => {
    if (session === agent.session) room.hear(event.type, event.data)
  })
  return () => seat.current?.provider === route?.provider && seat.current?.model === route?.model && room.roomy()
}

/** Tools and boundary of the child; hands back what opens them later. */
function admitTools(agentCtx: Context, agent: Agent, plan: ChildPlan): Child['promote'] {
  const { kind, allowed, boundary, surface } = plan
  let refuse = refuseUnlisted(kind, allowed)
  let widen = surface === 'restrict' ? agentCtx.tools.restrict({ allow: [...allowed] }) : null
  boundRefusals(agentCtx, agent, (call) => refuse(call))
  const tell = (text: string): (() => void) =>
    agentCtx.systemPrompt.context({ name: BOUNDARY_NAME, order: BOUNDARY_ORDER, text })
  let untell = tell(boundary)
  const ensure = ensureBoundary(agentCtx, boundary)
  return (names, text) => {
    refuse = refuseUnlisted('side', names)
    // The narrower of two counts, so that no request in between lists more than either.
    const narrower = widen === null ? null : agentCtx.tools.restrict({ allow: [...names] })
    widen?.()
    widen = narrower
    untell()
    untell = tell(text)
    ensure(text)
  }
}

function agentOptions(parent: Agent, route: ModelRoute | null, depth: number): AgentOptions {
  return {
    ...parent.options,
    ...(route === null ? {} : { provider: route.provider, model: route.model }),
    subagentDepth: depth,
  }
}

/** A deployment may switch runtime context off; the boundary then rides the first step as a message of its own, which
 *  the transcript does not show. Never silently nothing (I2). The result replaces the text for later steps. */
function ensureBoundary(agentCtx: Context, first: string): (boundary: string) => void {
  let boundary = first
  let told = false
  agentCtx.on('agent/pre-step', async (_payload, next) => {
    const decision = await next()
    if (told || decision.kind !== 'enter' || decision.messages.length === 0) return decision
    told = true
    if (decision.messages.some((message) => plainText(message.content).includes(boundary))) return decision
    const rider = ownMessage(boundary) as (typeof decision.messages)[number]
    return { ...decision, messages: [...decision.messages, rider] }
  })
  return (text) => {
    boundary = text
    told = false
  }
}

/** A message of ours, which the transcript does not show. */
function ownMessage(text: string): unknown {
  return deepFreeze({
    id: crypto.randomUUID(),
    role: 'user',
    content: [{ type: 'text', text }],
    source: { kind: 'plugin', plugin: 'sidemind' },
  })
}

/** What is told goes in front of the next question, and is part of the child's log from then on. */
function noteBesideQuestion(agentCtx: Context): Child['tell'] {
  let waiting: string | null = null
  agentCtx.on('agent/pre-step', async (_payload, next) => {
    const decision = await next()
    if (waiting === null || decision.kind !== 'enter' || decision.messages.length === 0) return decision
    const note = ownMessage(waiting) as (typeof decision.messages)[number]
    waiting = null
    return { ...decision, messages: [note, ...decision.messages] }
  })
  return (note) => {
    waiting = note
  }
}
