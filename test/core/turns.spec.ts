import { describe, expect, it } from 'vitest'
import type { SideEvent } from '../../src/core/contract.ts'
import { SideError } from '../../src/core/errors.ts'
import { delta, turnPatch } from '../providers/fake.ts'
import { deferred, settle } from './clock.ts'
import { codeOf, coreRig, identity } from './rig.ts'

const asking = async () => {
  const rig = coreRig()
  rig.provider.script('ask')
  const side = await rig.open('s1')
  await rig.ask(side, 't1')
  await rig.clock.advance(100)
  return { rig, side }
}

const answered = (requestId: string): SideEvent => ({
  eventType: 'state_patch',
  data: { interaction: { requestId, turnId: 't1', kind: 'question', status: 'answered', input: null } },
})

describe('whose side it is', () => {
  it('T1 answers expired to another source, request or id, and to a side that ended', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    const others = [
      { ...side, requestId: 'x' },
      { ...side, sourceSessionId: 'x' },
      { ...side, sideSessionId: 'x' },
      { ...side, workspaceId: 'x' },
    ]
    for (const other of others) {
      expect(await codeOf(rig.ask(other, 't2'))).toBe('expired')
      expect(await codeOf(rig.controller.cancel(other, 't1'))).toBe('expired')
      expect(await codeOf(rig.controller.respond(other, 't1', 'ask-1', {}))).toBe('expired')
      expect(await codeOf(rig.controller.reopen(other))).toBe('expired')
      expect(rig.controller.touch(other, true)).toBe(false)
      expect(await rig.controller.close(other)).toMatchObject({ found: false })
      await rig.controller.expire(other, 'sequence_gap')
    }
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1'])
    expect(rig.controller.find('w', 's1')).toMatchObject({ phase: 'answering', turnId: 't1' })
    await rig.controller.close(side)
    expect(await codeOf(rig.ask(side, 't2'))).toBe('expired')
  })

  it('T1 does not let the holder of an earlier side drive a later one of the same id', async () => {
    const rig = coreRig()
    const first = await rig.open('s1')
    await rig.controller.close(first)
    await rig.controller.open(rig.command('s1', { side: identity('s1', undefined, 'second') }))
    expect(await codeOf(rig.ask(first, 't1'))).toBe('expired')
    await rig.controller.close(first)
    expect(rig.provider.children()).toHaveLength(1)
  })

  it('T1 answers expired when the side ended while the provider took the turn', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const accepted = deferred()
    rig.provider.exec = () => accepted.promise
    const code = codeOf(rig.ask(side, 't1'))
    const expired = rig.controller.expire(side, 'stream_lost')
    accepted.resolve()
    expect(await code).toBe('expired')
    await expired
    expect(rig.life(side)).toEqual(['ready', 'expired stream_lost'])
  })
})

