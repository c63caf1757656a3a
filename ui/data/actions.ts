/** Everything that can happen to one side, as one closed union and one reducer. Pure: timers, ids and the transport
 *  are the caller's. An action that does not apply returns the model unchanged. */

import { assertNever, EMPTY_TRANSCRIPT, project } from '../../src/wire/index.ts'
import { splitQuote } from '../quotation.ts'
import type {
  ExpiryReason,
  ForkFacts,
  ModelRoute,
  QuestionAnswer,
  Scope,
  SideErrorCode,
  StreamSignal,
  Transcript,
} from '../../src/wire/index.ts'
import { afterPrompts, withAnswers } from './answers.ts'
import { takeBack } from './model.ts'
import type { LocalTurn, SideModel } from './model.ts'
import type { QueuedMessage, SideNotice } from './snapshot.ts'

export type SideAction =
  /** A question is on its way; in a side without a fork it opens one under `wireId`. */
  | { readonly type: 'asked'; readonly turn: LocalTurn; readonly wireId?: string }
  | { readonly type: 'accepted'; readonly facts: ForkFacts }
  /** The fork was refused. `keep`: the question stays on the card (its text is still in main's composer). */
  | { readonly type: 'open_refused'; readonly turnId: string; readonly code: SideErrorCode; readonly keep: boolean }
  /** The person stopped it before it was open. */
  | { readonly type: 'open_canceled'; readonly turnId: string; readonly textToDraft: boolean }
  /** A follow-up was refused. `requeue`: it had waited and goes back to the head of the queue. */
  | {
      readonly type: 'send_refused'
      readonly turnId: string
      readonly code: SideErrorCode
      readonly requeue: QueuedMessage | null
    }
  | { readonly type: 'signals'; readonly signals: readonly StreamSignal[] }
  | { readonly type: 'stop_asked'; readonly turnId: string }
  | { readonly type: 'stop_failed'; readonly turnId: string; readonly code: SideErrorCode }
  /** The host does not know this turn as running: it is over. */
  | { readonly type: 'turn_gone'; readonly turnId: string }
  | { readonly type: 'closing'; readonly until: number }
  | { readonly type: 'undone' }
  | { readonly type: 'expired'; readonly reason: ExpiryReason }
  | { readonly type: 'restarted' }
  | { readonly type: 'restored'; readonly title: string; readonly facts: ForkFacts }
  | { readonly type: 'draft'; readonly text: string }
  | { readonly type: 'quoted'; readonly quote: string }
  /** A question comes back into the composer. */
  | { readonly type: 'taken_back'; readonly question: string }
  | { readonly type: 'catch_up'; readonly wanted: boolean }
  /** The side knows main up to this turn. */
  | { readonly type: 'caught_up'; readonly mainTurn: number }
  /** A `/btw` is a `/side` from now on; `facts` when it is one at the host. */
  | { readonly type: 'moved'; readonly facts: ForkFacts | null }
  /** Its child is gone: the question goes on in a new side that quotes `quote`. */
  | { readonly type: 'succeeded'; readonly quote: string }
  | { readonly type: 'answers'; readonly requestId: string; readonly answers: readonly QuestionAnswer[] }
  /** How much of main the next fork takes along. */
  | { readonly type: 'scoped'; readonly scope: Scope | null }
  | { readonly type: 'queued'; readonly message: QueuedMessage }
  | { readonly type: 'dequeued'; readonly messageId: string }
  | { readonly type: 'queue_edited'; readonly messageId: string; readonly text: string }
  | { readonly type: 'queue_held'; readonly messageId: string | null }
  | { readonly type: 'queue_resumed' }
  /** What its next turns ask; null = as before. */
  | { readonly type: 'picked'; readonly route: ModelRoute | null }
  | { readonly type: 'notice'; readonly notice: SideNotice | null }
  | { readonly type: 'visible'; readonly visible: boolean }
  /** An answer landed that nobody saw. */
  | { readonly type: 'missed' }
  /** `endsAt` of a hidden side, or null. */
  | { readonly type: 'parked'; readonly endsAt: number | null }

