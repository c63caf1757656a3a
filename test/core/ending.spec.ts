import { describe, expect, it } from 'vitest'
import { delta } from '../providers/fake.ts'
import { settle } from './clock.ts'
import { codeOf, coreRig, identity } from './rig.ts'

describe('closing', () => {
  it('T7 stops the turn, closes the child, then tells and forgets, in this order', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    await rig.clock.advance(100)
    const go = rig.provider.hold('close')
    const closing = rig.controller.close(side)
    await settle()
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1', 'cancel s1 t1', 'close s1'])
    expect(rig.life(side)).toEqual(['ready', 'closing'])
    expect(await codeOf(rig.ask(side, 't2'))).toBe('expired')
    go()
    expect(await closing).toEqual({ found: true, hidden: false, cleanupPending: false })
    expect(rig.life(side)).toEqual(['ready', 'closing', 'closed'])
    expect(rig.transcript(side).turns).toMatchObject([
      { outcome: 'canceled', items: [{ text: expect.stringContaining('word0') }] },
    ])
    expect(rig.settled(side)).toEqual(['t1 canceled'])
    expect(rig.controller.find('w', 's1')).toBeUndefined()
    expect(rig.provider.children()).toEqual([])
    expect(rig.clock.pending()).toBe(0)
    expect(rig.reports).toEqual([])
  })

  it('T7 closes twice, an absent and an expired side without an error', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const both = await Promise.all([rig.controller.close(side), rig.controller.close(side)])
    expect(both.map((one) => one.found)).toEqual([true, false])
    expect(await rig.controller.close(identity('never'))).toEqual({
      found: false,
      hidden: false,
      cleanupPending: false,
    })
    const lost = await rig.open('s2')
    rig.provider.lose('s2')
    expect(await rig.controller.close(lost)).toMatchObject({ found: false })
    expect(rig.provider.calls.filter((call) => call === 'close s1')).toHaveLength(1)
  })

  it('T7 waits three seconds for the turn to stop and no longer', async () => {
    const rig = coreRig()
    rig.provider.script('stall')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    rig.provider.hold('cancel')
    const closing = rig.controller.close(side)
    await rig.clock.advance(2_999)
    expect(rig.provider.calls).not.toContain('close s1')
    await rig.clock.advance(1)
    expect(await closing).toMatchObject({ found: true, cleanupPending: false })
    expect(rig.transcript(side).turns).toMatchObject([{ outcome: 'canceled' }])
  })

  it('T7 closes although the provider cannot stop the turn', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    rig.provider.fail('cancel', 1)
    expect(await rig.controller.close(side)).toMatchObject({ cleanupPending: false })
    expect(rig.transcript(side).turns).toMatchObject([{ outcome: 'canceled' }])
  })

  it('T7 frees the id: the next side of it starts at sequence 1 and remembers no turn', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    await rig.controller.close(side)
    const before = rig.envelopes.length
    const again = await rig.open('s1')
    await rig.ask(again, 't1')
    expect(rig.envelopes[before]?.sequence).toBe(1)
    expect(rig.provider.calls.filter((call) => call === 'exec s1 t1')).toHaveLength(2)
  })

  it('T7 publishes nothing of a side that is closed', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.controller.close(side)
    const before = rig.envelopes.length
    rig.provider.sink('s1').event(delta('t1', 'text', 'ghost'))
    rig.provider.sink('s1').lost('provider_lost')
    expect(rig.envelopes).toHaveLength(before)
  })
})

