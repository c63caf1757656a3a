/** Takes an attempt out of what the model is shown when its question is asked again. The log keeps it, and with it what
 *  the person reads; only the model-visible surface changes, in the way in which compaction does. */

import type { Session } from '@deepseek-ai/dsh-session'
import { appendLoose, eventsOf } from './seams.ts'
import { record, type VendorEvent } from './translate.ts'

/** Hides the turn `turnId` from the model, if it is the last one of this idle session. What stands beside the question
 *  (boundary, runtime context) stays. @returns whether the model no longer sees it. */
export function forgetTurn(session: Session, turnId: string): boolean {
  const events = eventsOf(session)
  const question = events.findLastIndex(
    (event) => event.type === 'user/message' && record(event.data)?.['id'] === turnId,
  )
  if (question < 0 || events.slice(question).some(({ type }) => type === 'turn/start')) return false
  const nodes = surfaceNodes(session)
  const first = nodes.findIndex((seq) => seq >= question)
  if (first < 0) return true
  let run: number[] = []
  const runs: number[][] = []
  for (const seq of nodes.slice(first)) {
    const event = events[seq]
    if (event !== undefined && belongs(event, turnId)) run.push(seq)
    else if (run.length > 0) {
      runs.push(run)
      run = []
    }
  }
  if (run.length > 0) runs.push(run)
  const { turn, step } = placeOf(events, question)
  for (const seqs of runs) {
    appendLoose(
      session,
      'assistant/message',
      { turn, step, message: { id: crypto.randomUUID(), role: 'assistant', content: [] } },
      { surfaceOp: { op: 'replace', start: seqs[0], end: seqs.at(-1) }, sourceEventSeqs: seqs },
    )
  }
  return true
}

function belongs(event: VendorEvent, turnId: string): boolean {
  if (event.type === 'assistant/message' || event.type === 'tool/result') return true
  return event.type === 'user/message' && record(event.data)?.['id'] === turnId
}

/** Turn and step that the attempt ended in. */
function placeOf(events: readonly VendorEvent[], question: number): { readonly turn: unknown; readonly step: unknown } {
  const last = events.slice(question).findLast(({ type }) => type === 'assistant/message' || type === 'step/start')
  const start = events.slice(0, question).findLast(({ type }) => type === 'turn/start')
  const at = record(last?.data)
  return { turn: at?.['turn'] ?? record(start?.data)?.['turn'] ?? 0, step: at?.['step'] ?? 0 }
}

function surfaceNodes(session: Session): readonly number[] {
  const { surface } = session as unknown as { surface?: { nodes?: readonly number[] } }
  return surface?.nodes ?? []
}
