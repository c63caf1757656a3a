import { describe, expect, it } from 'vitest'
import type { Envelope } from '../../src/core/contract.ts'
import { takeIn, type IntakeCursor } from '../../src/core/intake.ts'
import { SCOPE_DOORS } from '../../src/core/scope.ts'
import { delta } from '../providers/fake.ts'
import { settle } from './clock.ts'
import { coreRig, identity } from './rig.ts'

const event = (sequence: number, overrides: Partial<Envelope> = {}): Envelope =>
  ({ ...delta('t1', 'text', 'x'), ...identity('s1'), sequence, ...overrides }) as Envelope

describe('publishing', () => {
  it('E1 numbers the events of each side from 1 without a gap', async () => {
    const rig = coreRig()
    const sides = [await rig.open('a'), await rig.open('b')]
    for (const side of sides) await rig.ask(side, 't1')
    await rig.clock.advance(1_000)
    for (const side of sides) await rig.controller.close(side)
    for (const side of sides) {
      const sequences = rig.of(side).map((one) => one.sequence)
      expect(sequences).toEqual(sequences.map((_, index) => index + 1))
      expect(sequences.length).toBeGreaterThan(8)
    }
  })

  it('E1 counts published events only: what a provider says about the life of a side is not passed on', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    rig.provider.sink('s1').event({ eventType: 'state_patch', data: { lifecycleStatus: 'closed' } })
    rig.provider.sink('s1').event({
      eventType: 'state_patch',
      data: { lifecycleStatus: 'expired', reason: 'provider_lost', turn: { turnId: 't9', phase: 'running' } },
    })
    rig.provider.sink('s1').event(delta('t1', 'text', 'x'))
    expect(rig.of(side).map((one) => one.sequence)).toEqual([1, 2, 3])
    expect(rig.life(side)).toEqual(['ready'])
  })

  it('E4 carries source, side and workspace on every event, and reaches only who subscribed', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const before = [...rig.provider.parent.log]
    await rig.ask(side, 't1')
    await rig.clock.advance(1_000)
    for (const one of rig.envelopes)
      expect(one).toMatchObject({ workspaceId: 'w', sourceSessionId: 'parent-1', sideSessionId: 's1' })
    expect(rig.provider.parent.log).toEqual(before)
  })

  it('serves the other listeners when one throws, in the same order for all', async () => {
    const rig = coreRig()
    const seen: number[] = []
    let nested = false
    rig.controller.subscribe(() => {
      throw new Error('a bad listener')
    })
    rig.controller.subscribe(() => {
      if (nested) return
      nested = true
      rig.provider.sink('s1').event(delta('t1', 'text', 'x'))
      rig.provider.sink('s1').event(delta('t1', 'text', 'y'))
    })
    const undo = rig.controller.subscribe((one) => seen.push(one.sequence))
    await rig.open('s1')
    expect(seen).toEqual([1, 2, 3])
    expect(rig.reports.filter((one) => one.kind === 'listener_failed')).toHaveLength(3)
    undo()
    rig.provider.sink('s1').event(delta('t1', 'text', 'z'))
    expect(seen).toEqual([1, 2, 3])
  })

  it('delivers what a listener causes after what it is listening to, to everybody', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const seen: string[] = []
    rig.controller.subscribe((one) => {
      seen.push(`a${one.sequence}`)
      if (one.sequence === 2) rig.provider.sink('s1').event(delta('t1', 'text', 'y'))
    })
    const undo = rig.controller.subscribe(() => undo2())
    const undo2 = rig.controller.subscribe((one) => seen.push(`gone${one.sequence}`))
    rig.controller.subscribe((one) => seen.push(`b${one.sequence}`))
    rig.provider.sink('s1').event(delta('t1', 'text', 'x'))
    expect(seen).toEqual(['a2', 'b2', 'a3', 'b3'])
    undo()
    expect(rig.of(side)).toHaveLength(3)
  })

  it('reports an event that is none and goes on', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    rig.provider.sink('s1').event(undefined as never)
    rig.provider.sink('s1').event(delta('t1', 'text', 'x'))
    expect(rig.reports).toMatchObject([{ kind: 'detached_failed', step: 'event' }])
    expect(rig.of(side)).toHaveLength(2)
  })

  it('survives a receiver of reports that throws, and events that are none', async () => {
    const rig = coreRig({
      report: () => {
        throw new Error('no log')
      },
    })
    const side = await rig.open('s1')
    rig.provider.fail('close', 1)
    rig.provider.sink('s1').event(undefined as never)
    await rig.controller.close(side)
    await rig.clock.advance(5_000)
    expect(rig.provider.children()).toEqual([])
  })
})

