/** What the commands do over the core: ends that a client must hear of, and nothing that becomes a question by being late. */
import { describe, expect, it } from 'vitest'

import { registerCommands, type CommandHost, type CommandResult } from '../../src/commands/register.ts'
import { createSecrets } from '../../src/commands/secrets.ts'
import { DEFAULT_LIMITS, type Limits } from '../../src/core/limits.ts'
import { encodeControl, parseReply, type Control } from '../../src/wire/index.ts'
import { settle } from '../core/clock.ts'
import { coreRig } from '../core/rig.ts'

const FACTS = {
  from: 3,
  inheritedTurns: 2,
  mainTurn: 2,
  inheritedTokens: 1_000,
  scope: { kind: 'all' },
  smaller: null,
  window: null,
  liveDigest: false,
  forkedAt: 1,
  route: null,
  tools: [],
  toolSurface: 'restrict',
  ephemeral: true,
} as const
const secret = 'S'.repeat(43)

function rig(
  options: { refuse?: readonly string[]; beforeCapture?: () => Promise<void>; limits?: Partial<Limits> } = {},
) {
  const core = coreRig()
  const handlers = new Map<string, Parameters<CommandHost<string>['register']>[0]['handler']>()
  let ids = 0
  const undo = (): (() => void) =>
    registerCommands<string, ReturnType<typeof core.provider.source>>(
      {
        register({ name, handler }) {
          if (options.refuse?.includes(name)) throw new Error(`/${name} has an owner`)
          handlers.set(name, handler)
          return () => void handlers.delete(name)
        },
      },
      {
        controller: core.controller,
        secrets: createSecrets(),
        limits: () => ({ ...DEFAULT_LIMITS, ...options.limits }),
        clock: core.clock,
        capture: async () => {
          await options.beforeCapture?.()
          return core.provider.source()
        },
        facts: () => (options.limits === undefined ? undefined : FACTS),
        newId: () => `plain-${String((ids += 1)).padStart(4, '0')}`,
      },
    )
  const run = (rawInput: string, signal = new AbortController().signal): Promise<CommandResult> =>
    handlers.get('side')?.({ agent: 'parent-1', rawInput, signal }) ?? Promise.reject(new Error('no handler'))
  const say = (control: Control, signal?: AbortSignal): Promise<CommandResult> => run(encodeControl(control), signal)
  const open = (side: string, signal?: AbortSignal): Promise<CommandResult> =>
    say(
      {
        op: 'open',
        side,
        secret,
        request: `${side}-req`,
        turn: `${side}-turn`,
        kind: 'side',
        page: 'page-0001',
        text: 'why?',
      },
      signal,
    )
  return { ...core, handlers, undo, run, say, open }
}

describe('the facts of a side', () => {
  it.each([
    ['nothing of the windows where they are the usual ones', {}, undefined],
    ['a window that was configured', { undoMs: 2_000 }, { undoMs: 2_000 }],
    ['both of them', { undoMs: 0, parkedMs: 60_000 }, { undoMs: 0, parkedMs: 60_000 }],
  ])('hold %s', async (_what, limits, windows) => {
    const { undo, open, say } = rig({ limits })
    undo()
    await open('side-0001')
    const { text } = await say({ op: 'facts', side: 'side-0001', secret, page: 'page-0001' })
    expect((parseReply(text) as { windows?: object }).windows).toEqual(windows)
  })
})

describe('a control message that comes late', () => {
  it('is answered as late when its side was closed or expired, and asks nobody anything', async () => {
    const { undo, open, say, controller, provider, clock } = rig()
    undo()
    await open('side-0001')
    await open('side-0002')
    await say({ op: 'close', side: 'side-0001', secret, keep: 0 })
    await clock.advance(DEFAULT_LIMITS.lostClientMs)
    expect(controller.list('w', 'parent-1')).toEqual([])
    const asked = provider.calls.length
    for (const side of ['side-0001', 'side-0002']) {
      for (const late of [
        { op: 'touch', side, secret, visible: true },
        { op: 'facts', side, secret, page: 'page-0001' },
        { op: 'close', side, secret, keep: 0 },
        { op: 'send', side, secret, turn: 'turn-0009', text: 'more?' },
      ] as const)
        expect(await say(late)).toEqual({ kind: 'error', text: 'This side has ended. Start a new one. (expired)' })
    }
    expect(provider.calls.length).toBe(asked)
  })

  it('is answered as late when it speaks of another life of the host, whatever its secret', async () => {
    const { undo, open, say, controller, provider } = rig()
    undo()
    await open('side-0001')
    const asked = provider.calls.length
    for (const side of ['side-0001', 'side-from-before']) {
      const late = await say({ op: 'send', side, secret, turn: 'turn-0009', boot: 'another-life', text: 'more?' })
      expect(late.text).toMatch(/\(expired\)$/)
      const close = await say({ op: 'close', side, secret, boot: 'another-life', keep: 0 })
      expect(close.text).toMatch(/\(expired\)$/)
    }
    expect(controller.list('w', 'parent-1')).toHaveLength(1)
    expect(provider.calls.length).toBe(asked)
  })

  it('tells a page that holds through an ended side what ended', async () => {
    const { undo, open, say, clock } = rig()
    undo()
    await open('side-0001')
    await open('side-0002')
    await clock.advance(DEFAULT_LIMITS.lostClientMs)
    const held = await say({ op: 'hold', side: 'side-0002', secret, page: 'page-0001' })
    expect(parseReply(held.text)).toEqual({
      gone: [
        { side: 'side-0001', reason: 'client_lost' },
        { side: 'side-0002', reason: 'client_lost' },
      ],
    })
    const again = await say({ op: 'hold', side: 'side-0002', secret, page: 'page-0001' })
    expect(parseReply(again.text)).toEqual({ gone: [{ side: 'side-0002', reason: 'client_lost' }] })
  })
})