export function reduceSide(model: SideModel, action: SideAction): SideModel {
  switch (action.type) {
    case 'asked':
      return asked(model, action.turn, action.wireId)
    case 'accepted':
      return model.stage.at === 'opening' ? { ...model, stage: { at: 'open' }, facts: action.facts } : model
    case 'open_refused':
      return openRefused(model, action.turnId, action.code, action.keep)
    case 'open_canceled':
      if (model.stage.at !== 'opening') return model
      return { ...withoutTurn(model, action.turnId, action.textToDraft), stage: { at: 'draft' }, title: '' }
    case 'send_refused':
      return sendRefused(model, action.turnId, action.code, action.requeue)
    case 'signals':
      return action.signals.reduce(applySignal, model)
    case 'stop_asked':
      return { ...model, stoppingTurn: action.turnId, queuePaused: model.queue.length > 0 }
    case 'stop_failed':
      if (model.stoppingTurn !== action.turnId) return model
      return { ...model, stoppingTurn: null, notice: { code: action.code, verb: 'stop' } }
    case 'turn_gone':
      return settleLocally(model, action.turnId)
    case 'closing':
      return { ...model, closingUntil: action.until }
    case 'undone':
      return { ...model, closingUntil: null }
    case 'expired':
      return expired(model, action.reason)
    case 'restarted':
      return restarted(model)
    case 'restored':
      return { ...model, stage: { at: 'open' }, title: action.title, facts: action.facts }
    case 'draft':
      return model.draft === action.text ? model : { ...model, draft: action.text }
    case 'quoted':
      return model.quote === action.quote ? model : { ...model, quote: action.quote }
    case 'taken_back':
      return takeBack(model, action.question)
    case 'catch_up':
      return model.catchUp === action.wanted ? model : { ...model, catchUp: action.wanted }
    case 'caught_up':
      return model.facts === null ? model : { ...model, facts: { ...model.facts, mainTurn: action.mainTurn } }
    case 'moved':
      return { ...model, kind: 'side', askBox: false, facts: action.facts ?? model.facts }
    case 'succeeded':
      return { ...restarted(model), kind: 'side', askBox: false, quote: action.quote }
    case 'answers':
      return withAnswers(model, action.requestId, action.answers)
    case 'scoped':
      return { ...model, scope: action.scope }
    case 'queued':
      return { ...model, queue: [...model.queue, action.message], notice: null }
    case 'dequeued':
      return withQueue(
        model,
        model.queue.filter((message) => message.id !== action.messageId),
      )
    case 'queue_edited':
      return {
        ...model,
        queue: model.queue.map((message) =>
          message.id === action.messageId ? { ...message, text: action.text } : message,
        ),
      }
    case 'queue_held':
      return model.heldMessage === action.messageId ? model : { ...model, heldMessage: action.messageId }
    case 'queue_resumed':
      return model.queuePaused ? { ...model, queuePaused: false } : model
    case 'picked':
      return { ...model, route: action.route }
    case 'notice':
      return { ...model, notice: action.notice }
    case 'visible':
      if (model.visible === action.visible) return model
      return { ...model, visible: action.visible, unread: model.unread && !action.visible }
    case 'missed':
      return model.closingUntil === null ? { ...model, unread: true } : model
    case 'parked':
      return model.endsAt === action.endsAt ? model : { ...model, endsAt: action.endsAt }
    default:
      return assertNever(action)
  }
}

const NO_TURNS: SideModel['earlier'] = []

function asked(model: SideModel, turn: LocalTurn, wireId: string | undefined): SideModel {
  const opens = model.stage.at !== 'open'
  return {
    ...model,
    stage: opens ? { at: 'opening' } : model.stage,
    wireId: wireId ?? model.wireId,
    title: model.title === '' ? oneLine(turn.question) : model.title,
    facts: turn.route === undefined || model.facts === null ? model.facts : { ...model.facts, route: turn.route },
    // Attempts at another question have no place here.
    earlier: opens && model.earlier.at(0)?.question !== turn.question ? NO_TURNS : model.earlier,
    // A card of a refused fork holds only that question; the new attempt replaces it.
    local: opens ? [turn] : [...model.local, turn],
    notice: null,
    connection: opens ? 'connecting' : model.connection,
  }
}

function openRefused(model: SideModel, turnId: string, code: SideErrorCode, keep: boolean): SideModel {
  if (model.stage.at !== 'opening') return model
  const stage = { at: 'error', code } as const
  if (!keep)
    return {
      ...withoutTurn(model, turnId, true),
      stage,
      notice: { code, verb: 'send' },
      queuePaused: model.queue.length > 0,
    }
  const error = { code, kind: 'other', detail: '' } as const
  const local = model.local.map((turn): LocalTurn =>
    turn.turnId === turnId ? { ...turn, settled: { outcome: 'failed', error } } : turn,
  )
  return { ...model, stage, local, queuePaused: model.queue.length > 0 }
}

function sendRefused(model: SideModel, turnId: string, code: SideErrorCode, requeue: QueuedMessage | null): SideModel {
  // The provider has it after all: the refusal was only of the answer to our call.
  if (model.transcript.turns.some((turn) => turn.turnId === turnId)) return model
  const rest = withoutTurn(model, turnId, requeue === null)
  const notice = { code, verb: 'send' } as const
  if (requeue === null) return { ...rest, notice }
  return { ...rest, notice, queue: [requeue, ...rest.queue], queuePaused: code !== 'turn_active' }
}

