/** What a line typed in the page's composer means. Pure. A line that begins with `/btw` or `/side` is never main's, whatever
 *  stands behind it and however the page is connected (I4). */

import type { SideKind } from '../../src/wire/index.ts'

export type TypedLine =
  | { readonly to: 'main'; readonly text: string }
  | { readonly to: SideKind; readonly question: string }

const COMMAND = /^\s*\/(btw|side)(?=\s|$)[ \t]*\n?/i

export function readLine(text: string): TypedLine {
  const found = COMMAND.exec(text)
  if (found === null) return { to: 'main', text }
  const kind: SideKind = found[1]?.toLowerCase() === 'btw' ? 'btw' : 'side'
  // Everything after the name is literal, except that nothing but white space is nothing.
  const question = text.slice(found[0].length)
  return { to: kind, question: question.trim() === '' ? '' : question }
}
