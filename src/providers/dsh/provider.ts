/** DSH as a SideProvider: each side is one live child agent that nothing stores. Owns the children and their events;
 *  how one is made is child.ts, who may see it ephemeral.ts. */

import type { Context } from '@deepseek-ai/cordis'
import type { Agent, AgentHandle } from '@deepseek-ai/dsh-agent'
import type {
  Capabilities,
  ModelRoute,
  OpenRequest,
  OpenResult,
  OpenSide,
  SideProvider,
  SideSink,
} from '../../core/contract.ts'
import { isSupported, NO_CAPABILITIES } from '../../core/contract.ts'
import { newsText } from '../../core/brief.ts'
import { SideError } from '../../core/errors.ts'
import type { Rung, Scope } from '../../core/ladder.ts'
import { createAsking, type Asking } from './asking.ts'
import { createChild, type Child } from './child.ts'
import { forgetTurn } from './forget.ts'
import { userMessage } from './message.ts'
import { canHide, isLive } from './ephemeral.ts'
import { allowedTools } from './guard.ts'
import type { DshSource } from './parent.ts'
import { forkPoint } from './history.ts'
import { turnsBetween, wholeTurns } from './news.ts'
import { eventsOf, service } from './seams.ts'
import type { RouteSeat } from './route.ts'
import { createTranslator } from './translate.ts'

export interface DshProviderOptions {
  /** Tools that may run in a `/side`. */
  readonly allowList: () => readonly string[]
  readonly toolSurface: () => 'auto' | 'restrict' | 'inherit'
  /** Inherited tokens from which `auto` keeps the parent's tool list. */
  readonly inheritFromTokens: () => number
}

/** What a client is told about one side's fork. */
export interface ChildFacts {
  /** First sequence number that the side itself wrote; a client hides what is below. */
  readonly from: number
  readonly inheritedTurns: number
  /** The number of main's last whole turn that the side knows of. */
  readonly mainTurn: number
  readonly inheritedTokens: number
  readonly scope: Scope
  readonly smaller: Rung | null
  readonly window: number | null
  readonly liveDigest: boolean
  readonly forkedAt: number
  /** What its next turn asks. */
  readonly route: ModelRoute | null
  readonly tools: readonly string[]
  readonly toolSurface: 'restrict' | 'inherit'
  readonly ephemeral: boolean
}

export interface DshProvider extends SideProvider<DshSource> {
  /** Whether this agent id is a side of ours. */
  isSide(id: string): boolean
  facts(sideSessionId: string): ChildFacts | undefined
  /** What the side's main did since, for the note of its next turn; null when there is nothing. */
  news(sideSessionId: string): string | null
}

interface LiveChild {
  readonly handle: AgentHandle
  readonly sourceId: string
  /** Tools that the parent's model sees. */
  readonly parentTools: readonly string[]
  readonly promote: Child['promote']
  facts: Omit<ChildFacts, 'route'>
  readonly seat: RouteSeat
  readonly tell: Child['tell']
  /** Main's events below this are known to the side. */
  knownTo: number
  /** What the next note tells, and how far the side then knows main. */
  news: { readonly cut: number; readonly mainTurn: number } | null
  readonly sink: SideSink
  readonly asking: Asking
  /** Set while we dispose, so that the host's own notice of it is not taken for a loss. */
  closing: boolean
  running: string | null
}

