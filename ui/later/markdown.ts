/** Reads Markdown. Loaded on first use; without React, so that it shares nothing with the rest but its types. */

import { fromMarkdown } from 'mdast-util-from-markdown'
import type { Extension } from 'micromark-util-types'
import type { ParseMarkdown } from '../parts/markdown-nodes.ts'
import { formulaNodes, formulaSyntax } from './formula-syntax.ts'
import { bareLinks, nodes, syntax } from './gfm.ts'
import { isDense, isDeep } from './dense.ts'

/** Everything inside a paragraph whose reading grows with the square of its length. */
const plainWords: Extension = {
  disable: {
    null: [
      ...['attention', 'autolink', 'codeText', 'htmlText', 'labelEnd', 'labelStartImage', 'labelStartLink'],
      ...['strikethrough', 'formula', 'emailAutolink', 'protocolAutolink', 'wwwAutolink'],
    ],
  },
}

export const parse: ParseMarkdown = (text, definitions) => {
  if (isDeep(text)) throw new RangeError('nested too deeply')
  const dense = isDense(text)
  return fromMarkdown(definitions === '' ? text : `${definitions}\n\n${text}`, {
    extensions: [...syntax, formulaSyntax, ...(dense ? [plainWords] : [])],
    mdastExtensions: [...nodes, formulaNodes, ...(dense ? [] : [bareLinks])],
  })
}
