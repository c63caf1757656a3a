/** The transient store of all sides of this page, over a SideTransport (U1-U6). Nothing of it is persisted.
 *  Owns ordering, optimistic turns, queues, drafts and the windows of D6 and D7. Drawing is ui/btw and ui/side;
 *  the host is behind the transport. Every method is synchronous and never throws; what the host refuses later
 *  arrives as a state, a notice, or the rejection of `accepted`. */

import { DEFAULT_LIMITS } from '../../src/wire/index.ts'
import type {
  ContentPart,
  Limits,
  ModelRoute,
  ParentRef,
  QuestionAnswer,
  Scope,
  SideKind,
  SideTransport,
} from '../../src/wire/index.ts'
import { createConversation } from './conversation.ts'
import type { Desk } from './desk.ts'
import { createEnding } from './ending.ts'
import { createContinuing } from './continuing.ts'
import { newSide } from './model.ts'
import type { NewSide } from './model.ts'
import { createModels } from './models.ts'
import type { Models, RouteMemory } from './models.ts'
import { browserPorts } from './ports.ts'
import type { BrowserPorts } from './ports.ts'
import { createPresence } from './presence.ts'
import type { Hit } from './search.ts'
import { forget, leave, put, read, remove, seek, show } from './shelf.ts'
import type { SideSnapshot, SidesSnapshot } from './snapshot.ts'
import { createStore } from './store.ts'
import { createStreams } from './streams.ts'
import { quotable, splitQuote, withQuote } from '../quotation.ts'

export interface RuntimeOptions extends Partial<BrowserPorts> {
  readonly transport: SideTransport
  /** Bounds that differ from DEFAULT_LIMITS. */
  readonly limits?: Partial<Limits>
  /** Where the choice of a model for new sides outlives a reload. */
  readonly routes?: RouteMemory
}

export interface AskOptions {
  /** The draft shell to use; absent = a new side. */
  readonly sideId?: string
  readonly route?: ModelRoute
  /** Parts that go with the text (images). */
  readonly attachments?: readonly ContentPart[]
}

export interface Asked {
  readonly sideId: string
  /** Resolves when the host accepted the fork and the question. Rejects with SideError when it refused; the side
   *  then stays as an `error` card with its sentence until it is retried, closed, or the same question is asked
   *  again. Rejects with `AskCanceled` when the person stopped or closed it first: nothing to say, keep the text.
   *  Handling the rejection is optional. */
  readonly accepted: Promise<void>
}

/** What became of a text given to `send`. `refused`: the composer keeps it (queue full, ended side, blank text). */
export type SendOutcome = 'sent' | 'queued' | 'refused'

export interface SideRuntime {
  /** One subscription for everything; compare snapshots to know what changed. A throwing listener harms only itself. */
  subscribe(listener: () => void): () => void
  /** Sides of one parent conversation; `NO_SIDES` when it never had one. */
  sidesOf(parentSessionId: string): SidesSnapshot
  /** One side (closing ones too) by its id or by any id under which the host knew it; null when unknown or ended. */
  find(id: string): SideSnapshot | null
  /** What is typed in the side's composer. */
  draftOf(sideId: string): string
  setDraft(sideId: string, text: string): void
  /** How much of main this side's fork takes along at most; null = as much as fits. Of no effect on a fork that is made. */
  setScope(sideId: string, scope: Scope | null): void

