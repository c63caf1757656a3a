/** What a person reads of one side: the provider's turns, completed by what only this client knows. Pure, and stable:
 *  a turn or a snapshot that says the same keeps its identity. */

import type { TranscriptTurn } from '../../src/wire/index.ts'
import { sameFields, sameItems } from './same.ts'
import { foldAttempts, NO_EARLIER } from './attempts.ts'
import type { Folded } from './attempts.ts'
import type { LocalTurn, SideModel } from './model.ts'
import type { QueueSnapshot, SideSnapshot, SideStatus } from './snapshot.ts'

/** The turns of `model`, oldest first; turns of `previous` that are unchanged are reused. */
export function turnsOf(model: SideModel, previous: readonly TranscriptTurn[]): readonly TranscriptTurn[] {
  const before = new Map(previous.map((turn) => [turn.turnId, turn]))
  const local = new Map(model.local.map((turn) => [turn.turnId, turn]))
  const turns = model.transcript.turns.map((turn) => completed(turn, local.get(turn.turnId), before.get(turn.turnId)))
  const known = new Set(model.transcript.turns.map((turn) => turn.turnId))
  for (const turn of model.local) if (!known.has(turn.turnId)) turns.push(optimistic(turn, before.get(turn.turnId)))
  return sameItems(turns, previous) ? previous : turns
}

/** Identity of what a completed turn was made from, so that the same parts give the same object. */
const madeFrom = new WeakMap<TranscriptTurn, { turn: TranscriptTurn | null; local: LocalTurn }>()

function completed(
  turn: TranscriptTurn,
  local: LocalTurn | undefined,
  before: TranscriptTurn | undefined,
): TranscriptTurn {
  if (local === undefined) return turn
  const open = turn.phase !== 'settled'
  if (!open && turn.question !== '' && turn.startedAt !== undefined) return turn
  const source = before === undefined ? undefined : madeFrom.get(before)
  if (before !== undefined && source?.turn === turn && source.local === local) return before
  const whole: TranscriptTurn = {
    ...turn,
    question: turn.question === '' ? local.question : turn.question,
    // While it runs, elapsed time is counted on this machine's clock; the host's may differ.
    startedAt: open ? local.askedAt : (turn.startedAt ?? local.askedAt),
    ...(open && local.settled !== undefined ? { phase: 'settled' as const, ...local.settled } : {}),
  }
  madeFrom.set(whole, { turn, local })
  return whole
}

function optimistic(local: LocalTurn, before: TranscriptTurn | undefined): TranscriptTurn {
  const source = before === undefined ? undefined : madeFrom.get(before)
  if (before !== undefined && source?.turn === null && source.local === local) return before
  const turn: TranscriptTurn = {
    turnId: local.turnId,
    question: local.question,
    phase: local.settled === undefined ? 'submitted' : 'settled',
    ...local.settled,
    items: [],
    startedAt: local.askedAt,
    interactions: [],
  }
  madeFrom.set(turn, { turn: null, local })
  return turn
}

/** The status that follows from stage and turns. */
export function statusOf(model: SideModel, turns: readonly TranscriptTurn[]): SideStatus {
  if (model.closingUntil !== null) return { phase: 'closing', until: model.closingUntil }
  const last = turns.findLast((turn) => turn.phase !== 'settled')
  switch (model.stage.at) {
    case 'draft':
      return { phase: 'draft' }
    case 'opening':
      return { phase: 'opening', turnId: last?.turnId ?? '' }
    case 'open':
      if (last === undefined) return { phase: 'idle' }
      return { phase: 'running', turnId: last.turnId, stopping: model.stoppingTurn === last.turnId }
    case 'expired':
      return { phase: 'expired', reason: model.stage.reason }
    case 'error':
      return { phase: 'error', code: model.stage.code }
  }
}

const NOTHING: Folded = { turns: [], earlier: NO_EARLIER }

/** All turns that a snapshot holds, attempts included. */
function unfold({ turns, earlier }: Folded): readonly TranscriptTurn[] {
  return earlier === NO_EARLIER ? turns : turns.flatMap((turn) => [...(earlier[turn.turnId] ?? []), turn])
}

function againOf(model: SideModel): Readonly<Record<string, string>> {
  return Object.fromEntries(model.local.flatMap(({ turnId, again }) => (again === undefined ? [] : [[turnId, again]])))
}

/** The snapshot of `model`; `previous` itself when nothing that is read has changed. */
export function toSnapshot(model: SideModel, previous: SideSnapshot | undefined): SideSnapshot {
  const all = turnsOf(model, previous === undefined ? [] : unfold(previous))
  const { turns, earlier } = foldAttempts(all, againOf(model), model.earlier, previous ?? NOTHING)
  const status = statusOf(model, turns)
  const queue: QueueSnapshot = { messages: model.queue, paused: model.queuePaused }
  const next: SideSnapshot = {
    sideId: model.sideId,
    parent: model.parent,
    kind: model.kind,
    title: model.title,
    status: previous !== undefined && sameFields(previous.status, status) ? previous.status : status,
    turns,
    earlier,
    route: model.route,
    queue: previous !== undefined && sameFields(previous.queue, queue) ? previous.queue : queue,
    quote: model.quote,
    catchUp: model.catchUp,
    notice: model.notice,
    facts: model.facts,
    scope: model.scope,
    connection: model.connection,
    unread: model.unread,
    endsAt: model.endsAt,
    askBox: model.askBox,
  }
  return previous !== undefined && sameFields(previous, next) ? previous : next
}