describe('undoing a close', () => {
  it('D6 stops the turn and hides; reopening within the window brings the same child back', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    expect(await rig.controller.close(side, { keepForMs: 8_000 })).toEqual({
      found: true,
      hidden: true,
      cleanupPending: false,
    })
    expect(rig.transcript(side).turns).toMatchObject([{ outcome: 'canceled' }])
    expect(rig.controller.find('w', 's1')).toMatchObject({ phase: 'hidden', endsAt: rig.clock.now() + 8_000 })
    expect(await codeOf(rig.ask(side, 't2'))).toBe('expired')
    expect(await codeOf(rig.controller.cancel(side, 't1'))).toBe('expired')
    await rig.clock.advance(7_999)
    await rig.controller.reopen(side)
    await rig.clock.advance(20_000)
    expect(rig.controller.find('w', 's1')).toMatchObject({ phase: 'idle', endsAt: null })
    expect(await codeOf(rig.ask(side, 't2'))).toBe('resolved')
    expect(rig.provider.calls).not.toContain('close s1')
  })

  it('D6 disposes the child when the window is over, and never keeps it longer than configured', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.controller.close(side, { keepForMs: 3_600_000 })
    await rig.clock.advance(7_999)
    expect(rig.provider.children()).toHaveLength(1)
    await rig.clock.advance(1)
    expect(rig.provider.children()).toEqual([])
    expect(rig.life(side)).toEqual(['ready', 'closing', 'closed'])
    expect(await codeOf(rig.controller.reopen(side))).toBe('expired')
  })

  it('D6 counts a reopened side as open again', async () => {
    const rig = coreRig({ limits: { sidesPerSource: 1 } })
    const side = await rig.open('s1')
    await rig.controller.close(side, { keepForMs: 8_000 })
    await rig.controller.reopen(side)
    expect(await codeOf(rig.open('s2'))).toBe('limit_reached')
    await rig.controller.reopen(side)
  })

  it('D6 disposes at once when nothing is kept', async () => {
    const rig = coreRig({ limits: { undoMs: 0 } })
    const side = await rig.open('s1')
    expect(await rig.controller.close(side, { keepForMs: 8_000 })).toMatchObject({ hidden: false })
    expect(rig.provider.children()).toEqual([])
  })

  it('D6 closes a hidden side for good when it is closed again', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.controller.close(side, { keepForMs: 8_000 })
    expect(await rig.controller.close(side)).toMatchObject({ found: true, hidden: false })
    expect(rig.provider.children()).toEqual([])
    expect(rig.clock.pending()).toBe(0)
  })

  it('D6 does not end a side that is reopened in the moment its window ends', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    const go = rig.provider.hold('cancel')
    const hiding = rig.controller.close(side, { keepForMs: 2_000 })
    const reopening = rig.controller.reopen(side)
    await rig.clock.advance(2_000)
    go()
    await Promise.all([hiding, reopening])
    await settle()
    expect(rig.controller.find('w', 's1')?.phase).toBe('idle')
    expect(rig.provider.children()).toHaveLength(1)
  })

  it('D6 refuses to reopen when the place was taken', async () => {
    const rig = coreRig({ limits: { sidesPerSource: 2 } })
    rig.provider.script('stall')
    const side = await rig.open('s1')
    await rig.open('s2')
    await rig.ask(side, 't1')
    const go = rig.provider.hold('cancel')
    const hiding = rig.controller.close(side, { keepForMs: 8_000 })
    const reopened = codeOf(rig.controller.reopen(side))
    await settle()
    await rig.open('s3')
    go()
    await hiding
    expect(await reopened).toBe('limit_reached')
    await settle()
    expect(rig.controller.list('w', 'parent-1').map((one) => one.identity.sideSessionId)).toEqual(['s2', 's3'])
    expect(rig.provider.children()).toHaveLength(2)
    expect(await codeOf(rig.controller.reopen(side))).toBe('expired')
  })
})

