/** How a page drives its sides over the host's commands: what it says, what it never says, and what it remembers. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { decodeControl, replyToken, startToken, type Control, type StreamSignal } from '../../src/wire/index.ts'
import { newId } from '../../ui/data/ports.ts'
import type { FollowFrame } from '../../ui/dsh/old-follow.ts'
import type { ExecuteCommand } from '../../ui/dsh/seams.ts'
import { createDshTransport } from '../../ui/dsh/transport.ts'
import { CATALOG } from '../kit/fake-transport.ts'

const FACTS = {
  kind: 'side',
  boot: 'life-0001',
  from: 7,
  inheritedTurns: 1,
  inheritedTokens: 10,
  liveDigest: false,
  forkedAt: 0,
  route: null,
  tools: [],
  toolSurface: 'restrict',
  ephemeral: true,
}

type Answer = Awaited<ReturnType<ExecuteCommand>>

let live: Map<string, string>
/** The life of the host half; another one after a restart. */
let boot: string
/** What the host asked its model, because it took it for a question. */
let questions: number
let said: { readonly agent: string; readonly control: Control | null }[]
/** Per operation: what the host does instead of answering. */
let faults: Map<string, () => Answer | Promise<Answer>>
let holds: { readonly answer: (gone: readonly { side: string; reason: string }[]) => void }[]
let waits: { readonly ms: number; task: (() => void) | null }[]
let signals: StreamSignal[]
let stored: Map<string, string>
let memory: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>
let transport: ReturnType<typeof createDshTransport>
let left: (readonly [string, number])[]

const ok = (text: string): Answer => ({ ok: true, value: { result: { kind: 'success', text } } })
const lost = (): Promise<Answer> => Promise.reject(new Error('network'))

const execute: ExecuteCommand = async (agent, line, _images, signal) => {
  const control = decodeControl(line.replace(/^\/(btw|side)/, ''))
  said.push({ agent, control })
  if (control === null) throw new Error('a question')
  const answer = faults.get(control.op)
  if (answer !== undefined) return answer()
  if (control.boot !== undefined && control.boot !== boot)
    return { ok: true, value: { result: { kind: 'error', text: 'This side has ended. (expired)' } } }
  if (control.op === 'open') {
    live.set(control.side, control.secret)
    return ok(startToken(control.kind, control.side))
  }
  // A claim takes over what a plain command opened; anything else without the right secret is a question.
  if (control.op === 'claim') live.set(control.side, control.secret)
  else if (live.get(control.side) !== control.secret) {
    questions += 1
    return ok(startToken('side', 'ghost-0001'))
  }
  if (control.op === 'close' && control.keep === 0) live.delete(control.side)
  if (control.op === 'facts') return ok(replyToken(FACTS))
  if (control.op !== 'hold') return ok(replyToken({}))
  return new Promise((resolve, reject) => {
    holds.push({ answer: (gone) => resolve(ok(replyToken({ gone }))) })
    signal?.addEventListener('abort', () => reject(new Error('aborted')))
  })
}

async function* follow({ address }: { address: object }, signal?: AbortSignal): AsyncGenerator<FollowFrame> {
  const { childSessionId } = address as { childSessionId: string }
  if (!live.has(childSessionId)) throw Object.assign(new Error('gone'), { code: 'subagent/not-found' })
  yield { type: 'snapshot', cursor: -1, records: [], hasMore: false } as unknown as FollowFrame
  if (signal?.aborted !== true) await new Promise((resolve) => signal?.addEventListener('abort', resolve))
}

/** The page as it is right after it was loaded. */
function load(): void {
  left = []
  transport = createDshTransport({
    models: async () => CATALOG,
    onEndsIn: (sideId, ms) => left.push([sideId, ms]),
    execute: () => execute,
    follow: () => follow,
    memory,
    wait(ms, task) {
      const timer: (typeof waits)[number] = { ms, task }
      waits.push(timer)
      return () => (timer.task = null)
    },
  })
}

