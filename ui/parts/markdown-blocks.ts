/** Cuts Markdown into top-level blocks that can be rendered on their own, so that a streaming answer re-renders only
 *  its last one. Pure. Joined, the blocks are the text; a fence at the margin is a block of its own. */

export interface Blocks {
  readonly text: string
  readonly blocks: readonly string[]
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
/** A line that may belong to the list, quote or table before the blank line: indented, or a further item. */
const CONTINUES = /^(?:[ \t]|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/
const LIST = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/
/** What may stand between a fence and the margin without the fence being part of it. */
const HTML = /^ {0,3}</

/** The blocks of `text`; those of `previous` are reused when `text` only grew at its end. */
export function splitBlocks(text: string, previous: Blocks | null = null): Blocks {
  if (previous?.text === text) return previous
  // The last two are cut again: half a line ("2" of "2. two") may have looked like the beginning of a new block.
  const kept = previous !== null && text.startsWith(previous.text) ? previous.blocks.slice(0, -2) : []
  let start = kept.reduce((sum, block) => sum + block.length, 0)
  const blocks = [...kept]
  /** The marks of the open fence that is part of a list or a quote. */
  let fence = ''
  let blank = false
  let list = false
  let html = false
  let ended = false
  let at = start
  const cut = (end: number): void => {
    if (end > start) blocks.push(text.slice(start, end))
    start = end
    list = html = ended = false
  }
  while (at < text.length) {
    const newline = text.indexOf('\n', at)
    const end = newline === -1 ? text.length : newline + 1
    const line = text.slice(at, newline === -1 ? end : newline).replace(/\r$/, '')
    const isBlank = fence === '' && line.trim() === ''
    if (fence === '' && !isBlank) {
      const goes = blank && CONTINUES.test(line) && (list || /^[ \t]/.test(line))
      if (ended || (blank && !goes)) cut(at)
    }
    const formula = fence === '' && !list && !html ? formulaEnd(text, at, line) : 0
    if (formula > 0) {
      cut(at)
      at = formula
      blank = false
      ended = true
      continue
    }
    if (fence === '' && at === start) {
      list = LIST.test(line)
      html = HTML.test(line)
    }
    const marks = FENCE.exec(line)
    if (marks !== null) {
      const [whole, run = '', info = ''] = marks
      if (fence === '') {
        fence = run.startsWith('`') && info.includes('`') ? '' : run
        const own = fence !== '' && !whole.startsWith(' ') && !html
        if (own) {
          cut(at)
          // Whatever the code holds, only its end counts.
          at = fenceEnd(text, end, fence)?.end ?? text.length
          fence = ''
          ended = true
          blank = false
          continue
        }
      } else if (run[0] === fence[0] && run.length >= fence.length && info.trim() === '') {
        fence = ''
      }
    }
    blank = isBlank
    at = end
  }
  cut(text.length)
  return { text, blocks }
}

/** Where the displayed formula ends that begins at `at` with a mark alone on its line; 0 where none does. A formula has no
 *  blank line. */
function formulaEnd(text: string, at: number, line: string): number {
  const mark = line.trimEnd()
  if (mark !== '$$' && mark !== '\\[') return 0
  const closer = mark === '$$' ? '$$' : '\\]'
  let from = text.indexOf('\n', at) + 1
  while (from > 0 && from < text.length) {
    const newline = text.indexOf('\n', from)
    const end = newline === -1 ? text.length : newline + 1
    const words = text.slice(from, end).trim()
    if (words === '') return 0
    if (words === closer) return end
    from = end
  }
  return 0
}

/** The source of a block that is one displayed formula, marks alone on their lines. */
export function formulaOf(block: string): string | null {
  const words = block.trim()
  const dollars = words.startsWith('$$\n') && words.endsWith('\n$$')
  const brackets = words.startsWith('\\[\n') && words.endsWith('\n\\]')
  if (!(dollars || brackets) || block.startsWith(' ') || words.length > FORMULA_MOST) return null
  const source = words.slice(3, -3)
  return /^[ \t]*(?:\$\$|\\\]|$)/m.test(source) ? null : source
}

const FORMULA_MOST = 4_000

export interface Fence {
  readonly language: string
  readonly text: string
  readonly closed: boolean
}

/** The line that closes the fence `run`, at or behind `from`. */
function fenceEnd(text: string, from: number, run: string): { readonly start: number; readonly end: number } | null {
  const closer = new RegExp(`^ {0,3}${run[0] ?? ''}{${run.length},}[ \\t]*\\r?$`, 'gm')
  closer.lastIndex = from
  const found = closer.exec(text)
  if (found === null) return null
  const end = found.index + found[0].length
  return { start: found.index, end: text[end] === '\n' ? end + 1 : end }
}

/** The code of a block that is one fence, finished or still coming: it needs no reading, however long it grows. Null for
 *  anything else, an indented fence included. */
export function fenceOf(block: string): Fence | null {
  if (!block.startsWith('```') && !block.startsWith('~~~')) return null
  const newline = block.indexOf('\n')
  const from = newline === -1 ? block.length : newline + 1
  const [, run = '', info = ''] = FENCE.exec(block.slice(0, from).trimEnd()) ?? []
  if (run === '' || (run.startsWith('`') && info.includes('`'))) return null
  const language = decode(info.trim().split(/\s/)[0] ?? '')
  const closer = fenceEnd(block, from, run)
  if (closer === null) return { language, text: block.slice(from).replace(/\r?\n$/, ''), closed: false }
  if (block.slice(closer.end).trim() !== '') return null
  return { language, text: block.slice(from, closer.start).replace(/\r?\n$/, ''), closed: true }
}

/** Escapes count in the words behind a fence. */
function decode(info: string): string {
  return info.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
}

/** A block of nothing but link targets, one a line. */
const DEFINITION = /^ {0,3}\[(?!\s*\])(?:[^\]\\\n]|\\.){1,200}\]:[ \t]*\S[^\n]*$/

/** The link targets that `blocks` give to each other, one a line; of a line that is still coming nothing. */
export function definitionsIn(blocks: readonly string[]): readonly string[] {
  const found: string[] = []
  for (const block of blocks) {
    if (!/^ {0,3}\[/.test(block)) continue
    const lines = block.split('\n')
    // What stands behind the last line's end is not all of it.
    for (const line of lines.slice(0, -1)) {
      if (!DEFINITION.test(line.replace(/\r$/, ''))) break
      found.push(line)
    }
  }
  return found
}

/** Those of `definitions` that `block` may refer to. */
export function definitionsFor(block: string, definitions: readonly string[]): string {
  if (definitions.length === 0 || !block.includes('[')) return ''
  const words = fold(block)
  return definitions.filter((line) => words.includes(fold(line.slice(0, line.indexOf(']:') + 1).trim()))).join('\n')
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ')
}

/** Remembers the last cut, for one growing text. */
export function createCutter(): (text: string) => readonly string[] {
  let last: Blocks | null = null
  return (text) => {
    last = splitBlocks(text, last)
    return last.blocks
  }
}
