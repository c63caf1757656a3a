/** Folds provider events into the transcript a person reads. Pure: same events in, same transcript out.
 *  Owns turn order and partial text. Whether a side may open or close is machine.ts. */

import type {
  ExpiryReason,
  InteractionPatch,
  LifecycleStatus,
  SideEvent,
  ToolView,
  TurnFailure,
  TurnOutcome,
  TurnPatch,
  TurnPhase,
  TurnUsage,
} from './contract.ts'
import { assertNever } from './errors.ts'
import { growingText, grown } from './growing-text.ts'
import type { GrowingText } from './growing-text.ts'
import { DEFAULT_LIMITS } from './limits.ts'

/** One readable piece of an answer, in the order in which it began. */
export type TranscriptItem = TextItem | { readonly kind: 'tool'; readonly messageId: string; readonly tool: ToolView }

export interface TextItem {
  readonly kind: 'text' | 'reasoning'
  readonly messageId: string
  readonly text: string
}

export interface TranscriptTurn {
  readonly turnId: string
  readonly question: string
  readonly phase: TurnPhase
  readonly outcome?: TurnOutcome
  readonly error?: TurnFailure
  readonly items: readonly TranscriptItem[]
  readonly usage?: TurnUsage
  /** Epoch milliseconds, when the provider told. */
  readonly startedAt?: number
  readonly settledAt?: number
  readonly interactions: readonly InteractionPatch[]
  /** Set when the answer outgrew its bound and its end was not kept. */
  readonly truncated?: true
}

export interface Transcript {
  readonly lifecycle: LifecycleStatus
  readonly reason?: ExpiryReason
  /** Oldest first. Objects of turns that an event did not touch keep their identity. */
  readonly turns: readonly TranscriptTurn[]
}

export const EMPTY_TRANSCRIPT: Transcript = { lifecycle: 'opening', turns: [] }

/** The transcript after one more event. Returns `transcript` itself when nothing changed. An event belongs to the turn
 *  that it names, however late it comes (E3); after the end everything is ignored (E2). One event costs as much as
 *  there are turns and items, never as the answer is long. `answerChars` bounds the text kept of one answer. */
export function project(
  transcript: Transcript,
  event: SideEvent,
  answerChars: number = DEFAULT_LIMITS.answerChars,
): Transcript {
  if (isEnded(transcript.lifecycle)) return transcript
  switch (event.eventType) {
    case 'message_delta':
      return inTurn(transcript, event.data.turnId, (turn) => withDelta(turn, event.data, answerChars))
    case 'message_update': {
      const { messageId, turnId, tool } = event.data
      return tool === undefined
        ? transcript
        : inTurn(transcript, turnId, (turn) => withTool(turn, messageId, tool, answerChars))
    }
    case 'usage':
      return inTurn(transcript, event.data.turnId, (turn) =>
        same(turn.usage, event.data) ? turn : { ...turn, usage: event.data },
      )
    case 'state_patch': {
      const { turn, interaction, lifecycleStatus, reason } = event.data
      let next = transcript
      if (turn !== undefined) next = inTurn(next, turn.turnId, (before) => withPhase(before, turn))
      if (interaction !== undefined)
        next = inTurn(next, interaction.turnId, (before) => withInteraction(before, interaction))
      return lifecycleStatus === undefined ? next : withLifecycle(next, lifecycleStatus, reason)
    }
    default:
      return assertNever(event)
  }
}

type Delta = Extract<SideEvent, { eventType: 'message_delta' }>['data']
type Content = Delta['content']

const LIFECYCLE_RANK: Record<LifecycleStatus, number> = { opening: 0, ready: 1, closing: 2, closed: 3, expired: 3 }
const PHASE_RANK: Record<TurnPhase, number> = { submitted: 0, running: 1, waiting: 1, settling: 2, settled: 3 }

function isEnded(lifecycle: LifecycleStatus): boolean {
  return LIFECYCLE_RANK[lifecycle] === LIFECYCLE_RANK.closed
}

