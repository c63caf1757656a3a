/** The parts of an answer that are fetched on first use: without them it is text, with them it is drawn. */

import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import * as code from '../../ui/later/code.ts'
import * as markdown from '../../ui/later/markdown.ts'
import { fetchLaterBy, supplyLater, wantLater } from '../../ui/parts/later.ts'
import { Markdown } from '../../ui/parts/Markdown.tsx'
import { mount } from './mount.tsx'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  fetchLaterBy(() => Promise.reject(new Error('none')))
  supplyLater('markdown', markdown)
  supplyLater('code', code)
})

it('shows an answer as text until it can be drawn, code as code', async () => {
  supplyLater('markdown', null)
  supplyLater('code', null)
  const asked: string[] = []
  let come: (part: unknown) => void = () => undefined
  fetchLaterBy((name) => {
    asked.push(name)
    return name === 'markdown' ? new Promise((resolve) => (come = resolve)) : Promise.reject(new Error('offline'))
  })
  const text = 'Some *stress*.\n\n<b>raw</b>\n\n```js\nconst a = 1\n```\n'
  const { container } = mount(<Markdown text={text} />)
  expect(container.querySelector('em, b')).toBeNull()
  expect(container.querySelector('p')?.textContent).toBe('Some *stress*.')
  expect(container.querySelector('pre')?.textContent).toBe('const a = 1')
  await act(async () => come(markdown))
  expect(screen.getByText('stress').tagName).toBe('EM')
  expect(asked.toSorted()).toEqual(['code', 'markdown'])
})

it('asks once at a time, and again after a while, at another address', async () => {
  vi.useFakeTimers()
  supplyLater('markdown', null)
  const attempts: number[] = []
  fetchLaterBy((_, attempt) => {
    attempts.push(attempt)
    return Promise.reject(new Error('offline'))
  })
  wantLater('markdown')
  wantLater('markdown')
  await vi.advanceTimersByTimeAsync(1_000)
  wantLater('markdown')
  expect(attempts).toEqual([0])
  await vi.advanceTimersByTimeAsync(5_000)
  wantLater('markdown')
  expect(attempts).toEqual([0, 1])
})

it('takes nothing that is not the part', async () => {
  supplyLater('markdown', null)
  fetchLaterBy(() => Promise.resolve({ parse: 'no function' }))
  const { container } = mount(<Markdown text="*a*" />)
  await act(async () => undefined)
  expect(container.querySelector('em')).toBeNull()
  expect(container.textContent).toBe('*a*')
})