  /** Shows the question at once and opens a side for it; `/btw` and `/side` alike. */
  ask(parent: ParentRef, kind: SideKind, text: string, options?: AskOptions): Asked
  /** An ask box of that kind that quotes `text`; what was typed in it stays. Returns the side's id. */
  quoteIn(parent: ParentRef, kind: SideKind, text: string): string
  /** Quotes `text` in the side's next question; '' takes the quotation away. */
  setQuote(sideId: string, text: string): void
  /** A question back into the side's composer, its quotation where there is none now. */
  takeBack(sideId: string, question: string): void
  /** An asked question into the side's empty composer; a quotation that is there already stays instead of its own. */
  recall(sideId: string, question: string): void
  /** Whether main's turns since go along with the side's next question. */
  setCatchUp(sideId: string, wanted: boolean): void
  /** Goes on as a `/side`, in place: an ask box moves there with what it holds. Resolves with the id of the side to
   *  show, or null when it stays what it is. */
  continueAsSide(sideId: string): Promise<string | null>
  /** An empty side: a shell without a Side; nothing reaches the host (D1). Reuses an empty shell of that kind, unless a
   *  `fresh` one is asked for. */
  openDraft(parent: ParentRef, kind?: SideKind, fresh?: boolean): string
  /** From a side's own composer: opens (draft, error), sends (idle) or queues (opening, running). A text that the
   *  host refuses afterwards comes back into the draft. In a `btw` that has its answer it asks a new one. */
  send(sideId: string, text: string): SendOutcome
  /** Stops the running turn, keeps the partial answer and pauses the queue (D11). No-op when nothing runs. */
  stop(sideId: string): void
  /** Asks the question of that turn (default: the last) again, with another model where `route` is given. A `/side` gets
   *  a new turn; a `/btw` becomes a new side in the same place. The earlier attempt stays readable beside the new one,
   *  and the model is not shown it. Returns the id of the side that now answers. */
  retry(sideId: string, turnId?: string, route?: ModelRoute): string
  /** Which model and effort its next turns ask; null = main's model for one that is not open yet, else as before. */
  pick(sideId: string, route: ModelRoute | null): void
  readonly models: Models
  /** Asks the question of the last turn anew with less of main, in the same place: the way out when the model refused it
   *  as too long. A `/side` is forked again; what it held can be read in `recent`. */
  askSmaller(sideId: string, scope: Scope): void
  /** Answers a prompt; it disappears when the event confirms it (T6). Resolves with whether the host took it. */
  respond(sideId: string, turnId: string, requestId: string, response: unknown): Promise<boolean>
  /** What is chosen so far in a prompt that waits, or null; and keeps it. */
  answersOf(sideId: string, requestId: string): readonly QuestionAnswer[] | null
  setAnswers(sideId: string, requestId: string, answers: readonly QuestionAnswer[]): void
  /** Hides the side, stops its turn, and ends it after the undo window; what holds nothing goes at once. */
  close(sideId: string): void
  /** Brings a closing side back to its place. */
  undo(sideId: string): void
  /** An expired side becomes a draft in the same place (new fork at its next send); its old transcript moves to
   *  `recent`. Of a recent side: a new draft that holds its first question. Returns the side's id. */
  startAgain(parent: ParentRef, sideId: string): string
  /** Drops an ended side's transcript from `recent`. */
  forget(parentSessionId: string, sideId: string): void

  editQueued(sideId: string, messageId: string, text: string): void
  removeQueued(sideId: string, messageId: string): void
  /** The message is being edited: it and those behind it wait. Null when the editor is left. */
  holdQueued(sideId: string, messageId: string | null): void
  /** Sends the first waiting message now and lets the rest follow. */
  resumeQueue(sideId: string): void

  /** Chooses what the overlay or the drawer shows among the sides of its parent. */
  show(sideId: string): void
  /** Shows the text of one of `recent`: a `/btw` in the overlay, a `/side` in an empty side. */
  read(parent: ParentRef, recentId: string): void
  /** Leaves that text again. */
  leave(parent: ParentRef, recentId: string): void
  /** Goes where a search found something. Returns the `/side` to bring to the front, or null for a card. */
  goTo(parent: ParentRef, hit: Pick<Hit, 'sideId' | 'turnId'>): string | null
  /** Told by the surface that draws a side, on every change and with false when it unmounts: drives touch (T10),
   *  `unread` and `endsAt`. */
  /** From now on these bounds hold, for whatever begins later; what is not named is as it was in the beginning. */
  configure(limits: Partial<Limits>): void
  /** The bounds that hold now. */
  windows(): Limits
  /** Ids of the sides with an answer that nobody saw, in all conversations, space-separated; '' = none. */
  unread(): string
  /** The host ends this hidden, idle side in `ms` (T10). `wireId` is the id under which the host knows it. */
  endsIn(wireId: string, ms: number): void
  setVisible(sideId: string, visible: boolean): void
  /** Brings back the sides that this page had opened before a reload (D7). Safe to call again; never rejects. */
  restore(parent: ParentRef): Promise<void>
  /** Other bounds from now on. */
  retune(limits: Partial<Limits>): void
  /** Unsubscribes, ends every side and pending close, and disposes the transport (U5). Idempotent; resolves when
   *  the host has answered or after 3 s, never rejects. */
  dispose(): Promise<void>
}

