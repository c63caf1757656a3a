/** A transcript as the events that lead to it: for a client that comes later than the first event. Pure. */

import type { SideEvent } from './contract.ts'
import type { Transcript, TranscriptTurn } from './projector.ts'

/** Projecting the result from nothing gives `transcript` again. */
export function replay(transcript: Transcript): readonly SideEvent[] {
  const { lifecycle, reason, turns } = transcript
  const events: SideEvent[] = turns.flatMap(turnEvents)
  if (lifecycle !== 'opening')
    events.push({
      eventType: 'state_patch',
      data: { lifecycleStatus: lifecycle, ...(reason === undefined ? {} : { reason }) },
    })
  return events
}

function turnEvents(turn: TranscriptTurn): SideEvent[] {
  const { turnId, startedAt, settledAt } = turn
  const patch = (data: Extract<SideEvent, { eventType: 'state_patch' }>['data']): SideEvent => ({
    eventType: 'state_patch',
    data,
  })
  const said = (
    messageId: string,
    role: 'user' | 'assistant',
    kind: 'text' | 'reasoning',
    text: string,
  ): SideEvent => ({
    eventType: 'message_delta',
    data: { messageId, turnId, role, kind, content: { operation: 'set', text } },
  })
  const events: SideEvent[] = [
    patch({ turn: { turnId, phase: 'submitted', ...(startedAt === undefined ? {} : { at: startedAt }) } }),
  ]
  if (turn.question !== '') events.push(said(`${turnId}-question`, 'user', 'text', turn.question))
  for (const item of turn.items) {
    if (item.kind === 'tool')
      events.push({
        eventType: 'message_update',
        data: { messageId: item.messageId, turnId, role: 'assistant', kind: 'tool', tool: item.tool },
      })
    else events.push(said(item.messageId, 'assistant', item.kind, item.text))
  }
  for (const interaction of turn.interactions) events.push(patch({ interaction }))
  if (turn.usage !== undefined) events.push({ eventType: 'usage', data: turn.usage })
  if (turn.phase !== 'submitted')
    events.push(
      patch({
        turn: {
          turnId,
          phase: turn.phase,
          ...(turn.outcome === undefined ? {} : { outcome: turn.outcome }),
          ...(turn.error === undefined ? {} : { error: turn.error }),
          ...(turn.phase === 'settled'
            ? settledAt === undefined
              ? {}
              : { at: settledAt }
            : startedAt === undefined
              ? {}
              : { at: startedAt }),
        },
      }),
    )
  return events
}
