/** What Ctrl/Cmd+C takes along from an answer. Words of one block are the browser's affair; over several blocks the
 *  plain text is Markdown: a block that is selected whole is its source, one in part is its selected words. */

import type { CopySelection } from '../parts/markdown-nodes.ts'

export const copySelection: CopySelection = (root, block, data) => {
  const selection = root.ownerDocument.getSelection()
  if (selection === null || selection.isCollapsed || selection.rangeCount !== 1) return false
  const range = selection.getRangeAt(0)
  if (!root.contains(range.startContainer) || !root.contains(range.endContainer)) return false
  const pieces: string[] = []
  for (const element of root.querySelectorAll<HTMLElement>('[data-block]')) {
    if (!range.intersectsNode(element)) continue
    const words = selected(element, range)
    if (words.trim() === '') continue
    const source = block(Number(element.dataset['block']))
    pieces.push(bare(words) === bare(selected(element, null)) ? source.trim() : words.trim())
  }
  if (pieces.length < 2) return false
  const copy = root.ownerDocument.createElement('div')
  copy.append(range.cloneContents())
  for (const control of copy.querySelectorAll('[data-bar], button')) control.remove()
  data.setData('text/plain', pieces.join('\n\n'))
  data.setData('text/html', copy.innerHTML)
  return true
}

/** The words of `element` inside `range`, or all of them; labels and buttons of ours are no words. */
function selected(element: HTMLElement, range: Range | null): string {
  const walker = element.ownerDocument.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  let words = ''
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node.nodeValue ?? ''
    if (node.parentElement?.closest('[data-bar], button') != null) continue
    if (range === null) words += text
    else if (range.intersectsNode(node)) {
      const from = node === range.startContainer ? range.startOffset : 0
      words += text.slice(from, node === range.endContainer ? range.endOffset : text.length)
    }
  }
  return words
}

function bare(text: string): string {
  return text.replaceAll(/\s+/g, '')
}