function withoutTurn(model: SideModel, turnId: string, textToDraft: boolean): SideModel {
  const gone = model.local.find((turn) => turn.turnId === turnId)
  if (gone === undefined) return model
  const local = model.local.filter((turn) => turn !== gone)
  return textToDraft ? takeBack({ ...model, local }, gone.question) : { ...model, local }
}

function settleLocally(model: SideModel, turnId: string): SideModel {
  const settled = { outcome: 'interrupted' } as const
  const local = model.local.some((turn) => turn.turnId === turnId)
    ? model.local.map((turn): LocalTurn => (turn.turnId === turnId ? { ...turn, settled } : turn))
    : [...model.local, { turnId, question: '', content: [], askedAt: 0, settled }]
  return { ...afterPrompts(model, null), local, stoppingTurn: null }
}

function expired(model: SideModel, reason: ExpiryReason): SideModel {
  if (model.stage.at === 'expired' || model.stage.at === 'draft' || model.stage.at === 'error') return model
  const rest = afterPrompts(model, null)
  return { ...rest, stage: { at: 'expired', reason }, stoppingTurn: null, queuePaused: model.queue.length > 0 }
}

function restarted(model: SideModel): SideModel {
  return {
    ...model,
    stage: { at: 'draft' },
    title: '',
    transcript: EMPTY_TRANSCRIPT,
    rebuilding: false,
    local: [],
    earlier: NO_TURNS,
    stoppingTurn: null,
    notice: null,
    facts: null,
    catchUp: false,
    unread: false,
    endsAt: null,
  }
}

function withQueue(model: SideModel, queue: readonly QueuedMessage[]): SideModel {
  const held = queue.some((message) => message.id === model.heldMessage) ? model.heldMessage : null
  return { ...model, queue, heldMessage: held, queuePaused: model.queuePaused && queue.length > 0 }
}

function applySignal(model: SideModel, signal: StreamSignal): SideModel {
  switch (signal.kind) {
    case 'reset':
      return { ...model, rebuilding: true }
    case 'events': {
      const from = model.rebuilding ? EMPTY_TRANSCRIPT : model.transcript
      return withTranscript(
        { ...model, rebuilding: false },
        signal.events.reduce((read, event) => project(read, event), from),
      )
    }
    case 'connection': {
      const next = model.connection === signal.state ? model : { ...model, connection: signal.state }
      return signal.state === 'disposed' && model.closingUntil === null ? expired(next, 'stream_lost') : next
    }
    default:
      return assertNever(signal)
  }
}

function withTranscript(model: SideModel, transcript: Transcript): SideModel {
  if (transcript === model.transcript) return model
  const ended = newlySettled(model, transcript)
  const broke = ended.some((turn) => turn.outcome !== 'completed')
  const asks = prompts(transcript) > prompts(model.transcript)
  const next: SideModel = {
    ...afterPrompts(model, transcript),
    transcript,
    title: model.title === '' ? oneLine(transcript.turns[0]?.question ?? '') : model.title,
    stoppingTurn: ended.some((turn) => turn.turnId === model.stoppingTurn) ? null : model.stoppingTurn,
    queuePaused: model.queue.length > 0 && (model.queuePaused || broke),
    unread: model.unread || ((ended.length > 0 || asks) && !model.visible && model.closingUntil === null),
  }
  const over = transcript.lifecycle === 'expired' || transcript.lifecycle === 'closed'
  return over && model.closingUntil === null ? expired(next, transcript.reason ?? 'provider_lost') : next
}

/** How many prompts were ever shown. */
function prompts(transcript: Transcript): number {
  return transcript.turns.reduce((sum, turn) => sum + turn.interactions.length, 0)
}

/** Turns that ran before and are settled after. One of another life that is first seen as settled is not news. */
function newlySettled(model: SideModel, after: Transcript): Transcript['turns'] {
  const before = new Map(model.transcript.turns.map((turn) => [turn.turnId, turn.phase]))
  for (const turn of model.local) if (!before.has(turn.turnId)) before.set(turn.turnId, 'submitted')
  return after.turns.filter((turn) => turn.phase === 'settled' && (before.get(turn.turnId) ?? 'settled') !== 'settled')
}

/** The title that a question gives its side. */
function oneLine(question: string): string {
  const line = splitQuote(question).text.trim().replace(/\s+/g, ' ')
  return line.length > 120 ? `${line.slice(0, 119).trimEnd()}…` : line
}