function inTurn(transcript: Transcript, turnId: string, change: (turn: TranscriptTurn) => TranscriptTurn): Transcript {
  const index = transcript.turns.findLastIndex((turn) => turn.turnId === turnId)
  const before = transcript.turns[index] ?? { turnId, question: '', phase: 'submitted', items: [], interactions: [] }
  const after = change(before)
  if (index < 0) return { ...transcript, turns: [...transcript.turns, after] }
  return after === before ? transcript : { ...transcript, turns: transcript.turns.with(index, after) }
}

function withDelta(turn: TranscriptTurn, delta: Delta, answerChars: number): TranscriptTurn {
  const { messageId, kind, content } = delta
  if (delta.role === 'user') {
    if (kind !== 'text') return turn
    const question = applied(turn.question, content, answerChars)
    return question === turn.question ? turn : { ...turn, question }
  }
  if (kind === 'tool') {
    const tool = turn.items.findLast((item) => item.kind === 'tool' && item.messageId === messageId)
    const before = tool?.kind === 'tool' ? tool.tool : { ...UNNAMED_TOOL, callId: messageId }
    const result = applied(before.result ?? '', content, Infinity)
    return withTool(turn, messageId, { ...before, result }, answerChars)
  }
  const index = turn.items.findLastIndex((item) => item.kind === kind && item.messageId === messageId)
  const item = turn.items[index]
  const before = item === undefined || item.kind === 'tool' ? '' : item.text
  const room = answerChars - (answerLength(turn) - before.length)
  const added = clip(content.text, content.operation === 'set' ? room : room - before.length)
  const marked = added.length < content.text.length ? truncated(turn) : turn
  const length = added.length + (content.operation === 'set' ? 0 : before.length)
  // Taken back: the runtime asks again, and nothing of the failed try may stay, not even its place.
  if (index >= 0 && length === 0) return { ...marked, items: marked.items.toSpliced(index, 1) }
  if (content.operation === 'set' ? before === added : added === '') return marked
  const growth =
    content.operation === 'set' || item === undefined || item.kind === 'tool'
      ? growingText(added)
      : grown(growthOf(item), added)
  const next: TextItem = { kind, messageId, text: growth.text }
  growths.set(next, growth)
  return { ...marked, items: placed(marked.items, index, next) }
}

/** How the text of each item came to be. */
const growths = new WeakMap<TextItem, GrowingText>()

/** The text of `item` as one that grows: whoever draws it reads what was added. */
export function growthOf(item: TextItem): GrowingText {
  const known = growths.get(item)
  if (known !== undefined) return known
  const growth = growingText(item.text)
  growths.set(item, growth)
  return growth
}

/** A tool's text that comes before the call itself is known (its name is still empty). */
const UNNAMED_TOOL: Omit<ToolView, 'callId'> = { name: '', target: '', status: 'running' }

function withTool(turn: TranscriptTurn, messageId: string, tool: ToolView, answerChars: number): TranscriptTurn {
  const index = turn.items.findLastIndex(
    (item) =>
      item.kind === 'tool' &&
      item.messageId === messageId &&
      (item.tool.callId === tool.callId || item.tool.name === ''),
  )
  const item = turn.items[index]
  const before = item?.kind === 'tool' ? item.tool : undefined
  const room = answerChars - (answerLength(turn) - (before?.result?.length ?? 0))
  const kept =
    tool.result === undefined || tool.result.length <= room ? tool : { ...tool, result: clip(tool.result, room) }
  const marked = kept === tool ? turn : truncated(turn)
  return before !== undefined && same(before, kept)
    ? marked
    : { ...marked, items: placed(marked.items, index, { kind: 'tool', messageId, tool: kept }) }
}

/** A turn never goes back to an earlier phase. What settles late still changes its own turn, except that a turn that
 *  was stopped stays stopped: runtimes report the stop as a failure afterwards. */
