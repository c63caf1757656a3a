import { describe, expect, it } from 'vitest'
import { NO_CAPABILITIES, type SideEvent } from '../../src/core/contract.ts'
import { ALL_CAPABILITIES, delta, turnPatch } from '../providers/fake.ts'
import { deferred, settle } from './clock.ts'
import { codeOf, coreRig, identity } from './rig.ts'

const early = (count: number): SideEvent[] =>
  Array.from({ length: count }, (_, index) => delta('t0', 'text', `${index} `))

describe('what a source can host', () => {
  it('P1 refuses a source whose runtime lacks one capability, without forking it', async () => {
    for (const missing of Object.keys(ALL_CAPABILITIES)) {
      const rig = coreRig()
      rig.provider.faults.capabilities = { ...ALL_CAPABILITIES, [missing]: false }
      expect(await codeOf(rig.open('s1')), missing).toBe('unsupported')
      expect(rig.provider.calls).toEqual([])
    }
  })

  it('P1 takes the capabilities of the open result for those of the side', async () => {
    const rig = coreRig()
    expect((await rig.controller.open(rig.command('s1'))).capabilities).toEqual(ALL_CAPABILITIES)
  })

  it('P2 answers all false when the provider cannot tell, and for a source that is a side itself', async () => {
    const rig = coreRig()
    const receipt = await rig.controller.open(rig.command('s1'))
    for (const sessionId of ['s1', receipt.providerSessionId]) {
      expect(await rig.controller.capabilities(rig.provider.source({ sessionId }))).toEqual(NO_CAPABILITIES)
      expect(await codeOf(rig.open('s2', { source: rig.provider.source({ sessionId }) }))).toBe('unsupported')
    }
    const broken = coreRig()
    broken.provider.capabilities = () => Promise.reject(new Error('no such method'))
    expect(await broken.controller.capabilities(broken.provider.source())).toEqual(NO_CAPABILITIES)
  })
})