describe('sending', () => {
  it('T2 refuses a second turn before the provider hears of it, and takes it once the first settled', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    expect(await codeOf(rig.ask(side, 't2'))).toBe('turn_active')
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1'])
    await rig.clock.advance(1_000)
    expect(await codeOf(rig.ask(side, 't2'))).toBe('resolved')
  })

  it('T2 refuses a second turn also while the first is still on its way', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const go = rig.provider.hold('exec')
    const first = codeOf(rig.ask(side, 't1'))
    expect(await codeOf(rig.ask(side, 't2'))).toBe('turn_active')
    go()
    expect(await first).toBe('resolved')
  })

  it('T2 lets a listener send the next turn from the event that settles the last', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    let next: Promise<unknown> | undefined
    rig.controller.subscribe((one) => {
      if (one.eventType === 'state_patch' && one.data.turn?.phase === 'settled') next ??= rig.ask(side, 't2')
    })
    await rig.ask(side, 't1')
    await rig.clock.advance(1_000)
    await next
    expect(rig.transcript(side).turns.map((turn) => turn.outcome)).toEqual(['completed', 'completed'])
  })

  it('T3 answers the first receipt to a turn id again, also later and also while it is on its way', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const go = rig.provider.hold('exec')
    const [first, second] = [rig.ask(side, 't1'), rig.ask(side, 't1', 'something else')]
    go()
    expect(await second).toEqual(await first)
    await rig.clock.advance(1_000)
    await rig.ask(side, 't2')
    expect(await rig.ask(side, 't1')).toEqual(await first)
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1', 'exec s1 t2'])
  })

  it('T3 answers the first failure to a turn id again; the side stays usable', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    rig.provider.fail('exec', 1, new SideError('unsupported', 'no images'))
    expect(await codeOf(rig.ask(side, 't1'))).toBe('unsupported')
    expect(await codeOf(rig.ask(side, 't1'))).toBe('unsupported')
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1'])
    expect(rig.transcript(side).turns).toMatchObject([
      { turnId: 't1', outcome: 'failed', error: { code: 'unsupported', detail: 'no images' } },
    ])
    expect(await codeOf(rig.ask(side, 't2'))).toBe('resolved')
  })

  it('T3 does not count a turn that was refused before the provider heard of it', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    expect(await codeOf(rig.ask(side, 't2'))).toBe('turn_active')
    await rig.clock.advance(1_000)
    expect(await codeOf(rig.ask(side, 't2'))).toBe('resolved')
    expect(rig.provider.calls).toContain('exec s1 t2')
  })

  it('refuses an empty question, an empty id and more bytes than fit', async () => {
    const rig = coreRig({ limits: { questionBytes: 6 } })
    const side = await rig.open('s1')
    expect(await codeOf(rig.ask(side, 't1', ' \n\t'))).toBe('invalid_request')
    expect(await codeOf(rig.ask(side, ' ', 'why'))).toBe('invalid_request')
    expect(await codeOf(rig.ask(side, 't1', '为什么'))).toBe('invalid_request')
    expect(rig.envelopes).toHaveLength(1)
    expect(await codeOf(rig.ask(side, 't1', '为何'))).toBe('resolved')
  })
})

describe('stopping', () => {
  it('T4 cancels exactly the named turn: the provider first, then here', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    rig.provider.faults.silentCancel = true
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    await rig.clock.advance(100)
    const go = rig.provider.hold('cancel')
    const receipt = rig.controller.cancel(side, 't1')
    await settle()
    expect(rig.controller.find('w', 's1')?.phase).toBe('answering')
    go()
    expect(await receipt).toEqual({ canceled: true, targetAbsent: false })
    const [turn] = rig.transcript(side).turns
    expect(turn).toMatchObject({ phase: 'settled', outcome: 'canceled' })
    expect(turn?.items).toMatchObject([{ kind: 'text', text: expect.stringMatching(/^word0 word1/) }])
    expect(rig.controller.find('w', 's1')?.phase).toBe('idle')
  })

  it('T4 touches nothing when another turn is active or none is', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    expect(await rig.controller.cancel(side, 't1')).toEqual({ canceled: false, targetAbsent: true })
    await rig.ask(side, 't1')
    await rig.clock.advance(1_000)
    await rig.ask(side, 't2')
    expect(await rig.controller.cancel(side, 't1')).toEqual({ canceled: false, targetAbsent: true })
    expect(rig.provider.calls.filter((call) => call.startsWith('cancel'))).toEqual([])
    await rig.clock.advance(1_000)
    expect(rig.transcript(side).turns.map((turn) => turn.outcome)).toEqual(['completed', 'completed'])
  })

  it('T4 asks the provider once for two cancels of one turn', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    const both = await Promise.all([rig.controller.cancel(side, 't1'), rig.controller.cancel(side, 't1')])
    expect(both).toEqual([
      { canceled: true, targetAbsent: false },
      { canceled: true, targetAbsent: false },
    ])
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1', 'cancel s1 t1'])
  })

  it('T4 leaves the turn running when the provider could not stop it', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    rig.provider.fail('cancel', 1)
    expect(await codeOf(rig.controller.cancel(side, 't1'))).toBe('provider_error')
    expect(rig.controller.find('w', 's1')?.phase).toBe('answering')
    await rig.clock.advance(1_000)
    expect(rig.transcript(side).turns).toMatchObject([{ outcome: 'completed' }])
  })

  it('T4 does not overtake its own turn on the way, nor wait for it for ever', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const go = rig.provider.hold('exec')
    const sent = codeOf(rig.ask(side, 't1'))
    const receipt = rig.controller.cancel(side, 't1')
    await rig.clock.advance(2_999)
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1'])
    await rig.clock.advance(1)
    expect(await receipt).toEqual({ canceled: true, targetAbsent: false })
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1', 'cancel s1 t1'])
    go()
    expect(await sent).toBe('resolved')
  })

  it('T4 settles a turn once when it was stopped before the provider refused it', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const accepted = deferred()
    rig.provider.exec = () => accepted.promise
    const sent = codeOf(rig.ask(side, 't1'))
    const receipt = rig.controller.cancel(side, 't1')
    await rig.clock.advance(3_000)
    expect(await receipt).toEqual({ canceled: true, targetAbsent: false })
    // The fake knows of no such turn, so the controller settled it.
    expect(rig.settled(side)).toEqual(['t1 canceled'])
    accepted.reject(new Error('too late'))
    expect(await sent).toBe('provider_error')
    expect(rig.settled(side)).toEqual(['t1 canceled'])
  })

  it('T4 does not ask the provider to stop a turn that it refused', async () => {
    const rig = coreRig()
    const side = await rig.open('s1')
    const go = rig.provider.hold('exec')
    rig.provider.fail('exec', 1)
    const sent = codeOf(rig.ask(side, 't1'))
    const receipt = rig.controller.cancel(side, 't1')
    go()
    expect(await sent).toBe('provider_error')
    expect(await receipt).toEqual({ canceled: false, targetAbsent: true })
    expect(rig.provider.calls).toEqual(['open s1', 'exec s1 t1'])
  })

  it('T4 stopping one side never stops another', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    const [a, b] = [await rig.open('a'), await rig.open('b')]
    await rig.ask(a, 't1')
    await rig.ask(b, 't1')
    await rig.controller.cancel(a, 't1')
    await rig.clock.advance(2_000)
    expect(rig.transcript(a).turns).toMatchObject([{ outcome: 'canceled' }])
    expect(rig.transcript(b).turns).toMatchObject([{ outcome: 'completed' }])
  })
})

