/** What a growing answer costs, counted in readings of its blocks and never in time. */

import { act, cleanup } from '@testing-library/react'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import * as markdown from '../../ui/later/markdown.tsx'
import { grown, growingText } from '../../src/wire/growing.ts'
import { supplyLater } from '../../ui/parts/later.ts'
import { Markdown } from '../../ui/parts/Markdown.tsx'
import { mount, Surface } from './mount.tsx'

let read: string[]
beforeEach(() => {
  read = []
  const draw: typeof markdown.draw = (text, definitions, parts) => {
    read.push(text)
    return markdown.draw(text, definitions, parts)
  }
  supplyLater('markdown', {
    draw,
    targetsFor: markdown.targetsFor,
    formulaOf: markdown.formulaOf,
    copySelection: markdown.copySelection,
  })
})
afterEach(() => {
  cleanup()
  supplyLater('markdown', markdown)
  vi.useRealTimers()
})

/** Lets a text grow by its parts, one rendering each, as a stream does. */
function grow(parts: readonly string[]): HTMLElement {
  let text = growingText('')
  const { rerender, container } = mount(<Markdown text={text} growing />)
  const show = (growing: boolean): void =>
    rerender(
      <Surface>
        <Markdown text={text} growing={growing} />
      </Surface>,
    )
  for (const part of parts) {
    text = grown(text, part)
    show(true)
  }
  show(false)
  return container
}

describe('a growing answer', () => {
  it('reads every finished block exactly once', () => {
    const paragraphs = Array.from({ length: 200 }, (_, i) => `Paragraph ${i}.`)
    grow(paragraphs.flatMap((paragraph) => [...paragraph.split(/(?<= )/), '\n\n']))
    // Two words a paragraph, and once more when the blank line before the next one joined it.
    expect(read.length).toBeLessThanOrEqual(paragraphs.length * 3)
    for (const paragraph of paragraphs.slice(0, -1))
      expect(read.filter((block) => block === `${paragraph}\n\n`)).toHaveLength(1)
  })

  it('never reads code, however long it grows', () => {
    const lines = Array.from({ length: 800 }, (_, i) => `line ${i}\n`)
    const container = grow(['Some code:\n', '```text\n', ...lines, '```\n'])
    expect(read.filter((block) => block.includes('line '))).toEqual([])
    expect(container.querySelector('pre')?.textContent).toContain('line 0\nline 1\n')
  })

  it('reads one long paragraph a few dozen times and not once a word', () => {
    vi.useFakeTimers()
    const words = Array.from({ length: 700 }, (_, i) => `word ${i} and so on, forty characters long `)
    const container = grow(words)
    // Each change up to 4,000 characters, then each 32nd part: 32 readings for every growth by e.
    expect(read.filter((block) => block.length > 4_000).length).toBeLessThan(32 * Math.log(10) + 10)
    expect(container.querySelector('p')?.textContent).toBe(words.join('').trim())
  }, 30_000)

  it('shows the rest of a long paragraph when nothing comes for a moment', async () => {
    vi.useFakeTimers()
    const long = 'words '.repeat(1_000)
    const { rerender, container } = mount(<Markdown text={long} growing />)
    rerender(
      <Surface>
        <Markdown text={`${long}end`} growing />
      </Surface>,
    )
    expect(container.textContent).not.toContain('end')
    await act(async () => void (await vi.advanceTimersByTimeAsync(200)))
    expect(container.textContent).toContain('end')
  })

  it('reads a block again for a definition only when it refers to it', () => {
    const container = grow([
      ...Array.from({ length: 40 }, (_, i) => `Nothing [${i}] here.\n\n`),
      'See [docs].\n\n',
      '[docs]: https://docs.test/\n',
      '[other]: https://other.test/\n',
    ])
    expect(read.filter((block) => block.startsWith('Nothing [7]'))).toHaveLength(1)
    expect(read.filter((block) => block.startsWith('See [docs].')).length).toBeLessThanOrEqual(3)
    expect(container.querySelector('a')?.getAttribute('href')).toBe('https://docs.test/')
  })
})

describe('what was made to be expensive', () => {
  const ROW = `| ${'*a '.repeat(4)}`
  it.each<[name: string, text: string]>([
    ['stars', '*a '.repeat(6_000)],
    ['underscores', '_a '.repeat(6_000)],
    ['tildes', '~a '.repeat(6_000)],
    ['brackets', '['.repeat(18_000)],
    ['images', '!['.repeat(9_000)],
    ['half links', '[a]('.repeat(4_500)],
    ['tags', '<a '.repeat(6_000)],
    [
      'backticks',
      Array.from({ length: 180 }, (_, i) => '`'.repeat(i + 1))
        .join(' ')
        .repeat(2),
    ],
    ['dollars', '$a '.repeat(6_000)],
    ['formulas', '\\('.repeat(9_000)],
    ['addresses', 'a@a.'.repeat(4_500)],
  ])('is words: %s', (_, text) => {
    const { container } = mount(<Markdown text={text} />)
    expect(container.querySelectorAll('.markdown *').length).toBeLessThan(12)
    expect(container.textContent.length).toBeGreaterThan(text.length * 0.4)
  })

  it.each<[name: string, text: string]>([
    ['quotes in quotes', '>'.repeat(5_000)],
    ['lists in lists', '1. '.repeat(5_000)],
    ['headings under headings', 'a\n=\n'.repeat(5_000)],
  ])('is not read at all: %s', (_, text) => {
    const { container } = mount(<Markdown text={text} />)
    expect(container.querySelector('pre')?.textContent).toBeTruthy()
    expect(container.querySelectorAll('blockquote, li, h1').length).toBe(0)
  })

  it('keeps a table whose rows are full of marks, and the marks of a long but ordinary text', () => {
    const { container } = mount(
      <Markdown text={`${ROW}|\n|---|\n${`${ROW}|\n`.repeat(200)}\n\n${'A **word** and `code`. '.repeat(60)}`} />,
    )
    expect(container.querySelectorAll('tr')).toHaveLength(201)
    expect(container.querySelectorAll('strong')).toHaveLength(60)
  })
})
