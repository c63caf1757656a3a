/** The one quiet line in main's transcript (D14). */

import { act, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { BtwRow } from '../../ui/btw/BtwRow.tsx'
import { SideRow } from '../../ui/side/SideRow.tsx'
import { answered, say } from '../kit/fake-transport.ts'
import { mount } from './mount.tsx'
import { createRig, MAIN } from './rig.ts'

describe('[D14] rows', () => {
  it('is one line with words and never an id, also for a side that nobody here knows', () => {
    const { runtime } = createRig()
    const { container } = mount(
      <>
        <BtwRow runtime={runtime} sideId="0190-opaque" />
        <SideRow runtime={runtime} sideId={null} onOpen={() => {}} />
      </>,
    )
    expect(container.textContent).toBe('asked on the sideside conversation')
    expect(screen.queryByRole('button')).toBeNull()
  })

  it('opens the side that it names, also when the host knows it under another id', async () => {
    const rig = createRig()
    rig.transport.script.open = 'provider_error'
    const { sideId } = rig.runtime.ask(MAIN, 'side', 'why')
    await rig.paint()
    rig.transport.script.open = 'accept'
    rig.runtime.retry(sideId)
    await rig.paint()
    const onOpen = vi.fn()
    mount(<SideRow runtime={rig.runtime} sideId={rig.transport.at(1).sideId} onOpen={onOpen} />)
    await userEvent.click(screen.getByRole('button', { name: /side conversation.*why/ }))
    expect(onOpen.mock.calls).toEqual([[sideId]])
  })

  it('brings an older btw back to the front', async () => {
    const rig = createRig()
    const one = rig.runtime.ask(MAIN, 'btw', 'one').sideId
    rig.runtime.ask(MAIN, 'btw', 'two')
    await rig.paint()
    mount(<BtwRow runtime={rig.runtime} sideId={one} />)
    await userEvent.click(screen.getByRole('button', { name: /asked on the side.*one/ }))
    expect(rig.runtime.sidesOf(MAIN.sessionId).shownBtw).toBe(one)
  })

  it('[K33] shows how long a hidden side still lives, and that it ended', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: 1_000_000 })
    const rig = createRig()
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'side', 'why')
    await accepted
    rig.transport.emit(sideId, ...answered(rig.transport.at(0).turnId, 'why', 'because'))
    await rig.paint()
    mount(<SideRow runtime={rig.runtime} sideId={sideId} onOpen={() => {}} />)
    expect(screen.getByText('ends in 30 min')).toBeTruthy()
    rig.transport.emit(sideId, say.expired('parked_too_long'))
    await act(() => rig.paint())
    expect(screen.getByText('ended')).toBeTruthy()
    vi.useRealTimers()
  })
})
