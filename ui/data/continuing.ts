/** A `/btw` that goes on as a `/side`, in its place and with what it holds. Orders the steps; what a step does to a side
 *  is actions.ts. */

import type { Desk } from './desk.ts'
import { put, remove } from './shelf.ts'

export interface Continuing {
  /** Resolves with the id of the side to show, or null when it stays what it is. Never rejects. */
  continueAsSide(sideId: string): Promise<string | null>
}

export function createContinuing(desk: Desk): Continuing {
  const { store } = desk

  /** From the card's list to that of the sides, where it is shown. */
  function move(sideId: string): string | null {
    const model = store.model(sideId)
    if (model?.kind !== 'btw') return null
    store.batch(() => {
      store.dispatch(sideId, { type: 'moved', kind: 'side' })
      store.arrange(model.parent.sessionId, (shelf) => put(remove(shelf, 'btw', sideId), 'side', sideId))
    })
    return sideId
  }

  return {
    async continueAsSide(sideId) {
      return store.model(sideId)?.stage.at === 'draft' ? move(sideId) : null
    },
  }
}
