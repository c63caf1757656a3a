/** Which of a text's link targets a block refers to. Pure. */

import type { TargetsFor } from '../parts/markdown-nodes.ts'

export const targetsFor: TargetsFor = (block, definitions) => {
  if (definitions.length === 0 || !block.includes('[')) return ''
  const words = fold(block)
  return definitions.filter((line) => words.includes(fold(line.slice(0, line.indexOf(']:') + 1).trim()))).join('\n')
}

function fold(text: string): string {
  return text.toLowerCase().replaceAll(/\s+/g, ' ')
}