export { AskCanceled } from './conversation.ts'

/** Ports that are not given are the browser's. */
export function createRuntime({ transport, limits, routes, ...ports }: RuntimeOptions): SideRuntime {
  let disposing: Promise<void> | null = null
  const restoring = new Map<string, Promise<void>>()
  const store = createStore(
    (sideId) => {
      presence.settle(sideId)
      if (store.model(sideId)?.stage.at === 'expired') streams.unfollow(sideId)
      conversation.flush(sideId)
    },
    (sideId) => {
      presence.forget(sideId)
      conversation.forget(sideId)
    },
  )
  let bounds: Limits = { ...DEFAULT_LIMITS, ...limits }
  const desk: Desk = {
    ...browserPorts(),
    ...ports,
    transport,
    store,
    get limits() {
      return bounds
    },
    disposed: () => disposing !== null,
  }
  const models = createModels(transport, routes)
  const streams = createStreams(desk)
  const presence = createPresence(desk)
  const conversation = createConversation(desk, streams)
  const ending = createEnding(desk, streams, conversation)
  const continuing = createContinuing(desk)

  /** A new shell at the end of its list, or in the place of `instead`. */
  function shell(
    parent: ParentRef,
    kind: SideKind,
    askBox: boolean,
    instead?: string,
    more: Partial<NewSide> = {},
  ): string {
    const route = models.remembered(parent.sessionId)
    const side = newSide({ sideId: desk.newId(), parent, kind, askBox, route, ...more })
    store.batch(() => {
      store.add(side)
      store.arrange(parent.sessionId, (shelf) => put(shelf, kind, side.sideId, instead))
    })
    return side.sideId
  }

  function open(
    sideId: string,
    question: string,
    keepOnCard: boolean,
    options: AskOptions & { readonly heldByAsker?: boolean } = {},
  ): Promise<void> {
    const { attachments, route, heldByAsker = false } = options
    const accepted = conversation.open(sideId, {
      question,
      keepOnCard,
      heldByAsker,
      ...(attachments === undefined ? {} : { attachments }),
      ...(route === undefined ? {} : { route }),
    })
    // The state tells what happened; who wants the reason too has the promise.
    accepted.catch(() => {})
    return accepted
  }

  /** Cards of refused forks that hold this very question: asking it again replaces them. */
  function dropRefused(parent: ParentRef, kind: SideKind, question: string): void {
    for (const side of store.sides(parent.sessionId)[kind]) {
      if (side.status.phase === 'error' && side.turns.some((turn) => turn.question === question))
        ending.end(side.sideId)
    }
  }

  const runtime: SideRuntime = {
    subscribe: store.subscribe,
    models,
    sidesOf: store.sides,
    find(id) {
      const sideId = store.resolve(id)
      return sideId === undefined ? null : store.side(sideId)
    },
    draftOf: (sideId) => store.model(sideId)?.draft ?? '',
    setDraft: (sideId, text) => store.dispatch(sideId, { type: 'draft', text }),
    setScope: (sideId, scope) => store.dispatch(sideId, { type: 'scoped', scope }),

    ask(parent, kind, text, options = {}) {
      return store.batch(() => {
        dropRefused(parent, kind, text)
        const given = options.sideId === undefined ? undefined : store.model(options.sideId)
        const usable = given !== undefined && (given.stage.at === 'draft' || given.stage.at === 'error')
        const sideId = usable ? given.sideId : shell(parent, kind, false)
        return { sideId, accepted: open(sideId, text, true, { ...options, heldByAsker: true }) }
      })
    },
    openDraft(parent, kind = 'side', fresh = false) {
      const empty = fresh
        ? undefined
        : store.sides(parent.sessionId)[kind].find((side) => side.status.phase === 'draft')
      if (empty !== undefined) runtime.show(empty.sideId)
      return empty?.sideId ?? shell(parent, kind, kind === 'btw')
    },
    quoteIn(parent, kind, text) {
      return store.batch(() => {
        const sideId = runtime.openDraft(parent, kind)
        runtime.setQuote(sideId, text)
        return sideId
      })
    },
    setQuote: (sideId, text) => store.dispatch(sideId, { type: 'quoted', quote: quotable(text) }),
    takeBack: (sideId, question) => store.dispatch(sideId, { type: 'taken_back', question }),
    recall(sideId, question) {
      const fresh = store.model(sideId)?.quote ?? ''
      runtime.takeBack(sideId, fresh === '' ? question : splitQuote(question).text)
    },
    setCatchUp: (sideId, wanted) => store.dispatch(sideId, { type: 'catch_up', wanted }),
    continueAsSide: continuing.continueAsSide,
    send(sideId, typed) {
      const model = store.model(sideId)
      const side = store.side(sideId)
      if (model === undefined || side === null || typed.trim() === '') return 'refused'
      const text = withQuote(model.quote, typed)
      let replaced = ''
      const outcome = store.batch(() => {
        const { phase } = side.status
        if (phase === 'draft' || phase === 'error') {
          // Another question takes the place of a refused one, which waits in the composer.
          const refused = side.turns.at(-1)?.question ?? ''
          replaced = refused === text ? '' : refused
          void open(sideId, text, false)
          return 'sent'
        }
        if (side.kind === 'side') return conversation.say(sideId, text)
        if (phase !== 'idle' && phase !== 'running') return 'refused'
        void open(shell(model.parent, 'btw', true, undefined, { route: model.route }), text, false)
        return 'sent'
      })
      if (outcome === 'refused') return outcome
      const waiting = splitQuote(replaced)
      store.batch(() => {
        store.dispatch(sideId, { type: 'draft', text: waiting.text })
        store.dispatch(sideId, { type: 'quoted', quote: waiting.quote })
      })
      return outcome
    },
    stop(sideId) {
      const side = store.side(sideId)
      // Nothing would be left of a one-shot question that never opened.
      if (side?.kind === 'btw' && side.status.phase === 'opening' && !side.askBox) ending.close(sideId)
      else conversation.stop(sideId)
    },
    pick: (sideId, route) => store.dispatch(sideId, { type: 'picked', route }),
    retry(sideId, turnId, route) {
      const model = store.model(sideId)
      const side = store.side(sideId)
      if (model === undefined || side === null) return sideId
      const turn = turnId === undefined ? side.turns.at(-1) : side.turns.find((one) => one.turnId === turnId)
      const attachments = model.local
        .find((one) => one.turnId === turn?.turnId)
        ?.content.filter((part) => part.type !== 'text')
      if (route !== undefined) store.dispatch(sideId, { type: 'picked', route })
      const options: AskOptions = attachments === undefined ? {} : { attachments }
      if (side.status.phase === 'error') {
        const typed = model.draft === '' ? '' : withQuote(model.quote, model.draft)
        const question = turn?.question ?? typed
        if (question === typed) {
          store.dispatch(sideId, { type: 'draft', text: '' })
          store.dispatch(sideId, { type: 'quoted', quote: '' })
        }
        if (question !== '') void open(sideId, question, turn !== undefined, options)
        return sideId
      }
      if (turn === undefined) return sideId
      if (side.kind === 'side') {
        conversation.say(sideId, turn.question, turn === side.turns.at(-1) ? turn.turnId : undefined)
        return sideId
      }
      return store.batch(() => {
        const fresh = shell(model.parent, 'btw', model.askBox, sideId, {
          route: route ?? model.route,
          earlier: [...(side.earlier[turn.turnId] ?? []), turn],
          draft: model.draft,
          scope: model.scope,
        })
        ending.replace(sideId)
        void open(fresh, turn.question, true, options)
        return fresh
      })
    },
    askSmaller(sideId, scope) {
      const model = store.model(sideId)
      const question = store.side(sideId)?.turns.at(-1)?.question ?? ''
      if (model === undefined || question === '') return
      store.batch(() => {
        store.dispatch(sideId, { type: 'scoped', scope })
        if (model.kind === 'btw' || model.stage.at === 'error') return void runtime.retry(sideId)
        ending.refork(sideId)
        void open(sideId, question, false)
      })
    },
    respond: conversation.respond,
    answersOf: (sideId, requestId) => store.model(sideId)?.answers[requestId] ?? null,
    setAnswers: (sideId, requestId, answers) => store.dispatch(sideId, { type: 'answers', requestId, answers }),
    close: ending.close,
    undo: ending.undo,
    startAgain: ending.startAgain,
    forget: (parentSessionId, sideId) => store.arrange(parentSessionId, (shelf) => forget(shelf, sideId)),

    editQueued: (sideId, messageId, text) => store.dispatch(sideId, { type: 'queue_edited', messageId, text }),
    removeQueued: (sideId, messageId) => store.dispatch(sideId, { type: 'dequeued', messageId }),
    holdQueued: (sideId, messageId) => store.dispatch(sideId, { type: 'queue_held', messageId }),
    resumeQueue: (sideId) => store.dispatch(sideId, { type: 'queue_resumed' }),

    show(sideId) {
      const model = store.model(sideId)
      if (model !== undefined) store.arrange(model.parent.sessionId, (shelf) => show(shelf, model.kind, sideId))
    },
    read: (parent, recentId) => store.arrange(parent.sessionId, (shelf) => read(shelf, recentId)),
    leave: (parent, recentId) => store.arrange(parent.sessionId, (shelf) => leave(shelf, recentId)),
    goTo(parent, { sideId, turnId }) {
      return store.batch(() => {
        store.arrange(parent.sessionId, (shelf) => seek(shelf, sideId, turnId))
        const live = store.side(sideId)
        if (live !== null) {
          runtime.show(sideId)
          return live.kind === 'side' ? sideId : null
        }
        const closed = store.shelf(parent.sessionId).recent.find((side) => side.sideId === sideId)
        if (closed === undefined) return null
        runtime.read(parent, sideId)
        return closed.kind === 'side' ? runtime.openDraft(parent) : null
      })
    },
    configure(told) {
      bounds = { ...DEFAULT_LIMITS, ...limits, ...told }
    },
    windows: () => desk.limits,
    unread: () =>
      store
        .models()
        .filter((model) => model.unread && model.closingUntil === null)
        .map(({ sideId }) => sideId)
        .join(' '),
    endsIn(wireId, ms) {
      const sideId = store.resolve(wireId)
      if (sideId === undefined || store.model(sideId)?.endsAt == null) return
      store.dispatch(sideId, { type: 'parked', endsAt: desk.clock.now() + ms })
    },
    setVisible: presence.setVisible,
    restore(parent) {
      const running = restoring.get(parent.sessionId)
      if (running !== undefined) return running
      const restored = bringBack(parent).finally(() => restoring.delete(parent.sessionId))
      restoring.set(parent.sessionId, restored)
      return restored
    },
    retune: (next) => void Object.assign(desk.limits, next),
    dispose() {
      disposing ??= end()
      return disposing
    },
  }

  async function bringBack(parent: ParentRef): Promise<void> {
    const sides = await transport.restore(parent).catch(() => [])
    if (desk.disposed()) return
    store.batch(() => {
      for (const { sideId, kind, title, facts } of sides) {
        if (store.resolve(sideId) !== undefined) continue
        store.add(newSide({ sideId, parent, kind }))
        store.arrange(parent.sessionId, (shelf) => put(remove(shelf, kind, sideId), kind, sideId))
        presence.parkedBefore(sideId)
        store.dispatch(sideId, { type: 'restored', title, facts })
        streams.follow(sideId)
      }
    })
  }

  async function end(): Promise<void> {
    streams.dispose()
    presence.dispose()
    conversation.dispose()
    let cancel = (): void => {}
    const late = new Promise<void>((resolve) => {
      cancel = desk.clock.after(desk.limits.quiesceMs, resolve)
    })
    await Promise.race([ending.dispose(), late])
    cancel()
    transport.dispose()
  }

  return runtime
}
