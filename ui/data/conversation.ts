/** Questions on their way: ask, follow up, queue, stop, retry, respond. Orders the steps of each; what a step does to
 *  a side is actions.ts. After every await it checks that the side is still the one it began with. */

import { SideError, toSideError } from '../../src/wire/index.ts'
import type { ContentPart, ForkFacts, ModelRoute, SideErrorCode } from '../../src/wire/index.ts'
import type { Desk } from './desk.ts'
import type { LocalTurn, SideModel } from './model.ts'
import type { QueuedMessage, SideSnapshot } from './snapshot.ts'
import type { Streams } from './streams.ts'

/** How long the client waits longer than the host for the answer to `open`. */
const GRACE_MS = 5_000
/** When a queued message is tried again after the host still saw another turn. */
const BUSY_MS = 1_000

/** The person stopped or closed the side before the host had opened it. Nothing failed and nothing needs saying;
 *  whoever holds the text keeps it. */
export class AskCanceled extends SideError {
  constructor() {
    super('conflict', 'canceled before it was open')
    this.name = 'AskCanceled'
  }
}

export interface Opening {
  readonly question: string
  /** Parts that go with the text. */
  readonly attachments?: readonly ContentPart[]
  readonly route?: ModelRoute
  /** On refusal: true keeps the question on the card, false gives its text back to the side's draft. */
  readonly keepOnCard: boolean
  /** Whoever asked holds the text until it is accepted, so that a cancel need not give it back. */
  readonly heldByAsker?: boolean
}

interface TurnOptions {
  readonly attachments?: readonly ContentPart[] | undefined
  readonly route?: ModelRoute | null
  readonly again?: string | undefined
}

/** A fork on its way. */
interface Attempt {
  readonly turnId: string
  readonly giveBack: boolean
  readonly abort: AbortController
}

export interface Conversation {
  /** Forks and sends the first question; resolves when the host accepted both. */
  open(sideId: string, opening: Opening): Promise<void>
  /** Sends a follow-up now, or queues it while a turn runs. `again`: the turn of which it is another attempt. */
  say(sideId: string, question: string, again?: string): 'sent' | 'queued' | 'refused'
  /** Sends the head of the queue when nothing runs and nothing holds it. */
  flush(sideId: string): void
  stop(sideId: string): void
  /** Resolves with whether the host took it; never rejects. */
  respond(sideId: string, turnId: string, requestId: string, response: unknown): Promise<boolean>
  /** Gives up a fork that is not open yet: the side is a draft again, with the text unless its asker has it.
   *  A late success is closed again (P4). */
  abandon(sideId: string): void
  /** The side is gone for good. */
  forget(sideId: string): void
  dispose(): void
}

