/** What of a model's Markdown may become elements, and where it may lead (I11). Model text is untrusted: no HTML runs,
 *  links go to the web or to a mail program only, and nothing is fetched by being shown. */

import { defaultSchema } from 'rehype-sanitize'
import type { Options } from 'rehype-sanitize'

/** Links that may be followed. Anything else (relative paths too: they would lead into the host) is plain text. */
const LINK = /^(?:https?:\/\/|mailto:)/i
const IMAGE = /^https?:\/\//i

export function safeLink(url: string | undefined): string | null {
  return url !== undefined && LINK.test(url) && leadsSomewhere(url) ? url : null
}

export function safeImage(url: string | undefined): string | null {
  return url !== undefined && IMAGE.test(url) && leadsSomewhere(url) ? url : null
}

/** Whether a browser could follow this address. */
function leadsSomewhere(url: string): boolean {
  try {
    return new URL(url).href !== ''
  } catch {
    return false
  }
}

/** What Markdown with GFM and formulas itself can make, and nothing that only HTML could. */
export const schema: Options = {
  ...defaultSchema,
  tagNames: [
    ...['a', 'blockquote', 'br', 'code', 'del', 'em', 'formula', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'hr', 'img'],
    ...['input', 'li', 'ol', 'p', 'pre', 'strong', 'table', 'tbody', 'td', 'th', 'thead', 'tr', 'ul'],
  ],
  attributes: { ...defaultSchema.attributes, formula: ['tex', 'block'] },
  protocols: { href: ['http', 'https', 'mailto'], src: ['http', 'https'] },
}

interface Node {
  readonly type: string
  readonly tagName?: string
  readonly properties?: object
  readonly value?: string
  children?: Node[] | undefined
}

/** Deeper than this nobody reads, and a browser's stack ends somewhere. */
const DEEPEST = 100

/** Throws RangeError for what is nested too deeply. */
export function notTooDeep(): (tree: Node) => void {
  const look = (node: Node, depth: number): void => {
    if (depth > DEEPEST) throw new RangeError('nested too deeply')
    for (const child of node.children ?? []) look(child, depth + 1)
  }
  return (tree) => look(tree, 0)
}

/** Where HTML stands by itself it becomes a paragraph, inside one it is words. */
const HOLDS_BLOCKS = new Set(['blockquote', 'li'])

/** Turns raw HTML into the text that it is, before sanitizing would drop it: a person reads what the model wrote. */
export function rawAsText(): (tree: Node) => void {
  return visit
}

function visit(parent: Node): void {
  const block = parent.type === 'root' || HOLDS_BLOCKS.has(parent.tagName ?? '')
  parent.children = parent.children?.map((child) => {
    if (child.type !== 'raw') {
      if (child.children !== undefined) visit(child)
      return child
    }
    const text = { type: 'text', value: child.value ?? '' }
    return block ? { type: 'element', tagName: 'p', properties: {}, children: [text] } : text
  })
}