describe('opening', () => {
  it('O1 refuses empty ids, a side that is its own source, and a source other than the captured one', async () => {
    const rig = coreRig()
    for (const field of ['workspaceId', 'sourceSessionId', 'sideSessionId', 'requestId'] as const) {
      const side = { ...identity('s1'), [field]: ' \t' }
      expect(await codeOf(rig.controller.open(rig.command('s1', { side }))), field).toBe('invalid_request')
    }
    expect(await codeOf(rig.open('parent-1'))).toBe('invalid_request')
    expect(
      await codeOf(rig.controller.open(rig.command('s1', { side: { ...identity('s1'), sourceSessionId: 'other' } }))),
    ).toBe('invalid_request')
    expect(rig.provider.calls).toEqual([])
  })

  it('O2 answers the same Side again without the provider, and a conflict to another request or source', async () => {
    const rig = coreRig()
    const first = await rig.controller.open(rig.command('s1'))
    expect(await rig.controller.open(rig.command('s1'))).toEqual(first)
    expect(await codeOf(rig.controller.open(rig.command('s1', { side: identity('s1', undefined, 'again') })))).toBe(
      'conflict',
    )
    expect(await codeOf(rig.open('s1', { source: rig.provider.source({ sessionId: 'parent-2' }) }))).toBe('conflict')
    expect(rig.provider.calls).toEqual(['open s1'])
    expect(rig.provider.children()).toHaveLength(1)
  })

  it('O2 keeps ids of two workspaces apart', async () => {
    const rig = coreRig()
    await rig.open('s1')
    expect(await codeOf(rig.open('s1', { source: rig.provider.source({ workspaceId: 'v' }) }))).toBe('resolved')
    expect(rig.provider.children()).toHaveLength(2)
  })

  it('O2 joins an open in flight, and a joiner that gives up does not fail the first', async () => {
    const rig = coreRig()
    const go = rig.provider.hold('open')
    const first = rig.controller.open(rig.command('s1'))
    const abort = new AbortController()
    const joined = rig.controller.open(rig.command('s1'))
    const impatient = codeOf(rig.controller.open(rig.command('s1', { signal: abort.signal })))
    const other = codeOf(rig.controller.open(rig.command('s1', { side: identity('s1', undefined, 'again') })))
    await settle()
    abort.abort()
    expect(await impatient).toBe('expired')
    expect(await other).toBe('conflict')
    go()
    expect(await joined).toEqual(await first)
    expect(rig.provider.calls).toEqual(['open s1'])
  })

  it('O3 refuses an id that names a canonical session before it asks the provider', async () => {
    const rig = coreRig({ isCanonical: async (workspaceId, id) => workspaceId === 'w' && id === 's1' })
    expect(await codeOf(rig.open('s1'))).toBe('conflict')
    expect(rig.provider.calls).toEqual([])
    expect(await codeOf(rig.open('s2'))).toBe('resolved')
  })

  it('O4 lets the closing of the source wait for an open in flight, and then ends that side', async () => {
    const rig = coreRig()
    const go = rig.provider.hold('open')
    const opened = rig.controller.open(rig.command('s1'))
    await settle()
    let closed = false
    const closing = rig.controller.sourceClosed('w', 'parent-1').then(() => (closed = true))
    await settle()
    expect(closed).toBe(false)
    go()
    await opened
    await closing
    expect(rig.provider.children()).toEqual([])
    expect(rig.life(identity('s1'))).toEqual(['ready', 'expired source_gone'])
    expect(rig.controller.list('w', 'parent-1')).toEqual([])
  })

  it('O4 fails opens that still waited for their turn when their source went', async () => {
    const rig = coreRig()
    const go = rig.provider.hold('open')
    const first = rig.controller.open(rig.command('s1'))
    const second = codeOf(rig.open('s2'))
    await settle()
    const closing = rig.controller.sourceClosed('w', 'parent-1')
    go()
    await first
    await closing
    expect(await second).toBe('expired')
    expect(rig.provider.calls).toEqual(['open s1', 'close s1'])
  })

  it('O4 lets the closing of an opening side wait, and leaves no ghost', async () => {
    const rig = coreRig()
    const go = rig.provider.hold('open')
    const opened = rig.controller.open(rig.command('s1'))
    const closing = rig.controller.close(identity('s1'))
    await settle()
    expect(rig.provider.calls).toEqual(['open s1'])
    go()
    await opened
    expect(await closing).toEqual({ found: true, hidden: false, cleanupPending: false })
    expect(rig.provider.children()).toEqual([])
    expect(rig.controller.find('w', 's1')).toBeUndefined()
  })

  it('O4 opens and closes across two sources in opposite order without a deadlock', async () => {
    const rig = coreRig()
    const a = rig.provider.source({ sessionId: 'a' })
    const b = rig.provider.source({ sessionId: 'b' })
    const all = Promise.all(
      [
        rig.open('z', { source: a }),
        rig.open('a1', { source: b }),
        rig.open('y', { source: b }),
        rig.open('b1', { source: a }),
        rig.controller.sourceClosed('w', 'b'),
        rig.controller.sourceClosed('w', 'a'),
      ].map((one) => one.catch(() => undefined)),
    )
    await settle()
    await all
    await settle()
    expect(rig.provider.children()).toEqual([])
  })

  it('O5 knows the side before the provider is called and publishes nothing before it is open', async () => {
    const rig = coreRig()
    rig.provider.faults.early = early(3)
    const go = rig.provider.hold('open')
    const opened = rig.controller.open(rig.command('s1'))
    await settle()
    expect(rig.provider.calls).toEqual(['open s1'])
    expect(await codeOf(rig.ask(identity('s1'), 't1'))).toBe('in_progress')
    expect(rig.controller.touch(identity('s1'), true)).toBe(true)
    expect(rig.envelopes).toEqual([])
    go()
    await opened
    expect(rig.envelopes.map((one) => one.sequence)).toEqual([1, 2, 3, 4])
  })

  it('O5 says that a side is on its way while it still waits for another one', async () => {
    const rig = coreRig()
    const go = rig.provider.hold('open')
    const first = rig.open('s1')
    const second = rig.open('s2')
    await settle()
    expect(rig.provider.calls).toEqual(['open s1'])
    expect(await codeOf(rig.ask(identity('s2'), 't1'))).toBe('in_progress')
    expect(rig.controller.touch(identity('s2'), true)).toBe(true)
    expect(await codeOf(rig.ask(identity('s2', undefined, 'other'), 't1'))).toBe('expired')
    go()
    await Promise.all([first, second])
  })

  it('O6 lets a listener send the first question from the event that the side started', async () => {
    const rig = coreRig()
    let sent: Promise<unknown> | undefined
    rig.controller.subscribe((one) => {
      if (one.sequence === 1) sent = codeOf(rig.ask(identity('s1'), 't1'))
    })
    await rig.open('s1')
    expect(await sent).toBe('resolved')
  })

  it('O5 keeps as many early events as fit, and fails the open at one more', async () => {
    const full = coreRig()
    full.provider.faults.early = early(1_000)
    const receipt = await full.controller.open(full.command('s1'))
    expect(receipt.sequence).toBe(1_001)

    const over = coreRig()
    over.provider.faults.early = early(1_001)
    expect(await codeOf(over.open('s1'))).toBe('provider_error')
    await settle()
    expect(over.envelopes).toEqual([])
    expect(over.provider.children()).toEqual([])
  })

  it('O6 publishes that the side started, then what came early, then what listeners cause meanwhile', async () => {
    const rig = coreRig()
    rig.provider.faults.early = early(2)
    const seen: string[] = []
    rig.controller.subscribe((one) => {
      seen.push(one.eventType === 'message_delta' ? one.data.content.text : 'started')
      if (one.sequence === 1) rig.provider.sink('s1').event(delta('t0', 'text', 'caused '))
    })
    await rig.open('s1')
    rig.provider.sink('s1').event(delta('t0', 'text', 'later '))
    expect(seen).toEqual(['started', '0 ', '1 ', 'caused ', 'later '])
    expect(rig.life(identity('s1'))).toEqual(['ready'])
  })

  it('E6 applies events that arrived before the open returned, and the receipt carries their sequence', async () => {
    const rig = coreRig()
    rig.provider.faults.early = [...early(2), turnPatch('t0', 'running')]
    const receipt = await rig.controller.open(rig.command('s1'))
    expect(receipt.sequence).toBe(4)
    expect(rig.transcript(receipt.identity).turns[0]?.items).toMatchObject([{ text: '0 1 ' }])
  })

  it('O7 publishes and lists nothing of an open that failed, and the id is free again', async () => {
    const rig = coreRig()
    rig.provider.faults.early = early(3)
    rig.provider.fail('open', 1)
    expect(await codeOf(rig.open('s1'))).toBe('provider_error')
    expect(rig.envelopes).toEqual([])
    expect(rig.controller.list('w', 'parent-1')).toEqual([])
    rig.provider.sink('s1').event(delta('t0', 'text', 'ghost'))
    rig.provider.sink('s1').lost('provider_lost')
    expect(rig.envelopes).toEqual([])
    expect(await codeOf(rig.open('s1'))).toBe('resolved')
    expect(rig.clock.pending()).toBe(1)
  })

  it('O8 fails on a wrong identity and never passes it to close', async () => {
    const wrong = [
      { sideSessionId: 'other' },
      { sourceSessionId: 'other' },
      { providerSessionId: 'parent-1' },
      { providerSessionId: ' ' },
    ]
    for (const result of wrong) {
      const rig = coreRig()
      rig.provider.faults.result = result
      expect(await codeOf(rig.open('s1')), JSON.stringify(result)).toBe('provider_error')
      await rig.controller.shutdown()
      expect(rig.provider.calls).toEqual(['open s1'])
      expect(rig.reports).toMatchObject([{ kind: 'wrong_identity' }])
      expect(rig.envelopes).toEqual([])
    }
  })

  it('O8 does not take the child of another side for its own', async () => {
    const rig = coreRig()
    rig.provider.faults.result = { providerSessionId: 'child-x' }
    const first = await rig.open('s1')
    expect(await codeOf(rig.open('s2'))).toBe('provider_error')
    expect(rig.provider.calls).toEqual(['open s1', 'open s2'])
    expect(rig.controller.find('w', 's1')?.identity).toEqual(first)
  })

  it('O8 closes a verified child that is weaker than a side', async () => {
    const rig = coreRig()
    rig.provider.faults.openCapabilities = { ...ALL_CAPABILITIES, ephemeral: false }
    expect(await codeOf(rig.open('s1'))).toBe('unsupported')
    expect(rig.provider.calls).toEqual(['open s1', 'close s1'])
    expect(rig.provider.children()).toEqual([])
    expect(rig.envelopes).toEqual([])
  })

  it('O9 leaves the source and its running turn alone', async () => {
    const rig = coreRig()
    const before = [...rig.provider.parent.log]
    const side = await rig.open('s1')
    await rig.ask(side, 't1')
    await rig.clock.advance(1_000)
    await rig.controller.close(side)
    expect(rig.provider.parent).toEqual({ sessionId: 'parent-1', log: before, turnRuns: true })
  })

  it('O10 gives up after its deadline and tells the provider', async () => {
    const rig = coreRig({ limits: { openTimeoutMs: 5_000 } })
    rig.provider.hold('open')
    let signal: AbortSignal | undefined
    const { open } = rig.provider
    rig.provider.open = (request, sink) => ((signal = request.signal), open(request, sink))
    const code = codeOf(rig.open('s1'))
    await rig.clock.advance(4_999)
    expect(signal?.aborted).toBe(false)
    await rig.clock.advance(1)
    expect(await code).toBe('provider_error')
    expect(signal?.aborted).toBe(true)
  })

  it('O10 counts waiting for a lock as part of the deadline', async () => {
    const rig = coreRig({ limits: { openTimeoutMs: 1_000 } })
    const side = await rig.open('s1')
    const go = rig.provider.hold('close')
    const closing = rig.controller.close(side)
    await settle()
    const code = codeOf(rig.controller.open(rig.command('s1', { side: identity('s1', undefined, 'again') })))
    await rig.clock.advance(1_000)
    expect(await code).toBe('provider_error')
    go()
    expect(await closing).toMatchObject({ cleanupPending: false })
    expect(rig.provider.calls).toEqual(['open s1', 'close s1'])
  })

  it('O10 follows the signal of its caller, also one that was aborted before', async () => {
    const rig = coreRig()
    expect(await codeOf(rig.open('s0', { signal: AbortSignal.abort() }))).toBe('expired')
    expect(rig.provider.calls).toEqual([])
    const go = rig.provider.hold('open')
    const abort = new AbortController()
    const code = codeOf(rig.open('s1', { signal: abort.signal }))
    await settle()
    abort.abort()
    expect(await code).toBe('expired')
    go()
    await settle()
    expect(rig.provider.children()).toEqual([])
    expect(await codeOf(rig.open('s1'))).toBe('resolved')
  })

  it('P4 closes a child that arrives after its open was given up, and refuses the id until then', async () => {
    const rig = coreRig({ limits: { openTimeoutMs: 1_000 } })
    rig.provider.faults.lateOpen = true
    const go = rig.provider.hold('open')
    const code = codeOf(rig.open('s1'))
    await rig.clock.advance(1_000)
    expect(await code).toBe('provider_error')
    expect(await codeOf(rig.open('s1'))).toBe('in_progress')
    go()
    await settle()
    expect(rig.provider.calls).toEqual(['open s1', 'close s1'])
    expect(rig.provider.children()).toEqual([])
    expect(rig.envelopes).toEqual([])
    expect(await codeOf(rig.open('s1'))).toBe('resolved')
  })

  it('P4 does not close a late child that is not ours', async () => {
    const rig = coreRig({ limits: { openTimeoutMs: 1_000 } })
    rig.provider.faults.lateOpen = true
    rig.provider.faults.result = { providerSessionId: 'parent-1' }
    const go = rig.provider.hold('open')
    const code = codeOf(rig.open('s1'))
    await rig.clock.advance(1_000)
    await code
    go()
    await settle()
    expect(rig.provider.calls).toEqual(['open s1'])
    expect(rig.reports).toMatchObject([{ kind: 'wrong_identity' }])
  })

  it('P4 survives a late result that is none', async () => {
    const rig = coreRig({ limits: { openTimeoutMs: 1_000 } })
    const late = deferred<never>()
    rig.provider.open = () => late.promise
    const code = codeOf(rig.open('s1'))
    await rig.clock.advance(1_000)
    expect(await code).toBe('provider_error')
    late.resolve(undefined as never)
    await settle()
    expect(rig.reports).toMatchObject([{ kind: 'detached_failed', step: 'late open' }])
    expect(await rig.controller.shutdown()).toEqual([])
  })

  it('O11 opens eight sides of one source and refuses the ninth; another source has its own eight', async () => {
    const rig = coreRig()
    for (let index = 0; index < 8; index += 1) await rig.open(`s${index}`)
    expect(await codeOf(rig.open('s8'))).toBe('limit_reached')
    const other = rig.provider.source({ sessionId: 'parent-2' })
    for (let index = 0; index < 8; index += 1) await rig.open(`o${index}`, { source: other })
    expect(await codeOf(rig.open('x', { source: rig.provider.source({ sessionId: 'parent-3' }) }))).toBe(
      'limit_reached',
    )
    await rig.controller.close(identity('s0'))
    expect(await codeOf(rig.open('s8'))).toBe('resolved')
    expect(rig.provider.children()).toHaveLength(16)
    const listed = rig.controller.list('w', 'parent-1').map((one) => one.identity.sideSessionId)
    expect(listed).toEqual(['s1', 's2', 's3', 's4', 's5', 's6', 's7', 's8'])
    expect(rig.controller.list('v', 'parent-1')).toEqual([])
  })

  it('O11 ends the hidden side that would end first when a new one needs its place', async () => {
    const rig = coreRig({ limits: { sidesPerSource: 2 } })
    const [first, second] = [await rig.open('s1'), await rig.open('s2')]
    await rig.controller.close(second, { keepForMs: 8_000 })
    await rig.clock.advance(10)
    await rig.controller.close(first, { keepForMs: 8_000 })
    await rig.open('s3')
    await settle()
    expect(rig.controller.find('w', 's2')).toBeUndefined()
    expect(rig.controller.find('w', 's1')?.phase).toBe('hidden')
    expect(rig.provider.children()).toHaveLength(2)
  })

  it('D8 lets four btw questions of one source answer at once', async () => {
    const rig = coreRig()
    for (let index = 0; index < 4; index += 1) await rig.ask(await rig.open(`b${index}`, { kind: 'btw' }), 't')
    expect(await codeOf(rig.open('b4', { kind: 'btw' }))).toBe('limit_reached')
    expect(await codeOf(rig.open('s1', { kind: 'side' }))).toBe('resolved')
    await rig.clock.advance(1_000)
    const fifth = await rig.open('b4', { kind: 'btw' })
    await rig.ask(fifth, 't')
    for (let index = 0; index < 3; index += 1) await rig.ask(identity(`b${index}`), 't2')
    expect(await codeOf(rig.ask(identity('b3'), 't2'))).toBe('limit_reached')
  })

  it('D8 counts btw questions that were opened and not sent yet', async () => {
    const rig = coreRig()
    for (let index = 0; index < 4; index += 1) await rig.open(`b${index}`, { kind: 'btw' })
    expect(await codeOf(rig.open('b4', { kind: 'btw' }))).toBe('limit_reached')
  })

  it('D9 hands the route of a side to the provider, and none when it has none', async () => {
    const rig = coreRig()
    const seen: unknown[] = []
    const { open } = rig.provider
    rig.provider.open = (request, sink) => {
      seen.push(request.route)
      return open(request, sink)
    }
    const route = { provider: 'p', model: 'm', effort: 'low' }
    await rig.open('s1', { route })
    await rig.open('s2')
    expect(seen).toEqual([route, undefined])
  })

  it('tells each side its own boundary', async () => {
    const rig = coreRig({
      brief: ({ kind, source, identity: side }) => `${kind} of ${source.sessionId} for ${side.sideSessionId}`,
    })
    await rig.ask(await rig.open('s1', { kind: 'btw' }), 't1', 'why?')
    expect(rig.provider.requests).toEqual(['btw of parent-1 for s1\nwhy?'])
  })
})
