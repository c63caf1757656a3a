/** One side as a tab: empty, asking, queueing, stopped, ended, in two languages. */

import { act, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { say } from '../kit/fake-transport.ts'
import { mountSide } from './mount.tsx'
import { MAIN } from './rig.ts'

const field = (): HTMLTextAreaElement => screen.getByRole<HTMLTextAreaElement>('textbox', { name: /Question|问题/ })

describe('side', () => {
  it('[K36] opens empty with a sentence, two examples and the caret in its composer, without the host', async () => {
    const page = mountSide()
    expect(document.activeElement).toBe(field())
    expect(within(screen.getByRole('group', { name: 'Examples' })).getAllByRole('button')).toHaveLength(2)
    await page.user.click(screen.getByRole('button', { name: 'Explain the last error' }))
    expect(field().value).toBe('Explain the last error')
    expect(document.activeElement).toBe(field())
    expect(page.transport.calls).toEqual([])
  })

  it('asks with Enter, shows the question at once and keeps the caret', async () => {
    const page = mountSide()
    await page.user.keyboard('why two lock files?{Enter}')
    expect(screen.getByText('why two lock files?')).toBeTruthy()
    expect(field().value).toBe('')
    await page.tick()
    expect(document.activeElement).toBe(field())
    await page.answer(page.sideId, 'one each')
    expect(screen.getByText('one each')).toBeTruthy()
    expect(screen.getByText(/^from main.*12 turns, 18k tokens$/)).toBeTruthy()
  })

  it('[K13] shows what waits, lets it be edited and removed, and sends it in order', async () => {
    const page = mountSide()
    await page.user.keyboard('one{Enter}')
    await page.tick()
    await page.user.keyboard('two{Enter}three{Enter}')
    const queue = screen.getByRole('list', { name: 'Queued questions' })
    expect(
      within(queue)
        .getAllByRole('listitem')
        .map((row) => row.textContent),
    ).toEqual(['queuedtwo', 'queuedthree'])
    await page.user.click(within(queue).getAllByRole('button', { name: 'Edit' })[0] as HTMLElement)
    await page.user.keyboard(', please{Enter}')
    await page.user.click(within(queue).getAllByRole('button', { name: 'Remove' })[1] as HTMLElement)
    await page.answer(page.sideId, 'first')
    expect(page.transport.of('send').map((call) => call[2])).toEqual([[{ type: 'text', text: 'two, please' }]])
    expect(screen.queryByRole('list', { name: 'Queued questions' })).toBeNull()
  })

  it('[K13] shows and edits what waits without its quotation, which goes along all the same', async () => {
    const page = mountSide()
    await page.user.keyboard('one{Enter}')
    await page.tick()
    page.runtime.setQuote(page.sideId, 'some words')
    await page.tick()
    await page.user.keyboard('two{Enter}')
    const queue = screen.getByRole('list', { name: 'Queued questions' })
    expect(within(queue).getByRole('listitem').textContent).toBe('queuedtwo')
    await page.user.click(within(queue).getByRole('button', { name: 'Edit' }))
    await page.user.keyboard(', please{Enter}')
    await page.answer(page.sideId, 'first')
    expect(page.transport.of('send').map((call) => call[2])).toEqual([
      [{ type: 'text', text: '> some words\n\ntwo, please' }],
    ])
  })

  it('[D11] pauses the queue with Stop and sends it when the person says so', async () => {
    const page = mountSide()
    await page.user.keyboard('one{Enter}')
    await page.tick()
    await page.user.keyboard('two{Enter}')
    await page.user.click(screen.getByRole('button', { name: 'Stop' }))
    page.transport.emit(page.sideId, say.settled(page.transport.at(0).turnId, 'canceled'))
    await page.tick()
    expect(screen.getByText('paused')).toBeTruthy()
    expect(page.transport.of('send')).toEqual([])
    await page.user.click(screen.getByRole('button', { name: 'Send now' }))
    await page.tick()
    expect(page.transport.of('send')).toHaveLength(1)
  })

  it('[D10] keeps the eleventh in the composer and says why', async () => {
    const page = mountSide()
    await page.user.keyboard('one{Enter}')
    await page.tick()
    for (let i = 0; i < 10; i += 1) await page.user.keyboard(`q${i}{Enter}`)
    await page.user.keyboard('one too many{Enter}')
    expect(field().value).toBe('one too many')
    expect(screen.getByText('Enough messages are waiting. Let some of them go first.')).toBeTruthy()
  })

  it('returns a refused text to the composer with a sentence, and goes on', async () => {
    const page = mountSide()
    await page.user.keyboard('one{Enter}')
    await page.tick()
    await page.answer(page.sideId, 'first')
    page.transport.script.send = 'stream_unavailable'
    await page.user.keyboard('two{Enter}')
    await page.tick()
    expect(field().value).toBe('two')
    expect(screen.getByText('There is no connection right now. Check it and try again.')).toBeTruthy()
  })

  it('[K33] stays readable when it ended, says why, and starts again in place', async () => {
    const page = mountSide()
    await page.user.keyboard('one{Enter}')
    await page.tick()
    await page.answer(page.sideId, 'first')
    await page.user.keyboard('half a thought')
    page.transport.emit(page.sideId, say.expired('parked_too_long'))
    await page.tick()
    expect(screen.getByText('first')).toBeTruthy()
    expect(screen.getByText(/hidden and unused for too long/, { selector: 'span' })).toBeTruthy()
    await page.user.click(screen.getByRole('button', { name: 'Start again' }))
    expect(field().value).toBe('half a thought')
    await page.user.click(screen.getByRole('button', { name: 'one' }))
    expect(screen.getByText('first')).toBeTruthy()
  })

  it('[K43] explains in plain words what it knows, may do and keeps', async () => {
    const page = mountSide()
    await page.user.keyboard('one{Enter}')
    await page.tick()
    const info = screen.getByRole('button', { name: 'About this side' })
    expect(info.getAttribute('aria-expanded')).toBe('false')
    await page.user.click(info)
    expect(screen.getByText(/^It knows the 12 turns that main had completed/)).toBeTruthy()
    expect(screen.getByText('It may read files, search in files. Anything else is refused.')).toBeTruthy()
    expect(screen.getByText(/^Nothing is stored/)).toBeTruthy()
    expect(
      screen.getByText(/^It ends when you close it \(undo for 8 s\), when this page is gone for 60 s/),
    ).toBeTruthy()
    // Esc closes it and nothing else, and the keyboard stays where it was.
    await page.user.keyboard('{Escape}')
    expect(screen.queryByText(/^It ends when/)).toBeNull()
    expect(document.activeElement).toBe(info)
    expect(page.mainHeard).not.toContain('Escape')
    await page.user.keyboard('{Enter}')
    expect(screen.getByText(/^It ends when/)).toBeTruthy()
  })

  it.each([
    [{ kind: 'turns', turns: 5 }, /^It knows only the newest 5 turns .* earlier ones were left out\.$/],
    [{ kind: 'compaction' }, /^It knows only the 5 turns since main was compacted/],
    [{ kind: 'digest' }, /^It has none of main’s turns/],
  ] as const)('[K43] says what it took of main when that was not everything: %j', async (scope, sentence) => {
    const page = mountSide()
    page.transport.facts = { ...page.transport.facts, scope, inheritedTurns: scope.kind === 'digest' ? 0 : 5 }
    await page.user.keyboard('one{Enter}')
    await page.tick()
    await page.user.click(screen.getByRole('button', { name: 'About this side' }))
    expect(screen.getByText(sentence)).toBeTruthy()
  })

  it('[K15] says quietly what main does, without taking the focus', () => {
    mountSide({ main: { state: 'approval' } })
    expect(screen.getByText('main needs your approval')).toBeTruthy()
    expect(document.activeElement).toBe(field())
  })

  it('says that it is gone when it is', () => {
    const page = mountSide()
    act(() => page.runtime.close(page.sideId))
    expect(screen.getByText('This side has ended.')).toBeTruthy()
  })

  it('speaks Chinese', async () => {
    const page = mountSide({}, 'zh-CN')
    expect(screen.getByRole('button', { name: '它现在在做什么？' })).toBeTruthy()
    await page.user.keyboard('为什么{Enter}')
    await page.tick()
    await page.stream(page.sideId, '因为')
    expect(screen.getByText('正在回答')).toBeTruthy()
    expect(screen.getByText('12 轮，18k tokens', { exact: false })).toBeTruthy()
  })

  it('keeps what is typed when the tab is taken away and comes back', async () => {
    const page = mountSide()
    await page.user.keyboard('half')
    expect(page.runtime.draftOf(page.sideId)).toBe('half')
    expect(page.runtime.sidesOf(MAIN.sessionId).side).toHaveLength(1)
  })
})