describe('children that do not go', () => {
  it('T8 tells the end of the side, owns the child, refuses its id, and retries until it is gone', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    rig.provider.fail('close', 3)
    expect(await rig.controller.close(side)).toEqual({ found: true, hidden: false, cleanupPending: true })
    expect(rig.life(side)).toEqual(['ready', 'closing', 'closed'])
    expect(await codeOf(rig.controller.open(rig.command('s1', { side: identity('s1', undefined, 'again') })))).toBe(
      'in_progress',
    )
    expect(await rig.controller.close(side)).toMatchObject({ found: false, cleanupPending: true })
    await rig.clock.advance(14_999)
    expect(rig.provider.children()).toHaveLength(1)
    await rig.clock.advance(1)
    expect(rig.provider.children()).toEqual([])
    expect(rig.reports.map((one) => one.kind)).toEqual([
      'cleanup_failed',
      'cleanup_failed',
      'cleanup_failed',
      'cleanup_done',
    ])
    expect(rig.reports.at(-1)).toMatchObject({ identity: side, providerSessionId: 'child-1', attempts: 3 })
    expect(rig.clock.pending()).toBe(0)
    expect(await codeOf(rig.open('s1'))).toBe('resolved')
  })

  it('T8 tries one child per pass, the one that waited longest first, however many there are', async () => {
    const rig = coreRig({ limits: { sidesPerSource: 100, sidesPerHost: 100 } })
    rig.provider.fail('close', 40)
    for (let index = 0; index < 40; index += 1) await rig.controller.close(await rig.open(`s${index}`))
    const before = rig.provider.calls.length
    await rig.clock.advance(5_000)
    expect(rig.provider.calls.slice(before)).toEqual(['close s0'])
    await rig.controller.sweep()
    expect(rig.provider.calls.slice(before)).toEqual(['close s0', 'close s1'])
    expect(rig.provider.children()).toHaveLength(38)
    await rig.clock.advance(38 * 5_000)
    expect(rig.provider.children()).toEqual([])
  })

  it('T8 puts a child that failed again behind the others', async () => {
    const rig = coreRig()
    const sides = [await rig.open('s1'), await rig.open('s2')]
    rig.provider.fail('close', 3)
    for (const side of sides) await rig.controller.close(side)
    const before = rig.provider.calls.length
    await rig.clock.advance(10_000)
    expect(rig.provider.calls.slice(before)).toEqual(['close s1', 'close s2'])
  })

  it('T8 gives a close that hangs five seconds, and takes its late success', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const go = rig.provider.hold('close')
    const closing = rig.controller.close(side)
    await rig.clock.advance(5_000)
    expect(await closing).toMatchObject({ cleanupPending: true })
    go()
    await settle()
    expect(rig.provider.children()).toEqual([])
    expect(rig.reports.map((one) => one.kind)).toEqual(['cleanup_failed', 'cleanup_done'])
    await rig.clock.advance(60_000)
    expect(rig.provider.calls).toEqual(['open s1', 'close s1'])
  })

  it('T8 does not count children that wait for cleanup as open sides', async () => {
    const rig = coreRig({ limits: { sidesPerSource: 1 } })
    rig.provider.fail('close', 1)
    await rig.controller.close(await rig.open('s1'))
    expect(await codeOf(rig.open('s2'))).toBe('resolved')
  })
})

describe('stopping the host', () => {
  it('T8 closes everything, tries once more what failed, and says what is left', async () => {
    const rig = coreRig()
    for (const id of ['s1', 's2', 's3']) await rig.open(id)
    await rig.controller.close(identity('s3'), { keepForMs: 8_000 })
    rig.provider.fail('close', 1)
    expect(await rig.controller.shutdown()).toEqual([])
    expect(rig.provider.children()).toEqual([])
    expect(rig.clock.pending()).toBe(0)
    expect(rig.life(identity('s1')).at(-1)).toBe('closed')
    expect(await codeOf(rig.open('s4'))).toBe('stream_unavailable')
  })

  it('T8 stops the timer of the sweeper', async () => {
    const rig = coreRig()
    rig.provider.fail('close', 100)
    await rig.controller.close(await rig.open('s1'))
    expect(rig.clock.pending()).toBe(1)
    await rig.controller.shutdown()
    expect(rig.clock.pending()).toBe(0)
  })

  it('T8 names the children that could not be closed', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    rig.provider.fail('close', 100)
    expect(await rig.controller.shutdown()).toEqual([side])
    expect(rig.provider.calls).toEqual(['open s1', 'close s1', 'close s1'])
    expect(rig.clock.pending()).toBe(0)
  })

  it('T8 takes at most 15 seconds, whatever hangs', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    for (const verb of ['cancel', 'close', 'open'] as const) rig.provider.hold(verb)
    const opening = codeOf(rig.open('s2'))
    await settle()
    let left: unknown
    void rig.controller.shutdown().then((value) => (left = value))
    await rig.clock.advance(15_000)
    expect(left).toEqual([side, identity('s2')])
    expect(await opening).toBe('stream_unavailable')
  })

  it('T8 stops once, however often it is asked', async () => {
    const rig = coreRig()
    await rig.open('s1')
    await Promise.all([rig.controller.shutdown(), rig.controller.shutdown()])
    await rig.controller.shutdown()
    expect(rig.provider.calls).toEqual(['open s1', 'close s1'])
  })
})

