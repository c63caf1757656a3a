/** One owner per key (I10): what Esc, C and the arrows do in the overlay and in a side, and what they never do. */

import { act, fireEvent, screen } from '@testing-library/react'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MAIN } from './rig.ts'
import { mountBtw, mountSide } from './mount.tsx'

afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const card = (): HTMLElement => screen.getByRole('region', { name: /^btw/i })
const clipboard = (): ReturnType<typeof vi.fn> => {
  const writeText = vi.fn(() => Promise.resolve())
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as unknown as Clipboard)
  return writeText
}

describe('Esc in the overlay', () => {
  it('[K18] stops first and keeps the partial answer, then dismisses', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.stream(side, 'because of')
    expect(document.activeElement).toBe(card())
    await page.user.keyboard('{Escape}')
    expect(page.transport.of('cancel')).toHaveLength(1)
    expect(screen.getByText('because of')).toBeTruthy()
    await page.user.keyboard('{Escape}')
    expect(screen.queryByText('because of')).toBeNull()
    expect(page.runtime.sidesOf(MAIN.sessionId).closing).toHaveLength(1)
  })

  it('[K16] never reaches main: not the one that stops, not the one that dismisses', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.stream(side, 'because')
    await page.user.keyboard('{Escape}{Escape}')
    expect(page.mainHeard).toEqual([])
  })

  it('[K16] swallows a further Esc for 400 ms after a dismissal, and not longer', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.answer(side, 'because')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    fireEvent.keyDown(card(), { key: 'Escape' })
    expect(document.activeElement).toBe(page.composer)
    fireEvent.keyDown(page.composer, { key: 'Escape' })
    vi.advanceTimersByTime(399)
    fireEvent.keyDown(page.composer, { key: 'Escape' })
    expect(page.mainHeard).toEqual([])
    fireEvent.keyDown(page.composer, { key: 'a' })
    expect(page.mainHeard).toEqual(['a'])
    vi.advanceTimersByTime(2)
    fireEvent.keyDown(page.composer, { key: 'Escape' })
    expect(page.mainHeard).toEqual(['a', 'Escape'])
  })

  it('[K16] does nothing more while it is held down', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.stream(side, 'because')
    fireEvent.keyDown(card(), { key: 'Escape' })
    for (let i = 0; i < 30; i += 1) fireEvent.keyDown(card(), { key: 'Escape', repeat: true })
    expect(page.runtime.sidesOf(MAIN.sessionId).btw).toHaveLength(1)
    expect(page.mainHeard).toEqual([])
  })

  it('[K16] leaves an Esc typed in main, in a menu, in a dialog or in an input method alone', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.stream(side, 'because')
    const dialog = document.createElement('div')
    dialog.setAttribute('role', 'dialog')
    dialog.tabIndex = -1
    document.body.append(dialog)
    fireEvent.keyDown(page.composer, { key: 'Escape' })
    fireEvent.keyDown(dialog, { key: 'Escape' })
    fireEvent.keyDown(document.body, { key: 'Escape' })
    expect(page.mainHeard).toEqual(['Escape', 'Escape', 'Escape'])
    expect(page.transport.of('cancel')).toEqual([])
    fireEvent.keyDown(screen.getByRole('button', { name: 'Stop' }), { key: 'Escape', isComposing: true })
    fireEvent.keyDown(screen.getByRole('button', { name: 'Stop' }), { key: 'Process', keyCode: 229 })
    expect(page.transport.of('cancel')).toEqual([])
    expect(page.runtime.sidesOf(MAIN.sessionId).btw).toHaveLength(1)
    dialog.remove()
  })

  it('[K17] says what Esc does now, and only while it is ours', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.stream(side, 'because')
    expect(screen.getByText('Esc stop')).toBeTruthy()
    await page.user.keyboard('{Escape}')
    expect(screen.getByText('Esc close')).toBeTruthy()
    act(() => page.composer.focus())
    expect(screen.queryByText(/^Esc/)).toBeNull()
  })

  it('cancels a question that is still opening, and main keeps its text', async () => {
    const page = mountBtw()
    page.transport.script.open = 'hold'
    const { accepted } = await act(async () => page.runtime.ask(MAIN, 'btw', 'too slow'))
    const rejected = expect(accepted).rejects.toMatchObject({ name: 'AskCanceled' })
    await page.tick()
    act(() => card().focus())
    expect(screen.getByText('Esc cancel')).toBeTruthy()
    await page.user.keyboard('{Escape}')
    await rejected
    expect(screen.queryByText('too slow')).toBeNull()
  })

  it('[K19] keeps what was typed into an ask box that is dismissed', async () => {
    const page = mountBtw()
    act(() => void page.runtime.openDraft(MAIN, 'btw'))
    await page.user.keyboard('half a question{Escape}')
    expect(screen.queryByRole('textbox', { name: 'Question' })).toBeNull()
    await page.user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Question' }).value).toBe('half a question')
  })
})

