/** Tells what was made to be expensive from what a person could read. Pure. The marks of a paragraph are matched against
 *  each other; a thousand of them take seconds, and it is shown as the words that it is. */

/** Marks in one paragraph, list item or row; a page of prose has less than a hundred. */
export const MARKS_MOST = 600

const MARK = /[*_~`[\]<$\\@&!:]/g
/** Where one paragraph ends and another begins, near enough: blank lines, items, quotes, rows. */
const BETWEEN = /\n(?=[ \t>]*(?:\n|$|[-+*|#][ \t|#]|\d{1,9}[.)][ \t]))/

export function isDense(text: string): boolean {
  if (text.length <= MARKS_MOST) return false
  return text.split(BETWEEN).some((piece) => (piece.match(MARK)?.length ?? 0) > MARKS_MOST)
}

/** Quotes and lists inside each other on one line, or headings without a line between them: each costs the reader of
 *  Markdown as much as all those before it. */
const NESTED = /^[ \t]*(?:(?:>|[-+*](?=[ \t])|\d{1,9}[.)](?=[ \t]))[ \t]*){50}/m
const UNDERLINED = /^ {0,3}(?:=+|-+)[ \t]*$/gm
const UNDERLINED_MOST = 200

/** Whether a text is built in a way that no answer is: it is not read at all. */
export function isDeep(text: string): boolean {
  return NESTED.test(text) || (text.match(UNDERLINED)?.length ?? 0) > UNDERLINED_MOST
}
