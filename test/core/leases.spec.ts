import { describe, expect, it } from 'vitest'
import { coreRig } from './rig.ts'

const MINUTE = 60_000

describe('who is there', () => {
  it('D7 ends a side whose client says nothing for a minute', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.clock.advance(59_999)
    expect(rig.controller.touch(side, true)).toBe(true)
    await rig.clock.advance(59_999)
    expect(rig.life(side)).toEqual(['ready'])
    await rig.clock.advance(1)
    expect(rig.life(side)).toEqual(['ready', 'expired client_lost'])
    expect(rig.controller.touch(side, true)).toBe(false)
    expect(rig.provider.children()).toEqual([])
    expect(rig.clock.pending()).toBe(0)
  })

  it('D7 ends an answering side too when nobody is left to read it', async () => {
    const rig = coreRig()
    rig.provider.script('stall')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    await rig.clock.advance(MINUTE)
    expect(rig.transcript(side)).toMatchObject({ reason: 'client_lost', turns: [{ outcome: 'interrupted' }] })
  })

  it('D7 gives a hidden page five minutes', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    rig.controller.touch(side, false)
    await rig.clock.advance(5 * MINUTE - 1)
    expect(rig.life(side)).toEqual(['ready'])
    await rig.clock.advance(1)
    expect(rig.life(side)).toEqual(['ready', 'expired client_lost'])
  })

  it('D7 does not end a side while a client follows it, and gives it a minute to come back', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const [first, second] = [rig.controller.hold(side), rig.controller.hold(side)]
    await rig.clock.advance(60 * MINUTE)
    first()
    first()
    await rig.clock.advance(60 * MINUTE)
    second()
    await rig.clock.advance(30_000)
    const third = rig.controller.hold(side)
    await rig.clock.advance(60 * MINUTE)
    expect(rig.life(side)).toEqual(['ready'])
    third()
    await rig.clock.advance(MINUTE)
    expect(rig.life(side)).toEqual(['ready', 'expired client_lost'])
    rig.controller.hold(side)()
  })
})

describe('a side that nobody looks at', () => {
  it('T10 never ends an open and visible side for being idle', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    for (let minute = 0; minute < 24 * 60; minute += 1) {
      rig.controller.touch(side, true)
      await rig.clock.advance(59_000)
    }
    expect(rig.life(side)).toEqual(['ready'])
    expect(rig.controller.find('w', 's1')?.endsAt).toBeNull()
  })

  it('T10 ends a parked side after its time, which can be read, counted from when it was hidden', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const hiddenAt = rig.clock.now()
    for (let minute = 0; minute < 30; minute += 1) {
      rig.controller.touch(side, false)
      expect(rig.controller.find('w', 's1')).toMatchObject({ visible: false, endsAt: hiddenAt + 30 * MINUTE })
      await rig.clock.advance(MINUTE)
    }
    expect(rig.life(side)).toEqual(['ready', 'expired parked_too_long'])
    expect(rig.provider.children()).toEqual([])
  })

  it('T10 starts the time anew when the side was seen in between', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    rig.controller.hold(side)
    rig.controller.touch(side, false)
    await rig.clock.advance(29 * MINUTE)
    rig.controller.touch(side, true)
    expect(rig.controller.find('w', 's1')).toMatchObject({ visible: true, endsAt: null })
    await rig.clock.advance(29 * MINUTE)
    rig.controller.touch(side, false)
    await rig.clock.advance(29 * MINUTE)
    expect(rig.life(side)).toEqual(['ready'])
  })

  it('T10 does not count the time in which a hidden side answers', async () => {
    const rig = coreRig()
    rig.provider.script('stall')
    const side = await rig.open('s1')
    rig.controller.hold(side)
    await rig.ask(side, 't1')
    rig.controller.touch(side, false)
    await rig.clock.advance(60 * MINUTE)
    expect(rig.life(side)).toEqual(['ready'])
    await rig.controller.cancel(side, 't1')
    await rig.clock.advance(30 * MINUTE - 1)
    expect(rig.life(side)).toEqual(['ready'])
    await rig.clock.advance(1)
    expect(rig.life(side)).toEqual(['ready', 'expired parked_too_long'])
  })

  it('T10 starts no clock for a side in its undo window, and starts them again when it is reopened', async () => {
    const rig = coreRig({ limits: { undoMs: 10 * MINUTE, parkedMs: 2 * MINUTE } })
    const side = await rig.open('s1')
    rig.controller.touch(side, false)
    await rig.clock.advance(MINUTE)
    await rig.controller.close(side, { keepForMs: 10 * MINUTE })
    rig.controller.hold(side)()
    rig.controller.touch(side, true)
    await rig.clock.advance(9 * MINUTE)
    expect(rig.life(side)).toEqual(['ready'])
    await rig.controller.reopen(side)
    await rig.clock.advance(59_999)
    expect(rig.life(side)).toEqual(['ready'])
    await rig.clock.advance(1)
    expect(rig.life(side)).toEqual(['ready', 'expired client_lost'])
  })
})