export function createConversation(desk: Desk, streams: Streams): Conversation {
  const { store, transport } = desk
  const opening = new Map<string, Attempt>()
  /** Sides whose own id was used for an attempt. */
  const tried = new Set<string>()
  /** Sides whose host still saw another turn a moment ago. */
  const busy = new Set<string>()
  const timers = new Set<() => void>()

  function newTurn(question: string, more: TurnOptions = {}): LocalTurn {
    const { attachments = [], route = null, again } = more
    return {
      turnId: desk.newId(),
      question,
      content: [{ type: 'text', text: question }, ...attachments],
      askedAt: desk.clock.now(),
      ...(route === null ? {} : { route }),
      ...(again === undefined ? {} : { again }),
    }
  }

  /** Whether `sideId` is still the side that the host knows as `wireId`. */
  function isSame(sideId: string, wireId: string): boolean {
    return !desk.disposed() && store.model(sideId)?.wireId === wireId
  }

  function later(ms: number, task: () => void): () => void {
    const cancel = desk.clock.after(ms, () => {
      timers.delete(cancel)
      task()
    })
    timers.add(cancel)
    return () => {
      timers.delete(cancel)
      cancel()
    }
  }

  function discard(wireId: string): void {
    transport.close(wireId, 0).catch(() => {
      // The host's own window for lost clients ends it.
    })
  }

  async function open(sideId: string, request: Opening): Promise<void> {
    const model = store.model(sideId)
    if (model === undefined) throw new SideError('not_found', 'no such side')
    // A host id is used for one attempt only: a refused one may still be held there until it is cleaned up.
    const wireId = tried.has(sideId) ? desk.newId() : sideId
    tried.add(sideId)
    const route = request.route ?? model.route
    const turn = newTurn(request.question, { attachments: request.attachments, route })
    const giveBack = request.heldByAsker !== true
    const attempt: Attempt = { turnId: turn.turnId, giveBack, abort: new AbortController() }
    opening.set(sideId, attempt)
    store.dispatch(sideId, { type: 'asked', turn, wireId })
    try {
      const facts = await openOrAbort(model, wireId, turn, attempt.abort.signal)
      if (!isSame(sideId, wireId)) {
        discard(wireId)
        throw new AskCanceled()
      }
      store.dispatch(sideId, { type: 'accepted', facts })
      streams.follow(sideId)
    } catch (cause) {
      const error = toSideError(cause)
      if (!(error instanceof AskCanceled) && isSame(sideId, wireId)) {
        store.dispatch(sideId, {
          type: 'open_refused',
          turnId: turn.turnId,
          code: error.code,
          keep: request.keepOnCard,
        })
      }
      throw error
    } finally {
      if (opening.get(sideId) === attempt) opening.delete(sideId)
    }
  }

  /** `transport.open`, ended early by the person or by the client's own deadline; what comes late is closed again. */
  function openOrAbort(model: SideModel, wireId: string, turn: LocalTurn, signal: AbortSignal): Promise<ForkFacts> {
    const own = new AbortController()
    const call = transport.open({
      parent: model.parent,
      kind: model.kind,
      sideId: wireId,
      requestId: desk.newId(),
      turnId: turn.turnId,
      content: turn.content,
      ...(turn.route === undefined ? {} : { route: turn.route }),
      ...(model.scope === null ? {} : { scope: model.scope }),
      signal: own.signal,
    })
    return new Promise<ForkFacts>((resolve, reject) => {
      let over = false
      const giveUp = (reason: SideError): void => {
        if (over) return
        over = true
        own.abort()
        call.then(
          () => discard(wireId),
          () => discard(wireId),
        )
        reject(reason)
      }
      const cancelDeadline = later(desk.limits.openTimeoutMs + GRACE_MS, () =>
        giveUp(new SideError('provider_error', 'the host did not answer in time')),
      )
      signal.addEventListener('abort', () => giveUp(new AskCanceled()), { once: true })
      call.then(resolve, reject).finally(() => {
        over = true
        cancelDeadline()
      })
    })
  }

  function send(sideId: string, wireId: string, turn: LocalTurn, requeue: QueuedMessage | null): void {
    const catchUp = store.model(sideId)?.catchUp === true
    store.dispatch(sideId, { type: 'asked', turn })
    store.dispatch(sideId, { type: 'catch_up', wanted: false })
    const { route, again } = turn
    const options = {
      ...(route === undefined ? {} : { route }),
      ...(again === undefined ? {} : { instead: again }),
      ...(catchUp ? { catchUp } : {}),
    }
    const sent = transport.send(wireId, turn.turnId, turn.content, options)
    sent.then(
      ({ mainTurn }) => {
        if (mainTurn !== undefined && isSame(sideId, wireId)) store.dispatch(sideId, { type: 'caught_up', mainTurn })
      },
      (cause: unknown) => refused(sideId, wireId, turn, requeue, catchUp, toSideError(cause).code),
    )
  }

  function refused(
    sideId: string,
    wireId: string,
    turn: LocalTurn,
    requeue: QueuedMessage | null,
    catchUp: boolean,
    code: SideErrorCode,
  ): void {
    if (!isSame(sideId, wireId)) return
    if (code === 'turn_active') tryLater(sideId)
    const waits = code === 'turn_active' ? (requeue ?? { id: desk.newId(), text: turn.question }) : requeue
    store.batch(() => {
      store.dispatch(sideId, { type: 'send_refused', turnId: turn.turnId, code, requeue: waits })
      if (code === 'turn_active') store.dispatch(sideId, { type: 'notice', notice: null })
      if (catchUp) store.dispatch(sideId, { type: 'catch_up', wanted: true })
      if (isEnded(code)) store.dispatch(sideId, { type: 'expired', reason: 'provider_lost' })
    })
  }

  function tryLater(sideId: string): void {
    busy.add(sideId)
    later(BUSY_MS, () => {
      busy.delete(sideId)
      conversation.flush(sideId)
    })
  }

  const conversation: Conversation = {
    open,
    say(sideId, question, again) {
      const model = store.model(sideId)
      const side = store.side(sideId)
      if (model === undefined || side === null) return 'refused'
      switch (side.status.phase) {
        case 'idle':
          send(sideId, model.wireId, newTurn(question, { route: model.route, again }), null)
          return 'sent'
        case 'opening':
        case 'running':
          if (model.queue.length >= desk.limits.queuedMessages) {
            store.dispatch(sideId, { type: 'notice', notice: { code: 'limit_reached', verb: 'queue' } })
            return 'refused'
          }
          store.dispatch(sideId, { type: 'queued', message: { id: desk.newId(), text: question } })
          return 'queued'
        default:
          return 'refused'
      }
    },
    flush(sideId) {
      const model = store.model(sideId)
      const head = model?.queue[0]
      if (model === undefined || head === undefined || model.queuePaused || head.id === model.heldMessage) return
      if (desk.disposed() || busy.has(sideId) || store.side(sideId)?.status.phase !== 'idle') return
      store.batch(() => {
        // In this order: a side that is idle for a moment would send the next one too.
        send(sideId, model.wireId, newTurn(head.text, { route: model.route }), head)
        store.dispatch(sideId, { type: 'dequeued', messageId: head.id })
      })
    },
    stop(sideId) {
      const model = store.model(sideId)
      const status = store.side(sideId)?.status
      if (model === undefined || status === undefined) return
      if (status.phase === 'opening') conversation.abandon(sideId)
      if (status.phase !== 'running' || status.stopping) return
      const { turnId } = status
      store.dispatch(sideId, { type: 'stop_asked', turnId })
      transport.cancel(model.wireId, turnId).then(
        ({ targetAbsent }) => {
          if (targetAbsent && isRunning(sideId, turnId)) store.dispatch(sideId, { type: 'turn_gone', turnId })
        },
        (cause: unknown) => {
          if (isSame(sideId, model.wireId))
            store.dispatch(sideId, { type: 'stop_failed', turnId, code: toSideError(cause).code })
        },
      )
    },
    async respond(sideId, turnId, requestId, response) {
      const model = store.model(sideId)
      if (model === undefined) return false
      try {
        await transport.respond(model.wireId, turnId, requestId, response)
      } catch (cause) {
        if (isSame(sideId, model.wireId))
          store.dispatch(sideId, { type: 'notice', notice: { code: toSideError(cause).code, verb: 'respond' } })
        return false
      }
      if (isSame(sideId, model.wireId) && store.model(sideId)?.notice?.verb === 'respond')
        store.dispatch(sideId, { type: 'notice', notice: null })
      return true
    },
    abandon(sideId) {
      const attempt = opening.get(sideId)
      if (attempt === undefined) return
      attempt.abort.abort()
      store.dispatch(sideId, { type: 'open_canceled', turnId: attempt.turnId, textToDraft: attempt.giveBack })
    },
    forget(sideId) {
      tried.delete(sideId)
    },
    dispose() {
      for (const { abort } of opening.values()) abort.abort()
      for (const cancel of timers) cancel()
      timers.clear()
    },
  }

  function isRunning(sideId: string, turnId: string): boolean {
    const status: SideSnapshot['status'] | undefined = store.side(sideId)?.status
    return !desk.disposed() && status?.phase === 'running' && status.turnId === turnId
  }

  return conversation
}

/** Codes that say that the side is gone at the host. */
export function isEnded(code: string): boolean {
  return code === 'expired' || code === 'not_found'
}