describe('losing the provider or the source', () => {
  it('T9 expires every side at once with an event, keeps what was written and never resumes one', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    const [a, b] = [await rig.open('a'), await rig.open('b')]
    await rig.ask(a, 't1')
    await rig.clock.advance(100)
    rig.controller.providerLost()
    for (const side of [a, b]) {
      expect(rig.life(side)).toEqual(['ready', 'expired provider_lost'])
      expect(await codeOf(rig.ask(side, 't2'))).toBe('expired')
    }
    expect(rig.transcript(a)).toMatchObject({
      lifecycle: 'expired',
      reason: 'provider_lost',
      turns: [{ outcome: 'interrupted', items: [{ text: expect.stringContaining('word0') }] }],
    })
    await settle()
    expect(await codeOf(rig.open('a'))).toBe('expired')
    expect(rig.provider.calls.filter((call) => call.startsWith('open'))).toEqual(['open a', 'open b'])
    expect(rig.controller.list('w', 'parent-1')).toEqual([])
  })

  it('T9 fails an open in flight', async () => {
    const rig = coreRig()
    rig.provider.hold('open')
    const code = codeOf(rig.open('s1'))
    await settle()
    rig.controller.providerLost()
    expect(await code).toBe('provider_error')
    expect(rig.envelopes).toEqual([])
  })

  it('T9 expires the one side whose child was lost, and no other', async () => {
    const rig = coreRig()
    const [a, b] = [await rig.open('a'), await rig.open('b')]
    rig.provider.lose('a')
    expect(rig.life(a)).toEqual(['ready', 'expired provider_lost'])
    expect(rig.life(b)).toEqual(['ready'])
    expect(await codeOf(rig.ask(b, 't1'))).toBe('resolved')
  })

  it('T9 tells one end when the provider is lost while a side closes', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const go = rig.provider.hold('close')
    const closing = rig.controller.close(side)
    await settle()
    rig.controller.providerLost()
    go()
    await closing
    await settle()
    expect(rig.life(side)).toEqual(['ready', 'closing', 'expired provider_lost'])
    expect(rig.provider.calls).toEqual(['open s1', 'close s1'])
  })

  it('E2 ends a side that its consumer found broken, remotely too', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.controller.expire(side, 'sequence_gap')
    expect(rig.life(side)).toEqual(['ready', 'expired sequence_gap'])
    expect(rig.provider.children()).toEqual([])
    await rig.controller.expire(side, 'identity_mismatch')
    expect(rig.life(side)).toHaveLength(2)
  })

  it('I6 ends the sides of a source that is gone, and only those', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const hidden = await rig.open('s2')
    await rig.controller.close(hidden, { keepForMs: 8_000 })
    const other = await rig.open('o1', { source: rig.provider.source({ sessionId: 'parent-2' }) })
    await rig.controller.sourceClosed('w', 'parent-1')
    expect(rig.life(side)).toEqual(['ready', 'expired source_gone'])
    expect(rig.life(hidden)).toEqual(['ready', 'expired source_gone'])
    expect(rig.life(other)).toEqual(['ready'])
    expect(rig.provider.children()).toHaveLength(1)
    expect(await codeOf(rig.open('s3'))).toBe('resolved')
  })
})