describe('prompts', () => {
  it('T5 names side, turn and request: an unknown one is not live', async () => {
    const { rig, side } = await asking()
    expect(await codeOf(rig.controller.respond(side, 't1', 'other', { decision: 'allow' }))).toBe(
      'interaction_not_live',
    )
    expect(await codeOf(rig.controller.respond(side, 't2', 'ask-1', { decision: 'allow' }))).toBe(
      'interaction_not_live',
    )
    expect(rig.provider.calls.filter((call) => call.startsWith('respond'))).toEqual([])
  })

  it('T5 answers a prompt once; the second answer is told so, before and after the event', async () => {
    const { rig, side } = await asking()
    const go = rig.provider.hold('respond')
    const first = codeOf(rig.controller.respond(side, 't1', 'ask-1', { decision: 'allow' }))
    expect(await codeOf(rig.controller.respond(side, 't1', 'ask-1', { decision: 'deny' }))).toBe('in_progress')
    go()
    expect(await first).toBe('resolved')
    expect(await codeOf(rig.controller.respond(side, 't1', 'ask-1', { decision: 'deny' }))).toBe(
      'interaction_already_answered',
    )
    await rig.clock.advance(1_000)
    expect(await codeOf(rig.controller.respond(side, 't1', 'ask-1', { decision: 'deny' }))).toBe(
      'interaction_already_answered',
    )
    expect(rig.provider.calls.filter((call) => call.startsWith('respond'))).toEqual(['respond s1 t1 ask-1'])
  })

  it('T5 refuses a malformed answer and keeps the prompt open for a right one', async () => {
    const { rig, side } = await asking()
    for (const response of [undefined, null, 'yes', 1, []]) {
      expect(await codeOf(rig.controller.respond(side, 't1', 'ask-1', response))).toBe('interaction_invalid_response')
    }
    expect(rig.provider.calls.filter((call) => call.startsWith('respond'))).toEqual([])
    // An object is judged by the provider.
    expect(await codeOf(rig.controller.respond(side, 't1', 'ask-1', {}))).toBe('interaction_invalid_response')
    expect(await codeOf(rig.controller.respond(side, 't1', 'ask-1', { decision: 'allow' }))).toBe('resolved')
  })

  it('T5 calls a prompt not live when its turn is over', async () => {
    const { rig, side } = await asking()
    await rig.controller.cancel(side, 't1')
    expect(await codeOf(rig.controller.respond(side, 't1', 'ask-1', { decision: 'allow' }))).toBe(
      'interaction_not_live',
    )
    expect(rig.provider.calls.filter((call) => call.startsWith('respond'))).toEqual([])
    expect(rig.transcript(side).turns[0]?.interactions).toMatchObject([{ status: 'gone' }])
  })

  it('T5 calls a prompt not live when the provider took it back, but never one that was answered', async () => {
    const { rig, side } = await asking()
    const told = (requestId: string, status: 'pending' | 'gone'): SideEvent => ({
      eventType: 'state_patch',
      data: { interaction: { requestId, turnId: 't1', kind: 'question', status, input: null } },
    })
    const sink = rig.provider.sink('s1')
    sink.event(told('q1', 'pending'))
    sink.event(told('q1', 'gone'))
    expect(await codeOf(rig.controller.respond(side, 't1', 'q1', {}))).toBe('interaction_not_live')
    sink.event(answered('q2'))
    sink.event(told('q2', 'gone'))
    sink.event(told('q2', 'pending'))
    expect(await codeOf(rig.controller.respond(side, 't1', 'q2', {}))).toBe('interaction_already_answered')
  })

  it('T5 remembers 1,024 answered prompts', async () => {
    const { rig, side } = await asking()
    for (let index = 0; index <= 1_024; index += 1) rig.provider.sink('s1').event(answered(`q${index}`))
    expect(await codeOf(rig.controller.respond(side, 't1', 'q0', {}))).toBe('interaction_not_live')
    expect(await codeOf(rig.controller.respond(side, 't1', 'q1', {}))).toBe('interaction_already_answered')
    expect(await codeOf(rig.controller.respond(side, 't1', 'q1024', {}))).toBe('interaction_already_answered')
  })

  it('T6 shows a prompt until the event says that it is answered', async () => {
    const { rig, side } = await asking()
    await rig.controller.respond(side, 't1', 'ask-1', { decision: 'allow' })
    expect(rig.transcript(side).turns[0]?.interactions).toMatchObject([{ status: 'pending' }])
    await rig.clock.advance(20)
    expect(rig.transcript(side).turns[0]?.interactions).toMatchObject([{ status: 'answered' }])
  })
})

