/** Words that go along with a question: frozen when they were picked, shown above the question, sent as a Markdown
 *  quotation in front of it. Pure. Who picks them is dsh/selection.ts. */

/** Most characters of one quotation; what is longer loses its middle. */
export const QUOTE_CHARS = 8_000

const GAP = '\n[…]\n'

/** `text` as it can be quoted: one kind of line break, no empty lines at its ends, at most QUOTE_CHARS characters. */
export function quotable(text: string): string {
  const plain = text
    .replace(/\r\n?|[\u2028\u2029]/g, '\n')
    .replace(/^(?:[^\S\n]*\n)+/, '')
    .trimEnd()
  if (plain.length <= QUOTE_CHARS) return plain
  const head = Math.ceil((QUOTE_CHARS - GAP.length) * 0.7)
  const tail = QUOTE_CHARS - GAP.length - head
  const first = plain.slice(0, head).replace(/[\ud800-\udbff]$/, '')
  return first + GAP + plain.slice(plain.length - tail).replace(/^[\udc00-\udfff]/, '')
}

/** The question as it is sent: the quotation, an empty line, the words. */
export function withQuote(quote: string, question: string): string {
  if (quote === '') return question
  const lines = quote.split('\n').map((line) => (line === '' ? '>' : `> ${line}`))
  return `${lines.join('\n')}\n\n${question}`
}

/** What `withQuote` put together. A question that somebody typed like one is taken apart the same way. */
export function splitQuote(question: string): { readonly quote: string; readonly text: string } {
  const lines = question.split('\n')
  const end = lines.findIndex((line) => line !== '>' && !line.startsWith('> '))
  const text = end < 1 ? '' : lines.slice(end + 1).join('\n')
  if (end < 1 || lines[end] !== '' || text.trim() === '') return { quote: '', text: question }
  const quote = lines
    .slice(0, end)
    .map((line) => line.slice(2))
    .join('\n')
  return { quote, text }
}
