/** A `/btw` that goes on as a `/side`, in its place and with its exchange (K07): its child becomes one at the host. When that
 *  child is gone, a new side begins that quotes what was said. Orders the steps; what a step does to a side is actions.ts. */

import { toSideError } from '../../src/wire/index.ts'
import type { TranscriptTurn } from '../../src/wire/index.ts'
import { quotable, splitQuote } from '../quotation.ts'
import { isEnded } from './conversation.ts'
import type { Desk } from './desk.ts'
import { putBack } from './model.ts'
import { put, remember, remove } from './shelf.ts'

export interface Continuing {
  /** Resolves with the id of the side to show, or null when it stays what it is. Never rejects. */
  continueAsSide(sideId: string): Promise<string | null>
}

export function createContinuing(desk: Desk): Continuing {
  const { store, transport } = desk
  const running = new Map<string, Promise<string | null>>()

  /** From the card's list to that of the sides, where it is shown. */
  function move(sideId: string, change: () => void): string | null {
    const model = store.model(sideId)
    if (model === undefined) return null
    store.batch(() => {
      change()
      store.arrange(model.parent.sessionId, (shelf) => put(remove(shelf, 'btw', sideId), 'side', sideId))
    })
    return sideId
  }

  /** What was said can be read in `recent`, and is quoted in the side that takes its place. */
  function succeed(sideId: string): string | null {
    const side = store.side(sideId)
    if (side === null) return null
    const { kind, title, turns, earlier, facts } = side
    const old = { sideId: desk.newId(), kind, title, turns, earlier, facts, unsent: '', endedAt: desk.clock.now() }
    return move(sideId, () => {
      if (turns.some((turn) => turn.items.length > 0))
        store.arrange(side.parent.sessionId, (shelf) => remember(shelf, old))
      const answered = turns.some((turn) => turn.items.length > 0)
      store.dispatch(sideId, { type: 'succeeded', quote: answered ? quotable(exchangeOf(turns)) : '' })
      // A question without an answer is there to be asked again.
      const { text } = splitQuote(turns[0]?.question ?? '')
      if (!answered && text !== '')
        store.dispatch(sideId, { type: 'draft', text: putBack(text, store.model(sideId)?.draft ?? '') })
    })
  }

  async function promote(sideId: string, wireId: string): Promise<string | null> {
    try {
      const facts = await transport.promote(wireId)
      const model = store.model(sideId)
      if (desk.disposed() || model?.wireId !== wireId || model.kind === 'side') return null
      return move(sideId, () => store.dispatch(sideId, { type: 'moved', facts }))
    } catch (error) {
      const { code } = toSideError(error)
      if (desk.disposed() || store.model(sideId)?.wireId !== wireId) return null
      if (isEnded(code)) return succeed(sideId)
      if (code === 'unsupported') {
        transport.close(wireId, 0).catch(() => {})
        return succeed(sideId)
      }
      store.dispatch(sideId, { type: 'notice', notice: { code, verb: 'continue' } })
      return null
    }
  }

  return {
    async continueAsSide(sideId) {
      const model = store.model(sideId)
      if (model === undefined || model.kind === 'side' || model.closingUntil !== null) return null
      switch (model.stage.at) {
        case 'draft':
          return move(sideId, () => store.dispatch(sideId, { type: 'moved', facts: null }))
        case 'open': {
          const already = running.get(sideId)
          if (already !== undefined) return already
          const promoting = promote(sideId, model.wireId).finally(() => running.delete(sideId))
          running.set(sideId, promoting)
          return promoting
        }
        case 'expired':
          return succeed(sideId)
        default:
          return null
      }
    },
  }
}

/** A question and its answer as they can be quoted. */
function exchangeOf(turns: readonly TranscriptTurn[]): string {
  return turns
    .map(({ question, items }) => {
      const answer = items.map((item) => (item.kind === 'text' ? item.text : '')).join('')
      return [splitQuote(question).text.trim(), answer.trim()].filter((text) => text !== '').join('\n\n')
    })
    .join('\n\n')
}
