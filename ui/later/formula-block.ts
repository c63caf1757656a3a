/** Tells a block that is one displayed formula. Pure. */

import type { FormulaOf } from '../parts/markdown-nodes.ts'

const FORMULA_MOST = 4_000

/** The source of a block that is one displayed formula, marks alone on their lines. */
export const formulaOf: FormulaOf = (block) => {
  const words = block.trim()
  const dollars = words.startsWith('$$\n') && words.endsWith('\n$$')
  const brackets = words.startsWith('\\[\n') && words.endsWith('\n\\]')
  if (!(dollars || brackets) || block.startsWith(' ') || words.length > FORMULA_MOST) return null
  const source = words.slice(3, -3)
  return /^[ \t]*(?:\$\$|\\\]|$)/m.test(source) ? null : source
}