describe('C in the overlay', () => {
  it('[K20] copies the raw Markdown of the answer', async () => {
    const page = mountBtw()
    const copied = clipboard()
    const side = await page.ask('why')
    await page.answer(side, '**because** `x`')
    await page.user.keyboard('c')
    expect(copied.mock.calls).toEqual([['**because** `x`']])
    expect(await screen.findByRole('button', { name: 'Copied' })).toBeTruthy()
    expect(page.mainHeard).toEqual([])
  })

  it('[K20] is the browser’s with a modifier, with a selection, and in a text field', async () => {
    const page = mountBtw()
    const copied = clipboard()
    const side = await page.ask('why')
    await page.answer(side, 'because')
    for (const modifier of ['ctrlKey', 'metaKey', 'altKey', 'shiftKey'])
      fireEvent.keyDown(card(), { key: 'c', [modifier]: true })
    const selection = vi.spyOn(window, 'getSelection').mockReturnValue({ toString: () => 'cau' } as Selection)
    fireEvent.keyDown(card(), { key: 'c' })
    selection.mockRestore()
    fireEvent.keyDown(page.composer, { key: 'c' })
    act(() => void page.runtime.openDraft(MAIN, 'btw'))
    fireEvent.keyDown(screen.getByRole('textbox', { name: 'Question' }), { key: 'c' })
    expect(copied).not.toHaveBeenCalled()
  })

  it('[K22] goes by the letter and not by the key, and has a button', async () => {
    const page = mountBtw()
    const copied = clipboard()
    const side = await page.ask('why')
    await page.answer(side, 'because')
    fireEvent.keyDown(card(), { key: 'с', code: 'KeyC' })
    expect(copied).not.toHaveBeenCalled()
    fireEvent.keyDown(card(), { key: 'c', code: 'KeyI' })
    expect(copied).toHaveBeenCalledTimes(1)
    await act(async () => fireEvent.click(screen.getByRole('button', { name: /^Cop/ })))
    expect(copied).toHaveBeenCalledTimes(2)
  })
})

describe('[K22] a button for everything', () => {
  it('stops, retries, copies, closes and goes to the other question by pointer', async () => {
    const page = mountBtw()
    const one = await page.ask('one')
    await page.answer(one, 'first')
    const two = await page.ask('two')
    await page.stream(two, 'second')
    await page.user.click(screen.getByRole('button', { name: 'Stop' }))
    expect(page.transport.of('cancel')).toHaveLength(1)
    await page.user.click(screen.getByRole('button', { name: 'Previous' }))
    expect(screen.getByText('first')).toBeTruthy()
    await page.user.click(screen.getByRole('button', { name: 'Retry' }))
    await page.tick()
    expect(page.transport.opened.map((request) => request.content[0])).toMatchObject([
      { text: 'one' },
      { text: 'two' },
      { text: 'one' },
    ])
    await page.user.click(screen.getByRole('button', { name: 'Close' }))
    expect(page.runtime.sidesOf(MAIN.sessionId).btw).toHaveLength(1)
  })

  it('[D8] reaches the others with the arrows', async () => {
    const page = mountBtw()
    const one = await page.ask('one')
    await page.answer(one, 'first')
    const two = await page.ask('two')
    await page.answer(two, 'second')
    expect(screen.getByText('second')).toBeTruthy()
    await page.user.keyboard('{ArrowLeft}')
    expect(screen.getByText('first')).toBeTruthy()
    await page.user.keyboard('{ArrowLeft}{ArrowRight}')
    expect(screen.getByText('second')).toBeTruthy()
    expect(screen.getByLabelText('2 of 2')).toBeTruthy()
  })
})

