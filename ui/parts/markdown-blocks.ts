/** Cuts Markdown into top-level blocks that can be rendered on their own, so that a streaming answer re-renders only
 *  its last one. Pure. It cuts too rarely rather than wrongly: joined, the blocks are the text; where a document's
 *  parts depend on each other (reference definitions, footnotes) there is one block. */

export interface Blocks {
  readonly text: string
  readonly blocks: readonly string[]
}

/** A reference or footnote definition: it changes what stands elsewhere. */
const DEFINITION = /^ {0,3}\[[^\]\n]+\]:/m
const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
/** A line that may belong to the list, quote or table before the blank line: indented, or a further item. */
const CONTINUES = /^(?:[ \t]|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/
const LIST = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/

/** The blocks of `text`; those of `previous` are reused when `text` only grew at its end. */
export function splitBlocks(text: string, previous: Blocks | null = null): Blocks {
  if (previous?.text === text) return previous
  if (DEFINITION.test(text)) return { text, blocks: [text] }
  // The last two are cut again: half a line ("2" of "2. two") may have looked like the beginning of a new block.
  const kept = previous !== null && text.startsWith(previous.text) ? previous.blocks.slice(0, -2) : []
  let start = kept.reduce((sum, block) => sum + block.length, 0)
  const blocks = [...kept]
  let fence = ''
  let blank = false
  let list = false
  let at = start
  while (at < text.length) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline + 1
    const line = text.slice(at, newline === -1 ? end : newline).replace(/\r$/, '')
    const isBlank = fence === '' && line.trim() === ''
    if (fence === '' && !isBlank && blank && at > start && !(CONTINUES.test(line) && (list || /^[ \t]/.test(line)))) {
      blocks.push(text.slice(start, at))
      start = at
      list = false
    }
    if (fence === '' && at === start) list = LIST.test(line)
    const marks = FENCE.exec(line)
    if (marks !== null) {
      const [, run = '', info = ''] = marks
      if (fence === '') fence = run.startsWith('`') && info.includes('`') ? '' : run
      else if (run[0] === fence[0] && run.length >= fence.length && info.trim() === '') fence = ''
    }
    blank = isBlank
    at = end
  }
  if (start < text.length) blocks.push(text.slice(start))
  return { text, blocks }
}

/** The code of a block that is one fence without its end, as while code streams: it needs no parsing, however long it
 *  grows. Null for anything else, an indented fence included. */
export function openFence(block: string): { readonly language: string; readonly text: string } | null {
  const [first = '', ...lines] = block.split('\n')
  const [whole, run = '', info = ''] = FENCE.exec(first.replace(/\r$/, '')) ?? []
  if (whole === undefined || whole.startsWith(' ') || (run.startsWith('`') && info.includes('`'))) return null
  const closes = (line: string): boolean => {
    const [, marks = '', rest = ''] = FENCE.exec(line.replace(/\r$/, '')) ?? []
    return marks[0] === run[0] && marks.length >= run.length && rest.trim() === ''
  }
  if (lines.some(closes)) return null
  return { language: info.trim().split(/\s/)[0] ?? '', text: lines.join('\n').replace(/\n$/, '') }
}

/** Remembers the last cut, for one growing text. */
export function createCutter(): (text: string) => readonly string[] {
  let last: Blocks | null = null
  return (text) => {
    last = splitBlocks(text, last)
    return last.blocks
  }
}
