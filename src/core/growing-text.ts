/** A text that grows at its end. Owns that adding to it, and reading what was added, costs what is added and never what is
 *  there already. Pure to whoever uses it: a text never changes, what is added makes another one. */

/** Characters after which the end is laid down as a piece that is never touched again. */
const PIECE = 4_096

/** What the versions of one text share; only the newest of them adds to it. */
interface Trunk {
  readonly pieces: string[]
  /** Where each piece ends in the text. */
  readonly ends: number[]
  /** Length of the newest version. */
  length: number
}

export interface GrowingText {
  /** All of it. Engines join it when its characters are read: do that rarely. */
  readonly text: string
  readonly length: number
  readonly trunk: Trunk
  /** How many of the trunk's pieces belong to this version. */
  readonly count: number
  /** The pieces joined, and what stands behind them. */
  readonly laid: string
  readonly tail: string
}

export function growingText(text: string): GrowingText {
  const trunk: Trunk = { pieces: [], ends: [], length: text.length }
  return laidDown({ text, length: text.length, trunk, count: 0, laid: '', tail: text })
}

export function grown(before: GrowingText, more: string): GrowingText {
  if (more === '') return before
  const { count, laid } = before
  const own = before.length === before.trunk.length
  // Two continuations of one text: the second gets a trunk of its own.
  const trunk = own
    ? before.trunk
    : { pieces: before.trunk.pieces.slice(0, count), ends: before.trunk.ends.slice(0, count), length: 0 }
  const tail = before.tail + more
  const length = before.length + more.length
  trunk.length = length
  return laidDown({ text: laid + tail, length, trunk, count, laid, tail })
}

function laidDown(text: GrowingText): GrowingText {
  if (text.tail.length < PIECE) return text
  text.trunk.pieces.push(text.tail)
  text.trunk.ends.push(text.length)
  return { ...text, count: text.count + 1, laid: text.text, tail: '' }
}

/** Whether `after` is `before` with something added, or the same. */
export function isGrownFrom(after: GrowingText, before: GrowingText): boolean {
  return after.trunk === before.trunk && after.length >= before.length
}

/** As `String.slice` for what lies inside the text; reading near the end is as cheap in a long text as in a short one. */
export function sliceOf(text: GrowingText, from: number, to: number = text.length): string {
  const { pieces, ends } = text.trunk
  const startOf = (at: number): number => (at === 0 ? 0 : (ends[at - 1] ?? 0))
  let at = pieceAt(text, from)
  let found = ''
  for (; at < text.count && startOf(at) < to; at += 1)
    found += (pieces[at] ?? '').slice(Math.max(0, from - startOf(at)), to - startOf(at))
  const laid = text.laid.length
  return to > laid ? found + text.tail.slice(Math.max(0, from - laid), to - laid) : found
}

/** Where the next line begins at or behind `from`, behind its line end; -1 when no line ends there. */
export function nextLine(text: GrowingText, from: number): number {
  const { pieces, ends } = text.trunk
  for (let at = pieceAt(text, from); at <= text.count; at += 1) {
    const start = at === 0 ? 0 : (ends[at - 1] ?? 0)
    const found = (at < text.count ? (pieces[at] ?? '') : text.tail).indexOf('\n', Math.max(0, from - start))
    if (found !== -1) return start + found + 1
  }
  return -1
}

/** The piece that holds the character `from`; the number of pieces when that is the tail. */
function pieceAt({ trunk, count }: GrowingText, from: number): number {
  let low = 0
  let high = count
  while (low < high) {
    const middle = (low + high) >> 1
    if ((trunk.ends[middle] ?? 0) > from) high = middle
    else low = middle + 1
  }
  return low
}