describe('focus', () => {
  it('goes to the overlay after an ask when main’s composer is empty', async () => {
    const page = mountBtw()
    await page.ask('why')
    expect(document.activeElement).toBe(card())
  })

  it('is never taken from a person who types on', async () => {
    const page = mountBtw()
    page.composer.focus()
    page.composer.value = '/btw why'
    await act(async () => void page.runtime.ask(MAIN, 'btw', 'why'))
    await page.tick()
    page.composer.value = 'next tho'
    await act(() => new Promise((resolve) => setTimeout(resolve, 700)))
    expect(document.activeElement).toBe(page.composer)
  })

  it('is not taken after a key was pressed, although the composer is empty', async () => {
    const page = mountBtw()
    page.composer.focus()
    page.composer.value = '/btw why'
    await act(async () => void page.runtime.ask(MAIN, 'btw', 'why'))
    await page.tick()
    fireEvent.keyDown(page.composer, { key: 'n' })
    page.composer.value = ''
    await act(() => new Promise((resolve) => setTimeout(resolve, 150)))
    expect(document.activeElement).toBe(page.composer)
  })

  it('is not taken from a dialog that opened meanwhile', async () => {
    const page = mountBtw()
    page.composer.focus()
    page.composer.value = '/btw why'
    await act(async () => void page.runtime.ask(MAIN, 'btw', 'why'))
    await page.tick()
    const button = document.createElement('button')
    document.body.append(button)
    button.focus()
    page.composer.value = ''
    await act(() => new Promise((resolve) => setTimeout(resolve, 150)))
    expect(document.activeElement).toBe(button)
    button.remove()
  })

  it('gives letters that are typed on to main’s composer', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.answer(side, 'because')
    await page.user.keyboard('and then')
    expect(document.activeElement).toBe(page.composer)
    expect(page.composer.value).toBe('and then')
  })

  it('stays in the overlay when the pressed button vanishes with its work', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.stream(side, 'because')
    await page.user.click(screen.getByRole('button', { name: 'Stop' }))
    expect(document.activeElement).toBe(card())
    await page.user.click(screen.getByRole('button', { name: 'Close' }))
    await page.user.click(screen.getByRole('button', { name: 'Undo' }))
    expect(document.activeElement).toBe(card())
  })

  it('returns to main’s composer on dismissal, and stays when another question is left', async () => {
    const page = mountBtw()
    const one = await page.ask('one')
    await page.answer(one, 'first')
    const two = await page.ask('two')
    await page.answer(two, 'second')
    await page.user.keyboard('{Escape}')
    expect(document.activeElement).toBe(card())
    await act(() => new Promise((resolve) => setTimeout(resolve, 420)))
    await page.user.keyboard('{Escape}')
    expect(document.activeElement).toBe(page.composer)
  })
})

describe('Esc in a side', () => {
  it('[K25] stops the side and never reaches main, running or not', async () => {
    const page = mountSide()
    await page.user.keyboard('why{Enter}')
    await page.tick()
    await page.stream(page.sideId, 'because')
    await page.user.keyboard('{Escape}')
    expect(page.transport.of('cancel')).toHaveLength(1)
    expect(screen.getByText('because')).toBeTruthy()
    await page.answer(page.sideId, '')
    await page.user.keyboard('{Escape}')
    expect(page.transport.of('cancel')).toHaveLength(1)
    expect(page.mainHeard).not.toContain('Escape')
    expect(page.runtime.sidesOf(MAIN.sessionId).side).toHaveLength(1)
  })

  it('[K19] leaves the editor of a queued message first', async () => {
    const page = mountSide()
    await page.user.keyboard('one{Enter}')
    await page.tick()
    await page.user.keyboard('two{Enter}')
    await page.user.click(screen.getByRole('button', { name: 'Edit' }))
    await page.user.keyboard(' more{Escape}')
    expect(page.transport.of('cancel')).toEqual([])
    expect(screen.getByText('two')).toBeTruthy()
  })
})