function withPhase(turn: TranscriptTurn, patch: TurnPatch): TranscriptTurn {
  if (PHASE_RANK[patch.phase] < PHASE_RANK[turn.phase]) return turn
  const settled = patch.phase === 'settled'
  const outcome = turn.outcome === 'canceled' ? turn.outcome : (patch.outcome ?? turn.outcome)
  const error = patch.error ?? turn.error
  const startedAt = turn.startedAt ?? (settled ? undefined : patch.at)
  const settledAt = turn.settledAt ?? (settled ? patch.at : undefined)
  const next: TranscriptTurn = {
    ...(settled ? atRest(turn) : turn),
    phase: patch.phase,
    ...(outcome === undefined ? {} : { outcome }),
    ...(error === undefined ? {} : { error }),
    ...(startedAt === undefined ? {} : { startedAt }),
    ...(settledAt === undefined ? {} : { settledAt }),
  }
  return same(turn, next) ? turn : next
}

function withInteraction(turn: TranscriptTurn, patch: InteractionPatch): TranscriptTurn {
  const index = turn.interactions.findIndex((one) => one.requestId === patch.requestId)
  const before = turn.interactions[index]
  const late =
    patch.status === 'pending' && (turn.phase === 'settled' || (before !== undefined && before.status !== 'pending'))
  if (late || (before !== undefined && same(before, patch))) return turn
  return { ...turn, interactions: placed(turn.interactions, index, patch) }
}

function withLifecycle(
  transcript: Transcript,
  lifecycle: LifecycleStatus,
  reason: ExpiryReason | undefined,
): Transcript {
  if (LIFECYCLE_RANK[lifecycle] <= LIFECYCLE_RANK[transcript.lifecycle]) return transcript
  const turns =
    isEnded(lifecycle) && transcript.turns.some((turn) => turn.phase !== 'settled')
      ? transcript.turns.map(interrupted)
      : transcript.turns
  return { ...transcript, lifecycle, turns, ...(reason === undefined ? {} : { reason }) }
}

function interrupted(turn: TranscriptTurn): TranscriptTurn {
  return turn.phase === 'settled'
    ? turn
    : withPhase(turn, { turnId: turn.turnId, phase: 'settled', outcome: turn.outcome ?? 'interrupted' })
}

/** Nothing of a settled turn goes on: prompts are gone, a call without a result has failed. */
function atRest(turn: TranscriptTurn): TranscriptTurn {
  const items = turn.items.some((item) => item.kind === 'tool' && item.tool.status === 'running')
    ? turn.items.map((item) =>
        item.kind === 'tool' && item.tool.status === 'running'
          ? { ...item, tool: { ...item.tool, status: 'failed' as const } }
          : item,
      )
    : turn.items
  const interactions = turn.interactions.some((one) => one.status === 'pending')
    ? turn.interactions.map((one) => (one.status === 'pending' ? { ...one, status: 'gone' as const } : one))
    : turn.interactions
  return { ...turn, items, interactions }
}

function answerLength(turn: TranscriptTurn): number {
  return turn.items.reduce(
    (sum, item) => sum + (item.kind === 'tool' ? (item.tool.result?.length ?? 0) : item.text.length),
    0,
  )
}

function truncated(turn: TranscriptTurn): TranscriptTurn {
  return turn.truncated === true ? turn : { ...turn, truncated: true }
}

/** At most `max` code units; an append never copies what is there already. */
function applied(before: string, content: Content, max: number): string {
  return content.operation === 'set' ? clip(content.text, max) : before + clip(content.text, max - before.length)
}

/** The first `max` code units of `text`, never half a surrogate pair. */
function clip(text: string, max: number): string {
  return text.length <= max ? text : text.slice(0, Math.max(0, max)).replace(/[\ud800-\udbff]$/, '')
}

function placed<T>(list: readonly T[], index: number, value: T): readonly T[] {
  return index < 0 ? [...list, value] : list.with(index, value)
}

/** Whether two flat records hold the same values. */
function same(a: object | undefined, b: object): boolean {
  if (a === undefined) return false
  const left = Object.entries(a)
  return left.length === Object.keys(b).length && left.every(([key, value]) => Object.is(value, Reflect.get(b, key)))
}
