/** A streaming answer parses its last block again, never the finished ones before it. */

import { expect, it, vi } from 'vitest'
import { Markdown } from '../../ui/parts/Markdown.tsx'
import { mount, Surface } from './mount.tsx'

const parsed = vi.hoisted(() => [] as string[])

vi.mock('react-markdown', () => ({
  default: ({ children }: { readonly children: string }) => {
    parsed.push(children)
    return <p>{children}</p>
  },
}))

it('parses every finished block exactly once, however long the answer grows', () => {
  const paragraphs = Array.from({ length: 200 }, (_, i) => `Paragraph ${i}.`)
  let text = ''
  const { rerender } = mount(<Markdown text={text} />)
  for (const paragraph of paragraphs) {
    for (const word of paragraph.split(/(?<= )/)) {
      text += word
      rerender(
        <Surface>
          <Markdown text={text} />
        </Surface>,
      )
    }
    text += '\n\n'
  }
  // Two words a paragraph, and once more when the blank line before the next one joined it.
  expect(parsed.length).toBeLessThanOrEqual(paragraphs.length * 3)
  for (const paragraph of paragraphs.slice(0, -1))
    expect(parsed.filter((block) => block === `${paragraph}\n\n`)).toHaveLength(1)
})
