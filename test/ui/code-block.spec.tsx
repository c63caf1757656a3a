/** Code in an answer: colours, folding, copying, and none of it from markup. */

import { act, fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it } from 'vitest'
import * as code from '../../ui/later/code.ts'
import { CodeBlock } from '../../ui/parts/CodeBlock.tsx'
import { supplyLater } from '../../ui/parts/later.ts'
import { Markdown } from '../../ui/parts/Markdown.tsx'
import { mount, Surface } from './mount.tsx'

const numbered = (lines: number): string => Array.from({ length: lines }, (_, i) => `line ${i + 1}`).join('\n')

describe('colours', () => {
  it.each([
    ['ts', 'const a: string = "b" // c', ['keyword', 'string', 'comment']],
    ['python', 'def f(x):\n    return 1', ['keyword', 'name', 'number']],
    ['bash', 'if true; then echo "x"; fi', ['keyword', 'string']],
    ['json', '{"a": 1}', ['attribute', 'number']],
    ['diff', '+ new\n- old', ['added', 'removed']],
  ])('tell apart the words of %s', (language, text, kinds) => {
    const { container } = mount(<CodeBlock language={language} text={text} />)
    for (const kind of kinds) expect(container.querySelector(`pre .${kind}`), kind).toBeTruthy()
    expect(container.querySelector('pre')?.textContent).toBe(text)
  })

  it.each(['', 'no-such-language', 'constructor', '__proto__', 'hasOwnProperty', '<script>'])(
    'are absent for a language that nobody knows: %j',
    (language) => {
      const { container } = mount(<CodeBlock language={language} text="const a = 1" />)
      expect(container.querySelector('pre span')).toBeNull()
    },
  )

  it('wait until the code is complete, and go without the part that knows them', () => {
    const { container, rerender } = mount(<Markdown text={'```ts\nconst a = 1\n'} growing />)
    expect(container.querySelector('pre span')).toBeNull()
    const complete = (
      <Surface>
        <Markdown text={'```ts\nconst a = 1\n```\n'} growing />
      </Surface>
    )
    rerender(complete)
    expect(container.querySelector('pre .keyword')?.textContent).toBe('const')
    act(() => supplyLater('code', null))
    rerender(complete)
    expect(container.querySelector('pre')?.textContent).toBe('const a = 1')
    act(() => supplyLater('code', code))
  })

  it('never make an element of what code says', () => {
    const { container } = mount(<CodeBlock language="html" text={'<img src=x onerror=alert(1)><script>1</script>'} />)
    expect(container.querySelector('img, script')).toBeNull()
  })
})

describe('long code', () => {
  it('shows twenty lines and a way to all of them', () => {
    const { container } = mount(<CodeBlock language="" text={numbered(45)} />)
    expect(container.querySelector('pre')?.textContent).toBe(numbered(20))
    fireEvent.click(screen.getByRole('button', { name: 'Show all 45 lines' }))
    expect(container.querySelector('pre')?.textContent).toBe(numbered(45))
    fireEvent.click(screen.getByRole('button', { name: 'Show less' }))
    expect(container.querySelector('pre')?.textContent).toBe(numbered(20))
  })

  it('is shown whole up to thirty lines', () => {
    const { container } = mount(<CodeBlock language="" text={numbered(30)} />)
    expect(container.querySelector('pre')?.textContent).toBe(numbered(30))
    expect(screen.queryByRole('button', { name: /Show/ })).toBeNull()
  })

  it('never shrinks while it comes', () => {
    const { container, rerender } = mount(<Markdown text={'```\n'} growing />)
    let most = 0
    for (let lines = 1; lines < 60; lines += 1) {
      const closed = lines === 59
      rerender(
        <Surface>
          <Markdown text={`\`\`\`\n${numbered(lines)}\n${closed ? '```\n' : ''}`} growing={!closed} />
        </Surface>,
      )
      const shown = container.querySelector('pre')?.textContent.split('\n').length ?? 0
      expect(shown).toBeGreaterThanOrEqual(most)
      most = shown
    }
    expect(most).toBe(30)
  })

  it('is copied whole, folded or not', async () => {
    const user = userEvent.setup()
    mount(<CodeBlock language="" text={numbered(45)} />)
    await user.click(screen.getByRole('button', { name: 'Copy code' }))
    expect(await navigator.clipboard.readText()).toBe(numbered(45))
  })
})