describe('late events', () => {
  it('E3 an error of the first turn that arrives during the second changes the first only', async () => {
    const rig = coreRig()
    rig.provider.script('slow')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    await rig.clock.advance(100)
    await rig.controller.cancel(side, 't1')
    await rig.ask(side, 't2')
    const error = { code: 'provider_error', kind: 'connection', detail: 'reset' } as const
    rig.provider
      .sink('s1')
      .event({ eventType: 'state_patch', data: { turn: { turnId: 't1', phase: 'settled', outcome: 'failed', error } } })
    expect(rig.controller.find('w', 's1')).toMatchObject({ phase: 'answering', turnId: 't2' })
    await rig.clock.advance(2_000)
    expect(rig.transcript(side).turns).toMatchObject([
      { turnId: 't1', outcome: 'canceled', error },
      { turnId: 't2', outcome: 'completed' },
    ])
  })

  it('E3 text of the first turn that arrives during the second stays in the first', async () => {
    const rig = coreRig()
    rig.provider.script('stall')
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    await rig.clock.advance(100)
    await rig.controller.cancel(side, 't1')
    await rig.ask(side, 't2')
    await rig.clock.advance(100)
    rig.provider.sink('s1').event(delta('t1', 'text', 'late'))
    rig.provider.sink('s1').event(turnPatch('t1', 'running'))
    expect(rig.transcript(side).turns).toMatchObject([
      { items: [{ text: 'One late' }], phase: 'settled' },
      { items: [{ text: 'One ' }], phase: 'running' },
    ])
  })
})
