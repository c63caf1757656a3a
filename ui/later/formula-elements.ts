/** Draws the tree of a formula. Owns which elements, attributes and values of MathML exist: nothing that links, loads,
 *  styles or runs is among them (I11). */

import { createElement } from 'react'
import type { ReactNode } from 'react'

/** An element of MathML as plain data. Nothing of it is trusted. */
export interface MathNode {
  readonly tag: string
  readonly attributes: Readonly<Record<string, string>>
  readonly children: readonly (MathNode | string)[]
}

const ELEMENTS = new Set([
  ...['math', 'mrow', 'mi', 'mo', 'mn', 'ms', 'mtext', 'mspace', 'msup', 'msub', 'msubsup', 'munder', 'mover'],
  ...[
    'munderover',
    'mmultiscripts',
    'mprescripts',
    'none',
    'mfrac',
    'msqrt',
    'mroot',
    'mtable',
    'mtr',
    'mtd',
    'mstyle',
  ],
  ...['mpadded', 'mphantom', 'menclose'],
])

const WORDS = new Set([
  ...['display', 'displaystyle', 'mathvariant', 'stretchy', 'fence', 'separator', 'movablelimits', 'accent', 'form'],
  ...['accentunder', 'symmetric', 'largeop', 'scriptlevel', 'columnalign', 'rowalign', 'columnlines', 'rowlines'],
  ...['notation', 'columnspan', 'rowspan', 'frame'],
])
const LENGTHS = new Set([
  ...['lspace', 'rspace', 'minsize', 'maxsize', 'width', 'height', 'depth', 'voffset', 'linethickness'],
  ...['columnspacing', 'rowspacing'],
])

const WORD = /^[a-z0-9 +-]{1,64}$/i
const LENGTH = /^-?\d*\.?\d+(?:em|ex|px|pt|mu|%)?$/
/** In any unit but pixels, points and parts of a hundred: about a line's width. Backwards only as far as TeX's own spaces go. */
const FARTHEST = 30
const BACK = -2

/** Elements of one formula; one with more is no formula but an attack. */
const MOST = 3_000
const DEEPEST = 60

/** Null for what is no formula after all. */
export function drawMath(tree: MathNode): ReactNode {
  const count = { left: MOST }
  try {
    return tree.tag === 'math' ? draw(tree, 0, 0, count) : null
  } catch {
    return null
  }
}

function draw(node: MathNode | string, key: number, depth: number, count: { left: number }): ReactNode {
  if (typeof node === 'string') return node
  count.left -= 1
  if (count.left < 0 || depth > DEEPEST) throw new RangeError('too much of a formula')
  const children = node.children.map((child, index) => draw(child, index, depth + 1, count))
  // An unknown element is what it holds: a formula loses its frame rather than its meaning.
  if (!ELEMENTS.has(node.tag)) return createElement('mrow', { key }, ...children)
  return createElement(node.tag, { key, ...allowed(node.attributes) }, ...children)
}

function allowed(attributes: MathNode['attributes']): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).filter(
      ([name, value]) => (WORDS.has(name) && WORD.test(value)) || (LENGTHS.has(name) && fits(value)),
    ),
  )
}

function fits(value: string): boolean {
  if (!LENGTH.test(value)) return false
  const size = Number.parseFloat(value)
  const most = /(?:px|pt|mu|%)$/.test(value) ? FARTHEST * 10 : FARTHEST
  return size >= BACK && size <= most
}
