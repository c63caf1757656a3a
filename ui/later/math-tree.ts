/** Reads formulas: gives a tree of plain data and never markup. TeX is a language with
 *  macros: what one formula may expand to is bounded, and commands that link, load or style are off. */

import temml from 'temml'
import type { MathNode } from './formula-elements.ts'

/** Characters of one formula. */
const MOST = 4_000

/** Null for what is no formula. */
export function treeOf(tex: string, display: boolean): MathNode | null {
  if (tex.length > MOST) return null
  try {
    return plain(
      temml.__renderToMathMLTree(tex, {
        displayMode: display,
        throwOnError: true,
        trust: false,
        strict: false,
        annotate: false,
        // Widths in em, and how often macros may be replaced.
        maxSize: [20, 20],
        maxExpand: 200,
        // A macro lives in its formula.
        macros: {},
      }),
      0,
    )
  } catch {
    return null
  }
}

/** A node of the renderer's own tree, as far as it is known. */
interface TreeNode {
  readonly type?: unknown
  readonly text?: unknown
  readonly attributes?: Readonly<Record<string, unknown>>
  readonly children?: readonly TreeNode[]
}

const DEEPEST = 200

function plain(node: TreeNode, depth: number): MathNode {
  if (depth > DEEPEST) throw new RangeError('nested too deeply')
  const attributes = Object.entries(node.attributes ?? {}).map(([name, value]) => [name, String(value)])
  return {
    tag: typeof node.type === 'string' ? node.type : 'mrow',
    attributes: Object.fromEntries(attributes) as Record<string, string>,
    children: (node.children ?? []).map((child) =>
      typeof child.text === 'string' && child.children === undefined ? child.text : plain(child, depth + 1),
    ),
  }
}
