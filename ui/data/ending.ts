/** Ends of a side and ways back: close with its undo window, expiry, "start again", recent. The host keeps the hidden
 *  child for the same window (D6); nothing here waits for it. */

import type { ParentRef, TranscriptTurn } from '../../src/wire/index.ts'
import { splitQuote, withQuote } from '../quotation.ts'
import type { Conversation } from './conversation.ts'
import { NO_EARLIER } from './attempts.ts'
import type { Desk } from './desk.ts'
import { newSide } from './model.ts'
import type { SideModel } from './model.ts'
import { forget, hide, put, remember, remove, show } from './shelf.ts'
import type { Streams } from './streams.ts'

export interface Ending {
  close(sideId: string): void
  undo(sideId: string): void
  startAgain(parent: ParentRef, sideId: string): string
  /** Makes an open side a draft again in the same place: its child ends, what it held can be read in `recent`. */
  refork(sideId: string): void
  /** Drops a side at once, keeping what can be read of it in `recent`. */
  end(sideId: string): void
  /** Drops a side whose question is asked again by another one, which keeps its turns. */
  replace(sideId: string): void
  /** Asks the host to end every side, those in their undo window too; resolves when it answered. */
  dispose(): Promise<void>
}

export function createEnding(desk: Desk, streams: Streams, conversation: Conversation): Ending {
  const { store, transport } = desk
  const windows = new Map<string, () => void>()
  /** The close call of a side in its undo window: reopen must come after it. */
  const closing = new Map<string, Promise<void>>()

  function closeAtHost(model: SideModel, keepFor: number): Promise<void> {
    // A failed close is the host's to sweep; it also ends sides whose client says nothing any more.
    return transport.close(model.wireId, keepFor).catch(() => {})
  }

  function drop(model: SideModel): void {
    windows.get(model.sideId)?.()
    windows.delete(model.sideId)
    closing.delete(model.sideId)
    streams.unfollow(model.sideId)
    const { turns = [], earlier = NO_EARLIER } = store.side(model.sideId) ?? {}
    const unsent = unsentOf(model)
    store.batch(() => {
      store.arrange(model.parent.sessionId, (shelf) => {
        const rest = remove(shelf, model.kind, model.sideId)
        if (unsent === '' && !turns.some((turn) => turn.items.length > 0)) return rest
        const { sideId, kind, title, facts } = model
        return remember(rest, { sideId, kind, title, turns, earlier, facts, unsent, endedAt: desk.clock.now() })
      })
      store.drop(model.sideId)
    })
  }

  const ending: Ending = {
    close(sideId) {
      conversation.abandon(sideId)
      const model = store.model(sideId)
      if (model === undefined || model.closingUntil !== null) return
      const { undoMs } = desk.limits
      if (undoMs <= 0 || !isWorthUndo(model)) {
        if (model.stage.at === 'open') void closeAtHost(model, 0)
        drop(model)
        return
      }
      const isOpen = (id: string): boolean => id !== sideId && store.model(id)?.closingUntil === null
      store.batch(() => {
        store.arrange(model.parent.sessionId, (shelf) => hide(shelf, model.kind, sideId, isOpen))
        store.dispatch(sideId, { type: 'closing', until: desk.clock.now() + undoMs })
      })
      if (model.stage.at === 'open') closing.set(sideId, closeAtHost(model, undoMs))
      windows.set(
        sideId,
        desk.clock.after(undoMs, () => ending.end(sideId)),
      )
    },
    undo(sideId) {
      const model = store.model(sideId)
      if (model === undefined || model.closingUntil === null) return
      windows.get(sideId)?.()
      windows.delete(sideId)
      store.batch(() => {
        store.dispatch(sideId, { type: 'undone' })
        store.arrange(model.parent.sessionId, (shelf) => show(shelf, model.kind, sideId))
      })
      if (model.stage.at !== 'open') return
      const closed = closing.get(sideId) ?? Promise.resolve()
      closing.delete(sideId)
      closed
        .then(() => transport.reopen(model.wireId))
        .catch(() => {
          if (!desk.disposed()) store.dispatch(sideId, { type: 'expired', reason: 'provider_lost' })
        })
    },
    startAgain(parent, sideId) {
      const model = store.model(sideId)
      if (model !== undefined) {
        restart(model)
        return sideId
      }
      const shelf = store.shelf(parent.sessionId)
      const recent = shelf.recent.find((side) => side.sideId === sideId)
      const words = splitQuote(recent === undefined ? '' : recent.unsent || (recent.turns[0]?.question ?? ''))
      const fresh = newSide({
        sideId: desk.newId(),
        parent,
        kind: recent?.kind ?? 'side',
        askBox: recent?.kind === 'btw',
        draft: words.text,
        quote: words.quote,
      })
      store.batch(() => {
        store.add(fresh)
        store.arrange(parent.sessionId, (now) => put(forget(now, sideId), fresh.kind, fresh.sideId))
      })
      return fresh.sideId
    },
    refork(sideId) {
      const model = store.model(sideId)
      if (model === undefined || (model.stage.at !== 'open' && model.stage.at !== 'expired')) return
      if (model.stage.at === 'open') void closeAtHost(model, 0)
      const turns = store.side(sideId)?.turns ?? []
      streams.unfollow(sideId)
      store.batch(() => {
        keepReadable(model, turns)
        store.dispatch(sideId, { type: 'restarted' })
      })
    },
    replace(sideId) {
      const model = store.model(sideId)
      if (model === undefined) return
      if (model.stage.at === 'open') void closeAtHost(model, 0)
      streams.unfollow(sideId)
      store.batch(() => {
        store.arrange(model.parent.sessionId, (shelf) => remove(shelf, model.kind, sideId))
        store.drop(sideId)
      })
    },
    end(sideId) {
      const model = store.model(sideId)
      if (model !== undefined) drop(model)
    },
    async dispose() {
      for (const cancel of windows.values()) cancel()
      windows.clear()
      const open = store.models().filter((model) => model.stage.at === 'open')
      await Promise.all(open.map((model) => closeAtHost(model, 0)))
    },
  }

  /** An answer, or a part of one, stays readable. */
  function keepReadable({ sideId, title, kind, facts, parent }: SideModel, turns: readonly TranscriptTurn[]): void {
    if (!turns.some((turn) => turn.items.length > 0)) return
    const { earlier } = store.side(sideId) ?? { earlier: NO_EARLIER }
    const old = { sideId: desk.newId(), kind, title, turns, earlier, facts, unsent: '', endedAt: desk.clock.now() }
    store.arrange(parent.sessionId, (shelf) => remember(shelf, old))
  }

  /** The shell stays where it is; what it held can be read in `recent`. */
  function restart(model: SideModel): void {
    if (model.stage.at !== 'expired' && model.stage.at !== 'error') return
    const turns = store.side(model.sideId)?.turns ?? []
    streams.unfollow(model.sideId)
    store.batch(() => {
      keepReadable(model, turns)
      store.dispatch(model.sideId, { type: 'restarted' })
      // Questions that never got an answer are offered for another try, before what was typed since.
      const asked = turns.map((turn) => turn.question).filter((question) => question !== '')
      if (asked.length > 0 && turns.every((turn) => turn.items.length === 0)) {
        store.dispatch(model.sideId, { type: 'taken_back', question: asked.join('\n') })
      }
    })
  }

  return ending
}

/** Whether there is something to lose: an answer, a live child, typed words. */
function isWorthUndo(model: SideModel): boolean {
  return model.stage.at === 'open' || model.stage.at === 'expired' || unsentOf(model) !== ''
}

function unsentOf(model: SideModel): string {
  const typed = model.draft === '' ? '' : withQuote(model.quote, model.draft)
  return [...model.queue.map((message) => message.text), typed].filter((text) => text !== '').join('\n')
}
