/** The prompts of one Side: which of them can be answered, and which were (T5). A prompt is named by turn and request. */

import type { InteractionPatch } from './contract.ts'
import { SideError } from './errors.ts'

/** Dispositions of answered prompts that are remembered, the oldest forgotten first. */
const REMEMBERED = 1_024

export interface InteractionLedger {
  /** What the provider says about a prompt. */
  observe(patch: InteractionPatch): void
  /** The turn settled: its open prompts are gone. */
  settled(turnId: string): void
  /** Claims a prompt for one answer, so that no second one reaches the provider. Throws SideError
   *  `interaction_not_live`, `interaction_already_answered`, `interaction_invalid_response` or `in_progress`. */
  claim(turnId: string, requestId: string, response: unknown): { answered(): void; refused(): void }
}

type Disposition = 'pending' | 'claimed' | 'done'

export function createLedger(): InteractionLedger {
  const dispositions = new Map<string, { readonly turnId: string; status: Disposition }>()

  function finish(turnId: string, key: string): void {
    dispositions.delete(key)
    dispositions.set(key, { turnId, status: 'done' })
    let done = 0
    for (const { status } of dispositions.values()) if (status === 'done') done += 1
    if (done <= REMEMBERED) return
    for (const [oldest, { status }] of dispositions) if (status === 'done') return void dispositions.delete(oldest)
  }

  return {
    observe({ turnId, requestId, status }) {
      const key = keyOf(turnId, requestId)
      if (status === 'pending') {
        if (!dispositions.has(key)) dispositions.set(key, { turnId, status: 'pending' })
      } else if (status === 'gone') {
        if (dispositions.get(key)?.status !== 'done') dispositions.delete(key)
      } else {
        finish(turnId, key)
      }
    },
    settled(turnId) {
      for (const [key, one] of dispositions)
        if (one.turnId === turnId && one.status !== 'done') dispositions.delete(key)
    },
    claim(turnId, requestId, response) {
      const key = keyOf(turnId, requestId)
      const prompt = dispositions.get(key)
      if (prompt === undefined) throw new SideError('interaction_not_live', `prompt ${requestId} of turn ${turnId}`)
      if (prompt.status === 'done')
        throw new SideError('interaction_already_answered', `prompt ${requestId} of turn ${turnId}`)
      if (prompt.status === 'claimed') throw new SideError('in_progress', `prompt ${requestId} is being answered`)
      if (typeof response !== 'object' || response === null || Array.isArray(response)) {
        throw new SideError(
          'interaction_invalid_response',
          `an answer is an object, not ${response === null ? 'null' : Array.isArray(response) ? 'a list' : typeof response}`,
        )
      }
      prompt.status = 'claimed'
      return {
        answered: () => {
          if (dispositions.get(key) === prompt) finish(turnId, key)
        },
        refused: () => {
          if (dispositions.get(key) === prompt) prompt.status = 'pending'
        },
      }
    },
  }
}

function keyOf(turnId: string, requestId: string): string {
  return `${turnId}\u0000${requestId}`
}
