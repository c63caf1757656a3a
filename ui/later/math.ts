/** Sets formulas as MathML. Loaded on first use. */

import type { DrawFormula } from '../parts/markdown-nodes.ts'
import { drawMath } from './formula-elements.ts'
import { treeOf } from './math-tree.ts'

export const draw: DrawFormula = (tex, display) => {
  const tree = treeOf(tex, display)
  return tree === null ? null : drawMath(tree)
}
