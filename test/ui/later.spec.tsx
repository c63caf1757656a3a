/** The parts of an answer that are fetched on first use: without them it is text, with them it is drawn. */

import { act, cleanup, screen } from '@testing-library/react'
import { afterEach, expect, it, vi } from 'vitest'
import * as code from '../../ui/later/code.ts'
import * as markdown from '../../ui/later/markdown.tsx'
import { fetchLaterBy, supplyLater, wantLater } from '../../ui/parts/later.ts'
import { Markdown } from '../../ui/parts/Markdown.tsx'
import * as tabs from '../../ui/later/tabs.ts'
import { SideDrawer } from '../../ui/side/SideDrawer.tsx'
import { mount } from './mount.tsx'
import { createRig, MAIN } from './rig.ts'

afterEach(() => {
  cleanup()
  vi.useRealTimers()
  fetchLaterBy(() => Promise.reject(new Error('none')))
  supplyLater('markdown', markdown)
  supplyLater('code', code)
  supplyLater('tabs', tabs)
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
  fetchLaterBy(() => Promise.resolve({ draw: 'no function' }))
  const { container } = mount(<Markdown text="*a*" />)
  await act(async () => undefined)
  expect(container.querySelector('em')).toBeNull()
  expect(container.textContent).toBe('*a*')
})

it('gives a drawer plain tabs where its own cannot come, and keeps them', async () => {
  supplyLater('tabs', null)
  fetchLaterBy(() => Promise.reject(new Error('offline')))
  const rig = createRig()
  const first = rig.runtime.openDraft(MAIN)
  rig.runtime.setDraft(first, 'first')
  rig.runtime.ask(MAIN, 'side', 'second?')
  mount(<SideDrawer runtime={rig.runtime} parent={MAIN} open onHide={() => undefined} reserve={null} />)
  await act(async () => undefined)
  const shown = (): (string | null)[] => screen.getAllByRole('tab', { selected: true }).map((tab) => tab.textContent)
  expect(shown()).toEqual(['second?'])
  act(() => screen.getAllByRole('tab', { selected: false })[0]?.click())
  expect(shown()).not.toEqual(['second?'])
  act(() => supplyLater('tabs', tabs))
  expect(screen.getAllByRole('tab')).toHaveLength(2)
})
