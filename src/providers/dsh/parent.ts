/** Captures the parent conversation at the door as one plain value: where to cut, which route, what its open turn does.
 *  Reads the parent's log from its end and never writes to the parent. */

import type { Context } from '@deepseek-ai/cordis'
import type { Agent } from '@deepseek-ai/dsh-agent'
import type { LiveTurn, ModelRoute, Source } from '../../core/contract.ts'
import { eventsOf, pendingRoute, service } from './seams.ts'
import { plainText, record, toolTarget, type VendorEvent } from './translate.ts'

/** A captured DSH parent. */
export interface DshSource extends Source {
  /** Events below this sequence number are inherited (I1). */
  readonly cut: number
  /** What main's next turn would ask (D9); null before a model was ever chosen. */
  readonly route: ModelRoute | null
  /** Names of the tools that the parent's model sees. */
  readonly tools: readonly string[]
  /** Whether the parent is a side itself; sides of sides are unsupported (P2). */
  readonly isSide: boolean
}

const PICK_TIMEOUT_MS = 300
const PARTIAL_CHARS = 400
const CHARS_PER_TOKEN = 4

/** Captures `agent` now. `isSide` says whether an agent id is one of ours. */
export async function captureParent(
  ctx: Context,
  agent: Agent,
  isSide: (id: string) => boolean,
  now: number,
): Promise<DshSource> {
  const events = eventsOf(agent.session)
  const { cut, openFrom } = forkPoint(events)
  const last = lastCompletedTurn(events, cut)
  const source = {
    workspaceId: agent.session.header.cwd ?? '',
    sessionId: agent.id,
    inheritedTurns: last,
    inheritedTokens: inheritedTokens(events, cut),
    // A turn that was stopped may lack its end in the log; the agent itself knows.
    liveTurn: openFrom === null || agent.status === 'idle' ? null : liveTurn(events, openFrom),
    capturedAt: now,
    cut,
    tools: visibleTools(ctx, agent),
    isSide: isSide(agent.id),
  }
  return { ...source, route: await nextRoute(ctx, agent) }
}

/** Where a fork may end. `cut`: events below it are whole turns and what stands between turns, compactions included.
 *  `openFrom`: the first event of the open turn, or null. Bookkeeping at the very end (our own command, the inbox) is
 *  left out: it means nothing to a child. Visits only the events behind the last completed turn. */
export function forkPoint(events: readonly VendorEvent[]): { readonly cut: number; readonly openFrom: number | null } {
  let openFrom: number | null = null
  let index = events.length - 1
  for (; index >= 0; index -= 1) {
    const type = events[index]?.type
    if (type === 'turn/end') break
    if (type === 'turn/start') openFrom = index
  }
  if (index < 0) return { cut: 0, openFrom }
  let cut = openFrom ?? events.length
  while (cut > index + 1 && isBookkeeping(events[cut - 1]?.type)) cut -= 1
  return { cut, openFrom }
}

function isBookkeeping(type: string | undefined): boolean {
  return type === 'command/run' || type === 'command/done' || type === 'agent/inbox/spliced'
}

function lastCompletedTurn(events: readonly VendorEvent[], cut: number): number {
  for (let index = cut - 1; index >= 0; index -= 1) {
    const event = events[index]
    if (event?.type !== 'turn/end') continue
    const turn = record(event.data)?.['turn']
    return typeof turn === 'number' ? turn : 0
  }
  return 0
}

/** Tokens of the inherited context: what the provider counted for the last answer, else an estimate over its text. */
function inheritedTokens(events: readonly VendorEvent[], cut: number): number {
  let chars = 0
  for (let index = cut - 1; index >= 0; index -= 1) {
    const event = events[index]
    if (event?.type === 'assistant/message') {
      const usage = record(record(event.data)?.['usage'])
      if (usage !== null) {
        let counted = 0
        for (const key of ['inputTokens', 'cacheReadTokens', 'cacheWriteTokens', 'outputTokens']) {
          const value = usage[key]
          if (typeof value === 'number') counted += value
        }
        return Math.round(counted + chars / CHARS_PER_TOKEN)
      }
      chars += plainText(record(record(event.data)?.['message'])?.['content']).length
    } else if (event?.type === 'user/message') {
      chars += plainText(record(event.data)?.['content']).length
    }
  }
  return Math.round(chars / CHARS_PER_TOKEN)
}

function liveTurn(events: readonly VendorEvent[], from: number): LiveTurn {
  let userMessage = ''
  let partial = ''
  let approvals = 0
  const calls = new Map<string, { name: string; target: string; done: boolean }>()
  for (let index = from; index < events.length; index += 1) {
    const event = events[index]
    const data = record(event?.data)
    if (event === undefined || data === null) continue
    switch (event.type) {
      case 'user/message':
        if (record(data['source'])?.['kind'] === 'user') userMessage = plainText(data['content'])
        break
      case 'assistant/chunk': {
        const chunk = record(data['chunk'])
        if (chunk?.['type'] === 'text-delta' && typeof chunk['text'] === 'string') partial += chunk['text']
        break
      }
      case 'step/start':
        partial = ''
        break
      case 'tool/call':
        calls.set(String(data['callId']), {
          name: String(data['name']),
          target: toolTarget(data['arguments']),
          done: false,
        })
        break
      case 'tool/result': {
        const block = record((record(data['message'])?.['content'] as readonly unknown[] | undefined)?.[0])
        const call = calls.get(String(block?.['toolCallId']))
        if (call !== undefined) call.done = true
        break
      }
      case 'approval/asked':
        approvals += 1
        break
      case 'approval/decided':
        approvals -= 1
        break
    }
  }
  const tools = [...calls.values()]
  const pending = tools.find((tool) => !tool.done)
  return {
    userMessage,
    tools,
    partialAnswer: partial.slice(-PARTIAL_CHARS),
    waitsFor:
      approvals > 0
        ? 'approval'
        : pending === undefined
          ? 'model'
          : pending.name.startsWith('ask_user')
            ? 'answer'
            : 'tool',
  }
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
