/** Cuts a growing Markdown text into top-level blocks that can be drawn on their own. Owns that each line is looked at once,
 *  however long the text grows behind it. Joined, the blocks are the text; a fence at the margin is a block of its own. */

import { isGrownFrom, nextLine, sliceOf } from '../../src/wire/growing.ts'
import type { GrowingText } from '../../src/wire/growing.ts'
import { closerOf, definitionsIn, FENCE, FORMULA_MOST, languageOf } from './markdown-blocks.ts'

/** One block. Its words are read only when they are drawn. */
export interface Block {
  readonly length: number
  /** Its first so many characters. */
  head(chars: number): string
  read(): string
  /** Of a fence at the margin: nothing of it has to be read to draw it, however long it grows. */
  readonly code: Code | null
}

export interface Code {
  readonly closed: boolean
  readonly language: string
  readonly length: number
  readonly lines: number
  /** So many of its first lines; it has more. */
  first(lines: number): string
  read(): string
}

export interface Blocks {
  /** Those that no word changes that is still to come. The list itself goes on growing: read no further than `count`. */
  readonly done: readonly Block[]
  readonly count: number
  readonly open: readonly Block[]
  /** Link targets that the blocks give to each other, one a line. The same list while they are the same. */
  readonly definitions: readonly string[]
}

/** A line that may belong to the list, quote or table before the blank line: indented, or a further item. */
const CONTINUES = /^(?:[ \t]|[-+*](?:[ \t]|$)|\d{1,9}[.)](?:[ \t]|$))/
const LIST = /^ {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|$)/
/** What may stand between a fence and the margin without the fence being part of it. */
const HTML = /^ {0,3}</
/** So much of a line says what it is. */
const LINE_MOST = 1_000
/** So much of an open block is looked through for link targets. */
const DEFINITIONS_MOST = 32_000

interface Fence {
  readonly language: string
  readonly closer: RegExp
  /** Where its code begins. */
  readonly from: number
}

interface Scan {
  /** Where the next line begins, and where the open block does. */
  at: number
  start: number
  /** The fence at the margin that the block is, how many of its lines were seen, and where they end; -1 while it is open. */
  own: Fence | null
  lines: number
  to: number
  /** The marks of an open fence that is part of a list or a quote. */
  fence: string
  blank: boolean
  list: boolean
  html: boolean
  ended: boolean
}

function begin(): Scan {
  return {
    at: 0,
    start: 0,
    own: null,
    lines: 0,
    to: -1,
    fence: '',
    blank: false,
    list: false,
    html: false,
    ended: false,
  }
}

/** Remembers the last cut, for one growing text. `growing`: more of it is coming. */
export function createCutter(): (text: GrowingText, growing: boolean) => Blocks {
  let last: GrowingText | null = null
  let more = true
  let scan = begin()
  /** No line ends between the scan's place and here. */
  let searched = 0
  let done: Block[] = []
  let found: readonly string[] = []
  let result: Blocks = { done, count: 0, open: [], definitions: found }

  return (text, growing) => {
    if (last === text && more === growing) return result
    if (last === null || !isGrownFrom(text, last)) {
      scan = begin()
      searched = 0
      done = []
      found = []
    }
    last = text
    more = growing
    const finish = (block: Block): void => {
      done.push(block)
      const targets = targetsOf(block, '')
      if (targets.length > 0) found = [...found, ...targets]
    }
    for (;;) {
      const end = nextLine(text, searched)
      if (end === -1) {
        searched = text.length
        break
      }
      const before = scan.at
      step(text, scan, end, false, finish)
      searched = scan.at
      // What this line is depends on lines that are still to come.
      if (scan.at === before) break
    }

    const open: Block[] = []
    const ahead = { ...scan }
    while (ahead.at < text.length) {
      const end = nextLine(text, Math.max(ahead.at, searched))
      step(text, ahead, end === -1 ? text.length : end, true, (block) => open.push(block))
    }
    if (ahead.start < text.length) open.push(blockOf(text, ahead, text.length))
    const targets = open.flatMap((block, at) => targetsOf(block, growing || at < open.length - 1 ? '' : '\n'))
    const definitions = targets.length === 0 ? found : [...found, ...targets]
    const kept = definitions.join('\n') === result.definitions.join('\n') ? result.definitions : definitions
    result = { done, count: done.length, open, definitions: kept }
    return result
  }
}

