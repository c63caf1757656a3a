/** Captures the parent conversation at the door as one plain value: where to cut, which route, what its open turn does.
 *  Reads the parent's log from its end and never writes to the parent. */

import type { Context } from '@deepseek-ai/cordis'
import type { Agent } from '@deepseek-ai/dsh-agent'
import type { ModelRoute, Source } from '../../core/contract.ts'
import { rungFor, smallerRung, type Rung, type Scope } from '../../core/ladder.ts'
import { liveTurn } from './activity.ts'
import { forkPoint, measure } from './history.ts'
import { wholeTurns } from './news.ts'
import { contextWindow, eventsOf, pendingRoute, service } from './seams.ts'
import { plainText, record, type VendorEvent } from './translate.ts'

/** A captured DSH parent. */
export interface DshSource extends Source {
  /** Events below this sequence number are inherited (I1). */
  readonly cut: number
  /** The number of main's last whole turn. */
  readonly mainTurn: number
  /** The first inherited event: 0, the beginning of a turn, or `cut` when no turn is inherited. */
  readonly from: number
  /** How much is inherited; `inheritedTurns` and `inheritedTokens` are its size. */
  readonly scope: Scope
  /** What a question may be asked with when the model refuses this as too long; null = nothing is smaller. */
  readonly smaller: Rung | null
  /** Context window of the route in tokens; null when the host does not tell. */
  readonly window: number | null
  /** What main's next turn would ask (D9); null before a model was ever chosen. */
  readonly route: ModelRoute | null
  /** Names of the tools that the parent's model sees. */
  readonly tools: readonly string[]
  /** Whether the parent is a side itself; sides of sides are unsupported (P2). */
  readonly isSide: boolean
}

/** What a side asks for at its fork. */
export interface ForkWish {
  /** How much to inherit at most; left out, everything. What does not fit the model gives way to less. */
  readonly scope?: Scope
  /** The side's own route; left out, main's next one. */
  readonly route?: ModelRoute
}

const PICK_TIMEOUT_MS = 300
const RECENT_TURNS = 4
const RECENT_CHARS = 400

/** The workspace of a conversation. One that was made without a folder has none, and a side needs a name for it (O1). */
export function workspaceOf(agent: Agent): string {
  const cwd = agent.session.header.cwd?.trim() ?? ''
  return cwd === '' ? 'no workspace' : cwd
}

/** Captures `agent` now. `isSide` says whether an agent id is one of ours. */
export async function captureParent(
  ctx: Context,
  agent: Agent,
  isSide: (id: string) => boolean,
  now: number,
  wish: ForkWish = {},
): Promise<DshSource> {
  const events = eventsOf(agent.session)
  const { cut, openFrom } = forkPoint(events)
  // Everything that is read of the log is read before the first wait: main goes on meanwhile.
  const history = measure(events, cut)
  const captured = {
    workspaceId: workspaceOf(agent),
    sessionId: agent.id,
    // A turn that was stopped may lack its end in the log; the agent itself knows.
    liveTurn: openFrom === null || agent.status === 'idle' ? null : liveTurn(events, openFrom),
    recentTurns: recentTurns(events, cut),
    capturedAt: now,
    cut,
    mainTurn: wholeTurns(events, cut),
    tools: visibleTools(ctx, agent),
    isSide: isSide(agent.id),
  }
  const route = await nextRoute(ctx, agent)
  const window = await withTimeout(contextWindow(ctx, agent, wish.route ?? route), PICK_TIMEOUT_MS)
  const rung = rungFor(history, window, wish.scope)
  const whole = rung.scope.kind === 'all'
  return {
    ...captured,
    route,
    window,
    scope: rung.scope,
    inheritedTurns: rung.turns,
    inheritedTokens: rung.tokens,
    from: whole ? 0 : (history.starts[rung.turns - 1] ?? cut),
    smaller: smallerRung(history, rung),
  }
}

/** The newest completed turns in a few words each, the oldest first: all that a side without turns knows of them. */
function recentTurns(events: readonly VendorEvent[], cut: number): NonNullable<Source['recentTurns']> {
  const turns: { asked: string; answered: string }[] = []
  let answered = ''
  for (let index = cut - 1; index >= 0 && turns.length < RECENT_TURNS; index -= 1) {
    const event = events[index]
    const data = record(event?.data)
    if (event?.type === 'turn/end') answered = ''
    else if (event?.type === 'assistant/message')
      answered ||= plainText(record(data?.['message'])?.['content']).slice(0, RECENT_CHARS)
    else if (event?.type === 'user/message' && record(data?.['source'])?.['kind'] === 'user')
      turns.push({ asked: plainText(data?.['content']).slice(0, RECENT_CHARS), answered })
  }
  return turns.toReversed()
}

/** Tools that the parent's model sees, from the registry's view of its scope. */
function visibleTools(ctx: Context, agent: Agent): readonly string[] {
  const tools = service(ctx, 'tools') as
    | { schemas?: (scope: unknown) => readonly { readonly name: string }[] }
    | undefined
  return tools?.schemas?.(agent).map((schema) => schema.name) ?? []
}

async function nextRoute(ctx: Context, agent: Agent): Promise<ModelRoute | null> {
  const picked = await withTimeout(pendingRoute(ctx, agent.id), PICK_TIMEOUT_MS)
  const config = picked ?? lastConfig(agent)
  if (config === null) return null
  return {
    provider: config.provider,
    model: config.model,
    ...(config.reasoningEffort === undefined ? {} : { effort: config.reasoningEffort }),
  }
}

function lastConfig(agent: Agent): { provider: string; model: string; reasoningEffort?: string } | null {
  const config = agent.session.requestHeader()?.config
  if (config !== undefined) return config
  const { provider, model } = agent.options
  return provider === undefined || model === undefined ? null : { provider, model }
}

/** The value, or null when it fails or takes too long; the late rejection stays handled. */
async function withTimeout<T>(value: Promise<T | null>, ms: number): Promise<T | null> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<null>((resolve) => {
    timer = setTimeout(() => resolve(null), ms)
    timer.unref?.()
  })
  try {
    return await Promise.race([value.catch(() => null), late])
  } finally {
    clearTimeout(timer)
  }
}