describe('an open that comes again', () => {
  it('is answered as late after its side ended, and asks nothing again', async () => {
    const { undo, open, say, controller, provider } = rig()
    undo()
    await open('side-0001')
    await say({ op: 'close', side: 'side-0001', secret, keep: 0 })
    const asked = provider.calls.length
    expect((await open('side-0001')).text).toMatch(/\(expired\)$/)
    expect(controller.list('w', 'parent-1')).toEqual([])
    expect(provider.calls.length).toBe(asked)
  })

  it('asks nothing again either when its side is closed at the same moment', async () => {
    const { undo, open, say, controller, provider } = rig({ beforeCapture: settle })
    undo()
    await open('side-0001')
    const again = open('side-0001')
    await say({ op: 'close', side: 'side-0001', secret, keep: 0 })
    expect((await again).text).toMatch(/\(expired\)$/)
    expect(controller.list('w', 'parent-1')).toEqual([])
    expect(provider.calls.filter((call) => call.startsWith('exec'))).toHaveLength(1)
  })
})

describe('an open that comes again while its side is being closed', () => {
  it('is answered as late, and leaves no child', async () => {
    const { undo, open, say, controller, provider } = rig()
    undo()
    await open('side-0001')
    const closing = say({ op: 'close', side: 'side-0001', secret, keep: 0 })
    const again = open('side-0001')
    expect((await closing).kind).toBe('success')
    expect((await again).text).toMatch(/\(expired\)$/)
    expect(controller.list('w', 'parent-1')).toEqual([])
    expect(provider.children()).toEqual([])
    expect(provider.calls.filter((call) => call.startsWith('exec'))).toHaveLength(1)
  })
})

describe('an open that nobody waits for any more', () => {
  it('leaves no side, although its child was made', async () => {
    const { undo, open, controller, provider } = rig()
    undo()
    const gone = new AbortController()
    const stop = controller.subscribe(({ eventType }) => {
      if (eventType === 'state_patch') gone.abort()
    })
    expect((await open('side-0001', gone.signal)).kind).toBe('error')
    stop()
    await settle()
    expect(controller.list('w', 'parent-1')).toEqual([])
    expect(provider.children()).toEqual([])
  })
})

describe('taking the commands back', () => {
  it('tells every page that holds', async () => {
    const { undo, open, say } = rig()
    const takeBack = undo()
    await open('side-0001')
    const held = say({ op: 'hold', side: 'side-0001', secret, page: 'page-0001' })
    await settle()
    takeBack()
    expect(parseReply((await held).text)).toEqual({ gone: [{ side: 'side-0001', reason: 'provider_lost' }] })
  })

  it('leaves none of them behind when the second has an owner already', () => {
    const { undo, handlers } = rig({ refuse: ['side', 'aside', 'sidemind-side'] })
    expect(undo).toThrow('/side has an owner')
    expect([...handlers.keys()]).toEqual([])
  })

  it('goes by another name when its own belongs to another plugin, and takes that back too', () => {
    const { undo, handlers } = rig({ refuse: ['btw', 'side', 'aside'] })
    const takeBack = undo()
    expect([...handlers.keys()]).toEqual(['sidebtw', 'sidemind-side'])
    takeBack()
    expect([...handlers.keys()]).toEqual([])
  })
})

describe('touch', () => {
  it('[K33] tells how long a side that is parked now has left, and nothing of one that is looked at', async () => {
    const { undo, open, say, clock } = rig()
    undo()
    await open('side-0001')
    await clock.advance(10_000)
    const touch = async (visible: boolean): Promise<unknown> => {
      const answer = await say({ op: 'touch', side: 'side-0001', secret, visible })
      return answer.kind === 'success' ? parseReply(answer.text) : answer
    }
    expect(await touch(true)).toEqual({})
    expect(await touch(false)).toEqual({ endsIn: DEFAULT_LIMITS.parkedMs })
    await clock.advance(30_000)
    expect(await touch(false)).toEqual({ endsIn: DEFAULT_LIMITS.parkedMs - 30_000 })
  })
})
