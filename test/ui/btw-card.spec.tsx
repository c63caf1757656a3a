/** The overlay: at once, honest about its state, and usable by itself. */

import { act, screen, within } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import { BtwCard } from '../../ui/btw/BtwCard.tsx'
import { say } from '../kit/fake-transport.ts'
import { mount, mountBtw } from './mount.tsx'
import { createRig, MAIN, OTHER } from './rig.ts'

const card = (): HTMLElement => screen.getByRole('region', { name: /^btw|^Ask by the way/ })

describe('overlay', () => {
  it('draws nothing while there is nothing', () => {
    const page = mountBtw()
    expect(page.composer.ownerDocument.querySelector('[data-sidemind]')?.innerHTML).toBe('')
  })

  it('[K10] [K45] shows the question at once, before the host answered', () => {
    const page = mountBtw()
    page.transport.script.open = 'hold'
    act(() => void page.runtime.ask(MAIN, 'btw', 'what is 2+2?'))
    expect(within(card()).getByText('what is 2+2?')).toBeTruthy()
    expect(within(card()).getByText('opening', { selector: 'span' })).toBeTruthy()
  })

  it('[K10] says in words why a question was not admitted, and offers another try', async () => {
    const page = mountBtw()
    page.transport.script.open = 'unsupported'
    await page.ask('why')
    expect(screen.getByText('This conversation cannot have a side here. Ask in main instead.')).toBeTruthy()
    page.transport.script.open = 'accept'
    await page.user.click(screen.getByRole('button', { name: 'Retry' }))
    await page.tick()
    expect(page.transport.opened).toHaveLength(2)
    expect(screen.queryByText(/cannot have a side/)).toBeNull()
  })

  it('says where the answer comes from and what is kept', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    expect(screen.getByText('12 turns, 18k tokens, no tools, not stored')).toBeTruthy()
    const { turnId } = page.transport.at(0)
    page.transport.emit(side, {
      eventType: 'usage',
      data: { turnId, promptTokens: 1_000, cachedTokens: 980, completionTokens: 5, estimated: false },
    })
    await page.tick()
    // The share of the cache is said once, below the answer.
    expect(screen.getByText('12 turns, 18k tokens, no tools, not stored')).toBeTruthy()
    page.transport.emit(side, say.settled(turnId))
    await page.tick()
    expect(screen.getAllByText(/98 % cached/)).toHaveLength(1)
  })

  it('says what it knows when main has not completed a turn yet', async () => {
    const page = mountBtw()
    page.transport.facts = { ...page.transport.facts, inheritedTurns: 0, inheritedTokens: 0, liveDigest: true }
    await page.ask('why')
    expect(screen.getByText('digest of main’s first turn, no tools, not stored')).toBeTruthy()
  })

  it('says so when this host stores sides', async () => {
    const page = mountBtw()
    page.transport.facts = { ...page.transport.facts, ephemeral: false }
    await page.ask('why')
    expect(screen.getByText(/no tools, stored by this host$/)).toBeTruthy()
  })

  it('shows every delta and renders the answer as Markdown', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.stream(side, 'because **of')
    await page.stream(side, ' it**')
    expect(screen.getByText('of it').tagName).toBe('STRONG')
  })

  it('keeps an ended question readable, with the reason and a new start', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.answer(side, 'because')
    page.transport.emit(side, say.expired('source_gone'))
    await page.tick()
    expect(screen.getByText('because')).toBeTruthy()
    expect(within(card()).getAllByText(/The main conversation was closed/).length).toBeGreaterThan(0)
    await page.user.click(screen.getByRole('button', { name: 'Start again' }))
    await page.tick()
    expect(page.transport.opened).toHaveLength(2)
  })

  it('[D8] shows the newest and tells how many there are', async () => {
    const page = mountBtw()
    const one = await page.ask('one')
    await page.answer(one, 'first')
    await page.ask('two')
    expect(within(card()).getByText('two')).toBeTruthy()
    expect(screen.getByLabelText('2 of 2').textContent).toBe('2/2')
  })

  it('[D6] [K32] can undo a close for a moment', async () => {
    const page = mountBtw()
    const side = await page.ask('why')
    await page.answer(side, 'because')
    await page.user.click(screen.getByRole('button', { name: 'Close' }))
    expect(screen.queryByText('because')).toBeNull()
    await page.user.click(screen.getByRole('button', { name: 'Undo' }))
    await page.tick()
    expect(screen.getByText('because')).toBeTruthy()
    await page.user.click(screen.getByRole('button', { name: 'Close' }))
    await act(() => page.pass(8_000))
    expect(screen.queryByRole('button', { name: 'Undo' })).toBeNull()
  })

  it('[K26] shows nothing of another conversation', async () => {
    const rig = createRig()
    rig.runtime.ask(OTHER, 'btw', 'elsewhere')
    await rig.paint()
    mount(<BtwCard runtime={rig.runtime} parent={MAIN} focusComposer={() => {}} composerText={() => ''} />)
    expect(screen.queryByText('elsewhere')).toBeNull()
  })

  it('tells the host’s tab when the close of a side is undone here', async () => {
    const rig = createRig()
    const reveal = vi.fn()
    mount(
      <BtwCard
        runtime={rig.runtime}
        parent={MAIN}
        focusComposer={() => {}}
        composerText={() => ''}
        revealSide={reveal}
      />,
    )
    const { sideId } = await act(async () => rig.runtime.ask(MAIN, 'side', 'why'))
    await act(() => rig.paint())
    act(() => rig.runtime.close(sideId))
    await act(async () => screen.getByRole('button', { name: 'Undo' }).click())
    expect(reveal.mock.calls).toEqual([[sideId]])
  })
})