/** The provider over a host context that has `agents`, `tools`, `systemPrompt` and `sessions`. */
export function createDshProvider(ctx: Context, options: DshProviderOptions): DshProvider {
  const children = new Map<string, LiveChild>()

  function surfaceFor(source: DshSource): 'restrict' | 'inherit' {
    const wanted = options.toolSurface()
    if (wanted !== 'auto') return wanted
    // Of a part of main no cache holds the beginning.
    if (source.scope.kind !== 'all') return 'restrict'
    return source.inheritedTokens >= options.inheritFromTokens() ? 'inherit' : 'restrict'
  }

  function capabilitiesOf(source: DshSource): Capabilities {
    if (source.isSide || children.has(source.sessionId)) return NO_CAPABILITIES
    const prompt = service(ctx, 'systemPrompt')
    const tools = service(ctx, 'tools')
    const able =
      findAgent(source.sessionId) !== undefined &&
      typeof tools?.['guard'] === 'function' &&
      typeof tools['restrict'] === 'function'
    return {
      supported: able,
      activeSourceTurn: able,
      ephemeral: able && canHide(ctx),
      hideInheritedTurns: able,
      modelBoundaryInjected: able && typeof prompt?.['context'] === 'function',
    }
  }

  function findAgent(id: string): Agent | undefined {
    return (service(ctx, 'agents') as { get?: (id: string) => Agent | undefined } | undefined)?.get?.(id)
  }

  function child(side: OpenSide): LiveChild {
    const found = children.get(side.providerSessionId)
    if (found === undefined) throw new SideError('expired', `no child ${side.providerSessionId}`)
    return found
  }

  async function open(request: OpenRequest<DshSource>, sink: SideSink): Promise<OpenResult> {
    const { source, side } = request
    const parent = findAgent(source.sessionId)
    const capabilities = capabilitiesOf(source)
    if (parent === undefined || !isSupported(capabilities))
      throw new SideError('unsupported', `cannot fork ${source.sessionId}`)
    if (children.has(side.sideSessionId)) throw new SideError('conflict', `child ${side.sideSessionId} exists`)
    request.signal.throwIfAborted()

    const allowed = allowedTools(request.kind, options.allowList(), source.tools)
    const toolSurface = surfaceFor(source)
    const route = request.route ?? source.route
    const asking = createAsking()
    const { handle, from, seat, promote, tell } = await createChild(ctx, parent, {
      sessionId: side.sideSessionId,
      kind: request.kind,
      source,
      boundary: request.boundary,
      route,
      allowed,
      surface: toolSurface,
      asking,
    })
    const facts: LiveChild['facts'] = {
      from,
      inheritedTurns: source.inheritedTurns,
      mainTurn: source.mainTurn,
      inheritedTokens: source.inheritedTokens,
      scope: source.scope,
      smaller: source.smaller,
      window: source.window,
      liveDigest: source.liveTurn !== null && request.boundary !== '',
      forkedAt: source.capturedAt,
      tools: allowed,
      toolSurface,
      ephemeral: capabilities.ephemeral,
    }
    const live: LiveChild = {
      handle,
      sourceId: source.sessionId,
      parentTools: source.tools,
      promote,
      tell,
      knownTo: source.cut,
      news: null,
      facts,
      seat,
      sink,
      asking,
      closing: false,
      running: null,
    }
    children.set(side.sideSessionId, live)
    listen(live)
    const result = {
      providerSessionId: side.sideSessionId,
      sourceSessionId: source.sessionId,
      sideSessionId: side.sideSessionId,
      capabilities,
    }
    if (request.signal.aborted) {
      try {
        await dispose(side.sideSessionId, live)
      } catch {
        // Whoever gets the late result closes it again, and tries until it is gone (P4, T8).
        return result
      }
      throw new SideError('provider_error', 'open was aborted')
    }
    return result
  }

  function listen(live: LiveChild): void {
    const { agent } = live.handle
    const { from, tools, inheritedTokens: inherited } = live.facts
    const translator = createTranslator({ from, tools, inherited })
    agent.ctx.on('session/event', (session, event) => {
      if (session !== agent.session) return
      for (const sideEvent of translator.event(event)) {
        if (sideEvent.eventType === 'state_patch' && sideEvent.data.turn !== undefined) {
          const { turnId, phase } = sideEvent.data.turn
          if (phase === 'settled') live.running = live.running === turnId ? null : live.running
        }
        live.sink.event(sideEvent)
      }
    })
  }

  // Not on the child's own context, which the host takes down before it tells; global, because a side is hidden from
  // this plugin's other listeners too.
  ctx.on(
    'agent/disposed',
    ({ agent }) => {
      const live = children.get(agent.id)
      if (live === undefined || live.handle.agent !== agent || live.closing) return
      children.delete(agent.id)
      live.sink.lost('provider_lost')
    },
    { global: true },
  )

  async function dispose(id: string, live: LiveChild): Promise<void> {
    live.closing = true
    let failure: unknown
    try {
      await live.handle.dispose()
    } catch (error) {
      // A host remembers how a dispose went and answers the same for ever; whether the child is gone says its registry.
      failure = error
    }
    if (findAgent(id) !== undefined || isLive(ctx, id))
      throw new SideError('provider_error', `child ${id} is still there`, failure)
    children.delete(id)
  }

  return {
    id: 'dsh',
    capabilities: async (source) => capabilitiesOf(source),
    open,
    async exec(side, request) {
      const live = child(side)
      if (request.route !== undefined) live.seat.current = request.route
      if (request.instead !== undefined) leaveOut(live, request.instead)
      if (request.note !== undefined) {
        live.tell(request.note)
        live.knownTo = live.news?.cut ?? live.knownTo
        live.facts = { ...live.facts, mainTurn: live.news?.mainTurn ?? live.facts.mainTurn }
        live.news = null
      }
      live.running = request.turnId
      live.handle.agent.followup(userMessage(request.turnId, request.content))
    },
    async cancel(side, turnId) {
      const live = child(side)
      if (live.running !== turnId) return
      // Frozen: Node's fetch writes a stack onto the reason it is aborted with, and a host that then cannot store the
      // reason never ends the turn in its log.
      live.handle.agent.cancel(Object.freeze({ kind: 'user' }))
      await live.handle.agent.whenIdle()
    },
    async promote(side, boundary) {
      const live = child(side)
      const tools = allowedTools('side', options.allowList(), live.parentTools)
      live.promote(tools, boundary)
      live.facts = { ...live.facts, tools }
    },
    async respond(side, turnId, requestId, response) {
      const live = child(side)
      if (live.running !== turnId) throw new SideError('interaction_not_live', `turn ${turnId} does not run`)
      live.asking.respond(requestId, response)
    },
    async close(side) {
      const live = children.get(side.providerSessionId)
      if (live === undefined) return
      await dispose(side.providerSessionId, live)
    },
    isSide: (id) => children.has(id),
    facts(id) {
      const live = children.get(id)
      return live === undefined ? undefined : { ...live.facts, route: live.seat.current }
    },
    news(id) {
      const live = children.get(id)
      const main = live === undefined ? undefined : findAgent(live.sourceId)
      if (live === undefined || main === undefined) return null
      const events = eventsOf(main.session)
      const { cut } = forkPoint(events)
      const turns = turnsBetween(events, live.knownTo, cut)
      if (turns.length === 0) return null
      live.news = { cut, mainTurn: wholeTurns(events, cut) }
      return newsText(turns)
    },
  }
}

/** A host that lets nobody leave out an attempt shows the model both; the question is asked all the same. */
function leaveOut(live: LiveChild, turnId: string): void {
  try {
    forgetTurn(live.handle.agent.session, turnId)
  } catch {
    // As it was.
  }
}