describe('taking in', () => {
  const start: IntakeCursor = { side: identity('s1'), last: 0, ended: false }

  it('E2 applies what is next and ignores what it has', () => {
    const first = takeIn(start, event(1))
    expect(first).toMatchObject({ verdict: 'apply', cursor: { last: 1 } })
    expect(takeIn(first.cursor, event(1)).verdict).toBe('ignore')
    expect(takeIn(first.cursor, event(0)).verdict).toBe('ignore')
    expect(takeIn(first.cursor, event(2))).toMatchObject({ verdict: 'apply', cursor: { last: 2 } })
  })

  it('E2 expires on a gap, a sequence that is no integer, and a wrong source; then ignores everything', () => {
    const broken = [
      [event(2), 'sequence_gap'],
      [event(1.5), 'sequence_gap'],
      [event(-0.5), 'sequence_gap'],
      [event(Number.NaN), 'sequence_gap'],
      [event(1, { sequence: '1' as never }), 'sequence_gap'],
      [event(1, { sourceSessionId: 'other' }), 'identity_mismatch'],
      [event(1, { workspaceId: 'other' }), 'identity_mismatch'],
    ] as const
    for (const [envelope, reason] of broken) {
      const intake = takeIn(start, envelope)
      expect(intake).toMatchObject({ verdict: 'expire', reason })
      expect(takeIn(intake.cursor, event(1)).verdict).toBe('ignore')
    }
  })

  it('E2 ignores other sides, and everything after the end', () => {
    expect(takeIn(start, event(7, { sideSessionId: 's2' }))).toEqual({ verdict: 'ignore', cursor: start })
    const end = takeIn(start, {
      ...identity('s1'),
      sequence: 1,
      eventType: 'state_patch',
      data: { lifecycleStatus: 'closed' },
    })
    expect(end.verdict).toBe('apply')
    expect(takeIn(end.cursor, event(2)).verdict).toBe('ignore')
  })
})

describe('what leaves sides alone', () => {
  it.each(SCOPE_DOORS)('T11 keeps %s away from a side and its child: opening, open, hidden and ended', async (door) => {
    const rig = coreRig()
    const { scope } = rig.controller
    const go = rig.provider.hold('open')
    const opening = rig.open('s1')
    await settle()
    expect(scope.allows(door, 's1')).toBe(false)
    go()
    const side = await opening
    const child = rig.controller.find('w', 's1')?.providerSessionId ?? ''
    const guarded = () => [scope.allows(door, 's1'), scope.allows(door, child)]
    expect(guarded()).toEqual([false, false])
    await rig.controller.close(side, { keepForMs: 8_000 })
    expect(guarded()).toEqual([false, false])
    await rig.clock.advance(8_000)
    expect(guarded()).toEqual([false, false])
    expect([scope.allows(door, 'parent-1'), scope.allows(door, 'anything')]).toEqual([true, true])
  })

  it('T11 remembers the last 1,024 ids, of sides and of children', async () => {
    const rig = coreRig()
    for (let index = 0; index < 513; index += 1) await rig.controller.close(await rig.open(`s${index}`))
    const allows = (id: string): boolean => rig.controller.scope.allows('title', id)
    expect(['s0', 'child-1', 's1', 'child-2', 's512', 'child-513'].map(allows)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })
})