/** A page that is left: nothing of it runs on. */
function unload(): void {
  transport.dispose()
  waits = []
  holds = []
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

async function pass(ms: number): Promise<void> {
  for (const timer of [...waits]) {
    if (timer.ms > ms) continue
    const { task } = timer
    timer.task = null
    task?.()
    await settle()
  }
}

const main = { workspaceId: '', sessionId: 'main' }
const other = { workspaceId: '', sessionId: 'other' }

async function open(sideId: string, parent = main, signal = new AbortController().signal): Promise<void> {
  await transport.open({
    parent,
    kind: 'side',
    sideId,
    requestId: `${sideId}-req`,
    turnId: `${sideId}-turn`,
    content: [{ type: 'text', text: 'why?' }],
    signal,
  })
  await settle()
}

const ops = (side?: string): string[] =>
  said.flatMap(({ control }) => (control !== null && (side ?? control.side) === control.side ? [control.op] : []))

beforeEach(() => {
  live = new Map()
  boot = 'life-0001'
  questions = 0
  said = []
  faults = new Map()
  holds = []
  waits = []
  signals = []
  stored = new Map()
  memory = {
    getItem: (key) => stored.get(key) ?? null,
    setItem: (key, value) => void stored.set(key, value),
    removeItem: (key) => void stored.delete(key),
  }
  load()
})
afterEach(() => transport.dispose())

describe('an open of which the answer is lost', () => {
  it('is ended on the host, which would keep it as long as the page lives', async () => {
    await open('side-0001')
    faults.set('open', async () => {
      const control = said.at(-1)?.control
      if (control?.op === 'open') live.set(control.side, control.secret)
      return lost()
    })
    await expect(open('side-0002')).rejects.toThrow('stream_unavailable')
    await settle()
    expect([...live.keys()]).toEqual(['side-0001'])
  })

  it('is ended when only its facts are missing, and again when that fails', async () => {
    faults.set('facts', lost)
    faults.set('close', lost)
    await expect(open('side-0001')).rejects.toThrow('stream_unavailable')
    await settle()
    expect([...live.keys()]).toEqual(['side-0001'])
    faults.clear()
    await pass(2_000)
    expect([...live.keys()]).toEqual([])
    expect(stored.size).toBe(0)
  })

  it('says nothing to a host that never got it', async () => {
    faults.set('open', lost)
    await expect(open('side-0001')).rejects.toThrow('stream_unavailable')
    await settle()
    expect(ops()).toEqual(['open'])
  })
})

describe('a side on a host without a follow stream', () => {
  let dropped: number
  let early: unknown[]

  beforeEach(() => {
    dropped = 0
    early = []
    const heard = { listen: () => () => {}, drop: () => void (dropped += 1) }
    const old = (request: { address: object }, signal?: AbortSignal, since?: unknown) => {
      early.push(since)
      return follow(request, signal)
    }
    transport.dispose()
    transport = createDshTransport({
      execute: () => execute,
      follow: () => Object.assign(old, { expect: () => heard }),
      memory,
      models: async () => CATALOG,
      wait: () => () => {},
    })
  })

  it('is heard of since before it was opened, and followed from there once', async () => {
    await open('side-0001')
    const stop = transport.follow('side-0001', () => {})
    await settle()
    expect(early).toEqual([{ expected: expect.anything(), from: FACTS.from }])
    stop()
    transport.follow('side-0001', () => {})
    await settle()
    expect(early[1]).toBeUndefined()
  })

  it.each(['open', 'facts'])('is not heard of when its %s failed', async (op) => {
    faults.set(op, () => ({ ok: true, value: { result: { kind: 'error', text: 'No. (unsupported)' } } }))
    await expect(open('side-0001')).rejects.toThrow()
    expect(dropped).toBeGreaterThan(0)
  })

  it('is not heard of any more when the page is left before it was followed', async () => {
    await open('side-0001')
    transport.dispose()
    expect(dropped).toBe(1)
  })
})

describe('the held command', () => {
  it('is held once, through a side that is there, and given up with the last', async () => {
    await open('side-0001')
    await open('side-0002')
    expect(ops().filter((op) => op === 'hold')).toHaveLength(1)
    await transport.close('side-0002', 0)
    await transport.close('side-0001', 0)
    await settle()
    await open('side-0003')
    expect(ops('side-0003')).toEqual(['open', 'facts', 'hold'])
  })

  it('is taken up for a side that comes in the moment the last one goes', async () => {
    await open('side-0001')
    await Promise.all([open('side-0002'), transport.close('side-0001', 0).then(() => transport.close('side-0001', 0))])
    await settle()
    expect(ops().at(-1)).toBe('hold')
    expect(said.filter(({ control }) => control?.op === 'hold').at(-1)?.control?.side).toBe('side-0002')
  })

  it('is answered as late by a host that was restarted, and the side is over', async () => {
    await open('side-0001')
    transport.follow('side-0001', (signal) => signals.push(signal))
    live.clear()
    boot = 'life-0002'
    faults.set('hold', lost)
    holds[0]?.answer([])
    await settle()
    faults.clear()
    for (let round = 0; round < 3; round += 1) await pass(2_000)
    expect(questions).toBe(0)
    expect(said.at(-1)).toMatchObject({ control: { op: 'hold', boot: 'life-0001' } })
    expect(JSON.stringify(signals)).toContain('"reason":"provider_lost"')
    expect(stored.size).toBe(0)
  })

  it('goes on through another side when the one it was held through is gone with its conversation', async () => {
    await open('side-0001')
    await open('side-0002', other)
    transport.follow('side-0002', (signal) => signals.push(signal))
    faults.set('hold', () => {
      faults.clear()
      return { ok: false, error: { code: 'session/not-found' } }
    })
    holds[0]?.answer([])
    await settle()
    expect(said.at(-1)).toMatchObject({ agent: 'main', control: { op: 'hold', side: 'side-0001' } })
    expect(JSON.stringify(signals)).toContain('"reason":"source_gone"')
  })
})

describe('a follow-up to a host that was restarted', () => {
  it('is answered as late, and asks nobody anything', async () => {
    await open('side-0001')
    live.clear()
    boot = 'life-0002'
    await expect(transport.send('side-0001', 'turn-0002', [{ type: 'text', text: 'more?' }])).rejects.toThrow('expired')
    expect(questions).toBe(0)
  })
})

describe('a reload', () => {
  it('brings the sides of every conversation back, each when its own is looked at', async () => {
    await open('side-0001')
    await open('side-0002', other)
    unload()
    load()
    expect((await transport.restore(main)).map(({ sideId }) => sideId)).toEqual(['side-0001'])
    await settle()
    // Both are bound to this page, so that the host ends neither.
    expect(ops('side-0002').slice(-2)).toEqual(['facts', 'hold'])
    expect((await transport.restore(other)).map(({ sideId }) => sideId)).toEqual(['side-0002'])
  })

  it('asks once, however often a conversation is looked at', async () => {
    await open('side-0001')
    unload()
    load()
    await transport.restore(main)
    await settle()
    const before = said.length
    await transport.restore(main)
    await transport.restore(other)
    await settle()
    expect(said.length).toBe(before)
  })

  it('brings no side back that was closed, in its undo window or after it', async () => {
    await open('side-0001')
    await transport.close('side-0001', 8_000)
    unload()
    load()
    expect(await transport.restore(main)).toEqual([])
  })

  it('says nothing to a host that does not know its sides', async () => {
    await open('side-0001')
    unload()
    live.clear()
    load()
    const before = said.length
    expect(await transport.restore(main)).toEqual([])
    expect(said.length).toBe(before)
    expect(stored.size).toBe(0)
  })

  it('waits for a host that is out of reach for a moment', async () => {
    await open('side-0001')
    unload()
    load()
    faults.set('facts', lost)
    const restored = transport.restore(main)
    await settle()
    faults.clear()
    await pass(2_000)
    expect((await restored).map(({ sideId }) => sideId)).toEqual(['side-0001'])
  })

  it('tells the host of a side that is seen now, and in time of one that is not (T10)', async () => {
    await open('side-0001')
    await open('side-0002')
    unload()
    load()
    await transport.restore(main)
    await transport.touch('side-0001', true)
    await pass(60_000)
    const touches = said.flatMap(({ control }) => (control?.op === 'touch' ? [[control.side, control.visible]] : []))
    expect(touches).toEqual([
      ['side-0001', true],
      ['side-0002', false],
    ])
  })

  it('[K33] hears from the host how long a side that was hidden has left', async () => {
    await open('side-0001')
    faults.set('touch', () => ok(replyToken({ endsIn: 1_740_000 })))
    await transport.touch('side-0001', false)
    await pass(60_000)
    expect(left).toEqual([['side-0001', 1_740_000]])
  })

  it('works in a browser that stores nothing', async () => {
    memory = {
      getItem: () => null,
      setItem() {
        throw new Error('quota')
      },
      removeItem() {
        throw new Error('quota')
      },
    }
    load()
    await open('side-0001')
    expect(ops()).toEqual(['open', 'facts', 'hold'])
  })
})

describe('close', () => {
  it('is over after the undo window: nothing is asked of that side any more', async () => {
    await open('side-0001')
    await transport.close('side-0001', 8_000)
    await pass(9_000)
    const before = said.length
    expect(await transport.restore(main)).toEqual([])
    await expect(transport.touch('side-0001', true)).rejects.toThrow('expired')
    await transport.close('side-0001', 0)
    expect(said.length).toBe(before)
  })

  it('holds and remembers a side that was brought back', async () => {
    await open('side-0001')
    await transport.close('side-0001', 8_000)
    await transport.reopen('side-0001')
    await settle()
    await pass(9_000)
    expect(ops()).toEqual(['open', 'facts', 'hold', 'close', 'reopen', 'hold'])
    expect([...stored.values()].join()).toContain('side-0001')
  })

  it('is tried again when the host was out of reach', async () => {
    await open('side-0001')
    faults.set('close', lost)
    await expect(transport.close('side-0001', 0)).rejects.toThrow('stream_unavailable')
    await settle()
    faults.clear()
    await pass(2_000)
    expect([...live.keys()]).toEqual([])
  })
})

describe('an answer to a prompt', () => {
  it('goes out as it is, and is kept back when it is so long that the host would ask it as a question (I8)', async () => {
    await open('side-0001')
    const answer = (chars: number) => ({ answers: [{ id: 'q', selected: [], custom: 'x'.repeat(chars) }] })
    await transport.respond('side-0001', 'side-0001-turn', 'r', answer(16_000))
    expect(ops('side-0001').filter((op) => op === 'respond')).toHaveLength(1)
    await expect(transport.respond('side-0001', 'side-0001-turn', 'r', answer(16_384))).rejects.toMatchObject({
      code: 'interaction_invalid_response',
    })
    expect(ops('side-0001').filter((op) => op === 'respond')).toHaveLength(1)
    expect(questions).toBe(0)
  })
})

describe('newId', () => {
  it('makes a UUID on a page without a secure context', () => {
    const ids = Array.from({ length: 50 }, () => newId({ getRandomValues: (bytes) => crypto.getRandomValues(bytes) }))
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(new Set(ids).size).toBe(50)
  })
})
