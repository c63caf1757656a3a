/** The drawer for hosts without a right sidebar: a tab per side, never over main's composer (K48, K49). */

import { act, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { drawerLayout } from '../../ui/side/drawer-layout.ts'
import { SideDrawer } from '../../ui/side/SideDrawer.tsx'
import { answered } from '../kit/fake-transport.ts'
import { mount, Surface } from './mount.tsx'
import { createRig, MAIN } from './rig.ts'
import type { Rig } from './rig.ts'

async function open(rig: Rig, ...questions: string[]) {
  const onHide = vi.fn()
  const onDock = vi.fn()
  const drawer = (shown: boolean) => (
    <SideDrawer runtime={rig.runtime} parent={MAIN} open={shown} onHide={onHide} reserve={null} onDock={onDock} />
  )
  for (const question of questions) {
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'side', question)
    await accepted
    rig.transport.emit(sideId, ...answered(rig.transport.at(-1).turnId, question, `answer to ${question}`))
    await rig.paint()
  }
  const { rerender } = mount(drawer(true))
  return {
    onHide,
    onDock,
    user: userEvent.setup(),
    show: (shown: boolean) => rerender(<Surface>{drawer(shown)}</Surface>),
  }
}

describe('drawer', () => {
  it('has one tab per side, the newest in front, and is worked by keyboard', async () => {
    const rig = createRig()
    const { user } = await open(rig, 'one', 'two')
    expect(screen.getAllByRole('tab').map((tab) => [tab.textContent, tab.getAttribute('aria-selected')])).toEqual([
      ['one', 'false'],
      ['two', 'true'],
    ])
    expect(screen.getByText('answer to two')).toBeTruthy()
    act(() => screen.getByRole('tab', { name: 'two' }).focus())
    await user.keyboard('{ArrowLeft}')
    expect(screen.getByText('answer to one')).toBeTruthy()
    expect(rig.runtime.sidesOf(MAIN.sessionId).shownSide).toBe(rig.transport.at(0).sideId)
    expect(screen.getByRole('tabpanel').getAttribute('aria-labelledby')).toBe(
      screen.getByRole('tab', { name: 'one' }).id,
    )
  })

  it('[K49] shows a side that was asked for elsewhere', async () => {
    const rig = createRig()
    await open(rig, 'one', 'two')
    act(() => rig.runtime.show(rig.transport.at(0).sideId))
    expect(screen.getByText('answer to one')).toBeTruthy()
  })

  it('closes the side in front, undoably, and hides with the last one', async () => {
    const rig = createRig()
    const { user, onHide } = await open(rig, 'one', 'two')
    await user.click(screen.getByRole('button', { name: 'Close two' }))
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['one'])
    act(() => rig.runtime.undo(rig.transport.at(1).sideId))
    expect(screen.getAllByRole('tab')).toHaveLength(2)
    await user.click(screen.getByRole('button', { name: 'Close two' }))
    await user.click(screen.getByRole('button', { name: 'Close one' }))
    expect(onHide).toHaveBeenCalled()
  })

  it('opens a new side without the host, and hides without ending anything', async () => {
    const rig = createRig()
    const { user, onHide } = await open(rig, 'one')
    const calls = rig.transport.calls.length
    await user.click(screen.getByRole('button', { name: 'New side' }))
    expect(screen.getByRole('tab', { name: 'New side' }).getAttribute('aria-selected')).toBe('true')
    await user.click(screen.getByRole('button', { name: 'Hide' }))
    expect(onHide).toHaveBeenCalled()
    expect(rig.transport.calls).toHaveLength(calls)
  })

  it('keeps a typed draft of every tab', async () => {
    const rig = createRig()
    const { user } = await open(rig, 'one', 'two')
    await user.click(screen.getByRole('textbox', { name: 'Question' }))
    await user.keyboard('draft of two')
    await user.click(screen.getByRole('tab', { name: 'one' }))
    await user.click(screen.getByRole('tab', { name: 'two' }))
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Question' }).value).toBe('draft of two')
  })

  it('marks a tab whose answer nobody saw', async () => {
    const rig = createRig()
    await open(rig, 'one', 'two')
    await act(async () => void rig.runtime.send(rig.transport.at(0).sideId, 'more'))
    rig.transport.emit(rig.transport.at(0).sideId, ...answered(rig.transport.lastSent(), 'more', 'x'))
    await act(() => rig.paint())
    expect(screen.getByRole('tab', { name: 'one' }).hasAttribute('data-unread')).toBe(true)
    expect(within(screen.getByRole('tablist')).getByRole('tab', { name: 'two' }).hasAttribute('data-unread')).toBe(
      false,
    )
  })

  it('tells how much room it takes, and gives it back', async () => {
    const rig = createRig()
    const { onDock, show } = await open(rig, 'one')
    expect(onDock).toHaveBeenLastCalledWith(341)
    show(false)
    expect(onDock).toHaveBeenLastCalledWith(0)
    expect(screen.queryByRole('tab')).toBeNull()
  })
})

describe('[K48] its place', () => {
  const overlap = (
    a: { left: number; top: number; width: number; height: number },
    b: { left: number; top: number; right: number; bottom: number },
  ): boolean => a.left < b.right && a.left + a.width > b.left && a.top < b.bottom && a.top + a.height > b.top

  it('never covers main’s composer, at any width and wherever that stands', () => {
    for (const width of [320, 480, 768, 899, 900, 1_024, 1_440, 1_920]) {
      for (const height of [480, 800, 1_200]) {
        for (const [left, right] of [
          [0, 1],
          [0.05, 0.95],
          [0.2, 0.75],
          [0.5, 1],
        ] as const) {
          for (const composerTop of [60, height / 2, height - 140, height - 60]) {
            const composer = {
              left: left * width,
              right: right * width,
              top: composerTop,
              bottom: Math.min(height, composerTop + 130),
            }
            const place = drawerLayout(width, height, composer, 0)
            expect(overlap(place, composer), JSON.stringify({ width, height, composer, place })).toBe(false)
            expect(place.left).toBeGreaterThanOrEqual(0)
            expect(place.left + place.width).toBeLessThanOrEqual(width)
            expect(place.top).toBeGreaterThanOrEqual(0)
          }
        }
      }
    }
  })

  it('is a sheet as wide as the composer on narrow windows and docked on wide ones', () => {
    const composer = { left: 16, right: 744, top: 660, bottom: 790 }
    expect(drawerLayout(768, 800, composer, 0)).toMatchObject({ mode: 'sheet', left: 16, width: 728 })
    expect(drawerLayout(1_440, 800, { left: 130, right: 900, top: 660, bottom: 790 }, 40)).toEqual({
      mode: 'dock',
      left: 1_040,
      top: 40,
      width: 400,
      height: 760,
    })
  })
})
