/** [K20] Copying from an answer: words stay words, several blocks become the Markdown that they were. */

import { createEvent, fireEvent } from '@testing-library/react'
import { expect, it } from 'vitest'
import { Markdown } from '../../ui/parts/Markdown.tsx'
import { mount } from './mount.tsx'

const TEXT = [
  'First *words* here.',
  '- one\n- two `code`',
  '```ts\nconst a = 1\n```',
  '| a | b |\n|---|---|\n| 1 | 2 |',
  'So $x^2$ it **is**.',
].join('\n\n')

/** Copies from the words `from` to the end of the words `to`; null when the browser was left alone. */
function copy(from: string, to: string, text = TEXT): { plain: string; html: string } | null {
  const { container } = mount(<Markdown text={text} />)
  const find = (words: string): Text => {
    const walker = document.createTreeWalker(container, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode())
      if (node.nodeValue?.includes(words) === true) return node as Text
    throw new Error(`no ${words}`)
  }
  const [start, end] = [find(from), find(to)]
  const range = document.createRange()
  range.setStart(start, start.data.indexOf(from))
  range.setEnd(end, end.data.indexOf(to) + to.length)
  const selection = document.getSelection()
  selection?.removeAllRanges()
  selection?.addRange(range)
  const taken: Record<string, string> = {}
  const event = createEvent.copy(start.parentElement ?? container, {
    clipboardData: { setData: (type: string, data: string) => void (taken[type] = data) },
  })
  fireEvent(start.parentElement ?? container, event)
  expect(event.defaultPrevented).toBe(Object.keys(taken).length > 0)
  return event.defaultPrevented ? { plain: taken['text/plain'] ?? '', html: taken['text/html'] ?? '' } : null
}

it('leaves the words of one block to the browser', () => {
  expect(copy('words', 'words')).toBeNull()
  expect(copy('First', 'here.')).toBeNull()
  expect(copy('one', 'two ')).toBeNull()
  expect(copy('const', '1')).toBeNull()
})

it('takes whole blocks as their Markdown', () => {
  expect(copy('First', '.', TEXT.replace('First *words* here.', 'First *words* here'))?.plain).toBe(
    TEXT.replace('First *words* here.', 'First *words* here'),
  )
})

it('takes a block that is selected in part as its words', () => {
  expect(copy('here.', 'two ')?.plain).toBe('here.\n\none\ntwo')
  expect(copy('words', '2')?.plain).toBe(`words here.\n\n${TEXT.split('\n\n').slice(1, 4).join('\n\n')}`)
})

it('takes all of code that is folded', () => {
  const code = Array.from({ length: 40 }, (_, i) => `line ${i}`).join('\n')
  const text = `Before.\n\n\`\`\`\n${code}\n\`\`\`\n\nAfter.`
  expect(copy('Before.', 'After.', text)?.plain).toBe(text)
})

it('gives other programs the same as markup, without our buttons', () => {
  const { html = '' } = copy('words', '2') ?? {}
  expect(html).toContain('<li>one</li>')
  expect(html).not.toContain('<button')
  expect(html).not.toContain('data-bar')
})