describe('[K30] ask box', () => {
  it('takes the caret, asks, and stays open for the next one', async () => {
    const page = mountBtw()
    const box = await act(async () => page.runtime.openDraft(MAIN, 'btw'))
    await page.user.keyboard('one?{Enter}')
    await page.tick()
    expect(page.transport.at(0)).toMatchObject({ kind: 'btw', content: [{ type: 'text', text: 'one?' }] })
    await page.answer(box, 'yes, one')
    await page.user.click(screen.getByRole('textbox', { name: 'Question' }))
    await page.user.keyboard('two?{Enter}')
    await page.tick()
    expect(page.transport.opened).toHaveLength(2)
    expect(screen.getByLabelText('2 of 2')).toBeTruthy()
  })

  it('gives a refused question back into its field', async () => {
    const page = mountBtw()
    await act(async () => void page.runtime.openDraft(MAIN, 'btw'))
    page.transport.script.open = 'limit_reached'
    await page.user.keyboard('one?{Enter}')
    await page.tick()
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Question' }).value).toBe('one?')
    expect(screen.getByText('Too many sides are open or answering. Close one or wait, then try again.')).toBeTruthy()
  })
})

describe('announcements', () => {
  it('tells states politely, never tokens', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
    const rig = createRig()
    mount(<BtwCard runtime={rig.runtime} parent={MAIN} focusComposer={() => {}} composerText={() => 'typing'} />)
    const { sideId } = await act(async () => rig.runtime.ask(MAIN, 'btw', 'why'))
    const heard: string[] = []
    const listen = (): void => {
      act(() => void vi.advanceTimersByTime(1_500))
      const said = screen.getByRole('status').textContent ?? ''
      if (heard.at(-1) !== said && said !== '') heard.push(said)
    }
    const { turnId } = rig.transport.at(0)
    for (let i = 0; i < 30; i += 1) {
      rig.transport.emit(sideId, say.running(turnId), say.text(turnId, `word ${i} `))
      await act(() => rig.paint())
      listen()
    }
    rig.transport.emit(sideId, say.settled(turnId))
    await act(() => rig.paint())
    listen()
    expect(heard).toEqual(['Answering', 'Answer complete'])
    expect(screen.getAllByRole('status')).toHaveLength(1)
    vi.useRealTimers()
  })
})
