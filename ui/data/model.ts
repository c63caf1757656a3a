/** One side as the store keeps it: what the provider told, and beside it what only this client knows (a question
 *  that is on its way, a queue, a draft). What may happen to it is actions.ts; what is read of it is view.ts. */

import { EMPTY_TRANSCRIPT } from '../../src/wire/index.ts'
import type {
  ConnectionState,
  ContentPart,
  ExpiryReason,
  ForkFacts,
  ModelRoute,
  ParentRef,
  Scope,
  SideErrorCode,
  SideKind,
  Transcript,
  TranscriptTurn,
  TurnFailure,
  TurnOutcome,
} from '../../src/wire/index.ts'
import { splitQuote } from '../quotation.ts'
import type { PromptAnswers } from './answers.ts'
import type { QueuedMessage, SideNotice } from './snapshot.ts'

/** How far a side has come. Whether it is idle or running follows from its turns. */
export type Stage =
  | { readonly at: 'draft' }
  | { readonly at: 'opening' }
  | { readonly at: 'open' }
  | { readonly at: 'expired'; readonly reason: ExpiryReason }
  | { readonly at: 'error'; readonly code: SideErrorCode }

/** A question of this client, kept so that it shows at once, survives a missing copy, and can be asked again. */
export interface LocalTurn {
  readonly turnId: string
  readonly question: string
  readonly content: readonly ContentPart[]
  /** Epoch milliseconds. */
  readonly askedAt: number
  /** What it was asked with, where that was chosen. */
  readonly route?: ModelRoute
  /** The turn of which this is another attempt. */
  readonly again?: string
  /** Set when this client knows that the turn is over although the provider's copy does not say so. */
  readonly settled?: { readonly outcome: TurnOutcome; readonly error?: TurnFailure }
}

export interface SideModel {
  readonly sideId: string
  /** The id at the host: `sideId` at first, another one after a refused open or "start again". */
  readonly wireId: string
  readonly parent: ParentRef
  readonly kind: SideKind
  readonly askBox: boolean
  /** The first question; a restored side brings it along. */
  readonly title: string
  readonly stage: Stage
  /** Epoch milliseconds until which a hidden side can be brought back; null when it is not closing. */
  readonly closingUntil: number | null
  /** The provider's copy. */
  readonly transcript: Transcript
  /** A `reset` came and its events did not yet: what is shown stays until they do. */
  readonly rebuilding: boolean
  readonly local: readonly LocalTurn[]
  /** The turn for which Stop was asked. */
  readonly stoppingTurn: string | null
  readonly queue: readonly QueuedMessage[]
  readonly queuePaused: boolean
  /** The waiting message that is being edited: it and those behind it are not sent meanwhile. */
  readonly heldMessage: string | null
  readonly notice: SideNotice | null
  readonly facts: ForkFacts | null
  /** How much of main the next fork takes along; null = as much as fits. */
  readonly scope: Scope | null
  readonly connection: ConnectionState
  /** What the person chose for its next turns; null = main's model, or as before. */
  readonly route: ModelRoute | null
  /** Attempts at its first question that an earlier side made. */
  readonly earlier: readonly TranscriptTurn[]
  readonly draft: string
  /** Goes in front of the next question; '' for none. */
  readonly quote: string
  /** What is chosen in prompts that wait. */
  readonly answers: PromptAnswers
  /** Main's turns since go along with the next question. */
  readonly catchUp: boolean
  readonly visible: boolean
  readonly unread: boolean
  readonly endsAt: number | null
}

export interface NewSide {
  readonly sideId: string
  readonly parent: ParentRef
  readonly kind: SideKind
  readonly askBox?: boolean
  readonly draft?: string
  readonly quote?: string
  readonly scope?: Scope | null
  readonly route?: ModelRoute | null
  readonly earlier?: readonly TranscriptTurn[]
}

export function newSide(side: NewSide): SideModel {
  return {
    sideId: side.sideId,
    wireId: side.sideId,
    parent: side.parent,
    kind: side.kind,
    askBox: side.askBox ?? false,
    title: '',
    stage: { at: 'draft' },
    closingUntil: null,
    transcript: EMPTY_TRANSCRIPT,
    rebuilding: false,
    local: [],
    stoppingTurn: null,
    queue: [],
    queuePaused: false,
    heldMessage: null,
    notice: null,
    facts: null,
    scope: side.scope ?? null,
    connection: 'connecting',
    route: side.route ?? null,
    earlier: side.earlier ?? [],
    draft: side.draft ?? '',
    quote: side.quote ?? '',
    answers: {},
    catchUp: false,
    visible: false,
    unread: false,
    endsAt: null,
  }
}

/** A question back in its composer: its words before what is typed, its quotation where there is none now. Beside another
 *  quotation its lines stay with its words. */
export function takeBack(model: SideModel, question: string): SideModel {
  const { quote, text } = splitQuote(question)
  if (quote !== '' && model.quote !== '') return { ...model, draft: putBack(question, model.draft) }
  return { ...model, draft: putBack(text, model.draft), quote: quote === '' ? model.quote : quote }
}

/** A text put back into a composer that may have got new words meanwhile: both are kept. */
export function putBack(returned: string, draft: string): string {
  return draft === '' || draft === returned ? returned : `${returned}\n${draft}`
}
