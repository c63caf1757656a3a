/** Messages for a child's inbox, frozen as the host wants them. */

import type { Agent } from '@deepseek-ai/dsh-agent'
import type { ContentPart } from '../../core/contract.ts'
import { SideError } from '../../core/errors.ts'

/** A user message whose identity is the turn's, so that the log itself tells which turn is which. */
export function userMessage(turnId: string, content: readonly ContentPart[]): Parameters<Agent['followup']>[0] {
  const blocks = content.map((part) => {
    if (part.type !== 'text') throw new SideError('invalid_request', 'images are not forwarded on this host')
    return { type: 'text', text: part.text }
  })
  const message = deepFreeze({ id: turnId, role: 'user', content: blocks, source: { kind: 'user' } })
  return message as unknown as Parameters<Agent['followup']>[0]
}

/** Freezes a value and everything in it; returns it. */
export function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value)
    for (const part of Object.values(value)) deepFreeze(part)
  }
  return value
}
