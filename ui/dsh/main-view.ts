/** What main's own page knows of its conversation: messages, whole turns, what waits for its person. Read by feature; a
 *  host that shows less gives ''. */

import { member } from './seams.ts'

/** The conversation's snapshot in the page, or undefined. */
function snapshotOf(sessions: unknown, sessionId: string): unknown {
  const find = member(sessions, 'binding')
  if (typeof find !== 'function') return undefined
  const session = member(Reflect.apply(find, sessions, [sessionId]), 'session')
  const read = member(session, 'getSnapshot')
  return typeof read === 'function' ? Reflect.apply(read, session, []) : undefined
}

/** The number of the last whole turn that the page knows of, 0 for none. */
export function wholeTurns(sessions: unknown, sessionId: string): number {
  const ends = member(snapshotOf(sessions, sessionId), 'turnEnds')
  let last = 0
  if (ends instanceof Map) for (const turn of ends.keys()) if (typeof turn === 'number' && turn > last) last = turn
  return last
}

/** Calls back when the page's copy of the conversation changes; returns its undo. */
export function watchMain(sessions: unknown, sessionId: string, listener: () => void): () => void {
  const find = member(sessions, 'binding')
  const session = typeof find === 'function' ? member(Reflect.apply(find, sessions, [sessionId]), 'session') : undefined
  const subscribe = member(session, 'subscribe')
  return typeof subscribe === 'function' ? (Reflect.apply(subscribe, session, [listener]) as () => void) : () => {}
}

/** What main waits for, in words that can be quoted: the call with its arguments, or the question with its answers. '' when
 *  the page does not tell. Reads; answers nothing. */
export function pendingText(sessions: unknown, sessionId: string): string {
  const snapshot = snapshotOf(sessions, sessionId)
  const pending = member(snapshot, 'pending')
  const wait: unknown = Array.isArray(pending) ? pending[0] : undefined
  const payload = member(wait, 'payload')
  if (member(wait, 'kind') === 'question') return questionsText(member(payload, 'questions'))
  const calls = member(snapshot, 'runningCalls')
  const callId = member(payload, 'callId')
  const call: unknown = Array.isArray(calls) ? calls.find((one) => member(one, 'callId') === callId) : undefined
  const lines = [member(payload, 'toolName') ?? member(call, 'name'), member(payload, 'reason'), argumentsText(call)]
  return lines.filter((line) => typeof line === 'string' && line !== '').join('\n')
}

function argumentsText(call: unknown): string {
  const raw = member(call, 'argsRaw')
  if (typeof raw !== 'string') return ''
  try {
    return JSON.stringify(JSON.parse(raw), null, 2)
  } catch {
    return raw
  }
}

function questionsText(questions: unknown): string {
  if (!Array.isArray(questions)) return ''
  return questions
    .flatMap((one: unknown) => {
      const options = member(one, 'options')
      const labels = Array.isArray(options)
        ? options.map((option: unknown) => `- ${words(member(option, 'label'))}`)
        : []
      return [words(member(one, 'question')), ...labels]
    })
    .join('\n')
}

function words(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The text of one assistant message as Markdown, '' when the page does not hold it. */
export function messageText(sessions: unknown, sessionId: string, messageId: string): string {
  const nodes = member(snapshotOf(sessions, sessionId), 'nodes')
  if (!Array.isArray(nodes)) return ''
  const node: unknown = nodes.findLast((one) => member(one, 'messageId') === messageId)
  const blocks = member(node, 'blocks')
  if (!Array.isArray(blocks)) return ''
  return blocks
    .map((block: unknown) => (member(block, 'kind') === 'text' ? member(block, 'text') : ''))
    .filter((text) => typeof text === 'string')
    .join('')
}