/** Takes in the line that ends at `end`. Stays where it is when only later lines tell what this one is, unless they are
 *  not to be waited for. `cut` is told of each block that is over. */
function step(text: GrowingText, scan: Scan, end: number, atOnce: boolean, cut: (block: Block) => void): void {
  const { at, own } = scan
  const line = sliceOf(text, at, Math.min(end, at + LINE_MOST)).replace(/\r?\n?$/, '')
  if (own !== null && scan.to < 0) {
    scan.at = end
    scan.ended = own.closer.test(line)
    if (scan.ended) scan.to = at
    else scan.lines += 1
    return
  }
  const finish = (): void => {
    if (at > scan.start) cut(blockOf(text, scan, at))
    scan.start = at
    scan.own = null
    scan.list = scan.html = scan.ended = false
  }
  const inside = scan.fence !== ''
  const isBlank = !inside && line.trim() === ''
  if (!inside && !isBlank) {
    const goes = scan.blank && CONTINUES.test(line) && (scan.list || /^[ \t]/.test(line))
    if (scan.ended || (scan.blank && !goes)) finish()
  }
  if (!inside && !scan.list && !scan.html) {
    const formula = formulaEnd(text, end, line, atOnce)
    if (formula < 0) return
    if (formula > 0) {
      finish()
      scan.at = formula
      scan.ended = true
      scan.blank = false
      return
    }
  }
  if (!inside && at === scan.start) {
    scan.list = LIST.test(line)
    scan.html = HTML.test(line)
  }
  scan.at = end
  scan.blank = isBlank
  const [whole, run = '', info = ''] = FENCE.exec(line) ?? []
  if (whole === undefined) return
  if (inside) {
    if (run[0] === scan.fence[0] && run.length >= scan.fence.length && info.trim() === '') scan.fence = ''
  } else if (!(run.startsWith('`') && info.includes('`'))) {
    if (whole.startsWith(' ') || scan.html) scan.fence = run
    else {
      finish()
      scan.own = { language: languageOf(info), closer: closerOf(run), from: end }
      scan.lines = 0
      scan.to = -1
    }
  }
}

/** Where the displayed formula ends whose first line, a mark alone, ends at `from`; 0 where none does, -1 where that is not
 *  known yet. A formula has no blank line. */
function formulaEnd(text: GrowingText, from: number, line: string, atOnce: boolean): number {
  const mark = line.trimEnd()
  if (mark !== '$$' && mark !== '\\[') return 0
  const closer = mark === '$$' ? '$$' : '\\]'
  for (let at = from; at - from <= FORMULA_MOST;) {
    const next = nextLine(text, at)
    if (next === -1 && !atOnce) return -1
    const end = next === -1 ? text.length : next
    if (end === at) return 0
    const words = sliceOf(text, at, Math.min(end, at + LINE_MOST)).trim()
    if (words === '') return 0
    if (words === closer) return end
    at = end
  }
  return 0
}

/** The block that `scan` is in, as far as `end`. */
function blockOf(text: GrowingText, { start, own, lines, to }: Scan, end: number): Block {
  return {
    length: end - start,
    head: (chars) => sliceOf(text, start, Math.min(end, start + chars)),
    read: () => sliceOf(text, start, end),
    code: own === null ? null : codeOf(text, own, lines, to < 0 ? end : to, to >= 0),
  }
}

function codeOf(text: GrowingText, { language, from }: Fence, lines: number, to: number, closed: boolean): Code {
  const read = (): string => sliceOf(text, from, to).replace(/\r?\n$/, '')
  return {
    language,
    closed,
    length: to - from,
    lines,
    first(most) {
      let end = from
      for (let line = 0; line < most; line += 1) end = nextLine(text, end)
      return sliceOf(text, from, end - 1)
    },
    read,
  }
}

function targetsOf(block: Block, more: string): readonly string[] {
  return block.head(4).trimStart().startsWith('[') ? definitionsIn(`${block.head(DEFINITIONS_MOST)}${more}`) : []
}
