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
