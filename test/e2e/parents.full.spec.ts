/** A side of any conversation that a person may have gets an answer, knows what main knows, and begins as main's next request
 *  does: whatever happened in main before. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { Rig } from '../kit/host.ts'
import { askProbe, startProbedRig } from '../kit/probe.ts'
import { commonPrefix, type WireRequest } from '../kit/prefix.ts'
import { closeSide, openSide, sideTurnEnd, type TestSide } from '../kit/side.ts'

const MODEL = 'deepseek-v4-flash'
/** One red dot. */
const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='

let rig: Rig
let main: string

beforeAll(async () => {
  rig = await startProbedRig({ stock: true })
  await rig.rpc('settings.update', { ns: 'sidemind', patch: { toolSurface: 'inherit' } })
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  rig.model.clear()
  main = await rig.newSession()
})

function asked(text: string): WireRequest {
  const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
  if (request === undefined) throw new Error(`nothing asked about ${text}`)
  return request.body
}

/** Calls without their result, and results without their call. */
function unpaired({ messages }: WireRequest): unknown[] {
  const told = messages as readonly { tool_calls?: readonly { id: string }[]; tool_call_id?: string }[]
  const calls = told.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? [])
  const results = told.flatMap(({ tool_call_id }) => tool_call_id ?? [])
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))]
}

/** Asks a side, and hands out its first request when it was answered in the model's words. */
async function answered(kind: 'btw' | 'side'): Promise<WireRequest> {
  const mark = randomUUID()
  const side = await openSide(rig, main, kind, `${mark}? [[plain Answered ${mark}.]]`)
  const end = await sideTurnEnd(rig, side.id)
  expect(end.event?.data).toMatchObject({ reason: { kind: 'completed' } })
  const told = rig.frames.events(side.id).filter(({ type }) => type === 'assistant/message')
  expect(JSON.stringify(told.at(-1)?.data)).toContain(`Answered ${mark}.`)
  await closeSide(rig, side)
  return asked(mark)
}

/** What a model has of the host, and the sizes it is said to take. */
async function setModel(model: { contextWindow?: number; inputModalities?: string[] } | null): Promise<void> {
  const { namespaces } = await rig.rpc<{ namespaces: { ns: string; revision: number }[] }>('settings.describe')
  const expectedRevision = namespaces.find(({ ns }) => ns === 'llm-deepseek')?.revision
  const ops =
    model === null
      ? [{ op: 'unset', path: ['models'] }]
      : [{ op: 'set', path: ['models'], value: [{ id: MODEL, name: MODEL, contextWindow: 1_000_000, ...model }] }]
  await rig.rpc('settings.mutate', { ns: 'llm-deepseek', ops, expectedRevision })
}

async function turnEnd(what: string): Promise<unknown> {
  const { event } = await rig.frames.waitFor(
    what,
    ({ sessionId, event: one }) => sessionId === main && one?.type === 'turn/end',
  )
  return event?.data
}

const READ = { name: 'read', arguments: { file_path: 'README.md' } }

/** What happened in main, and a word of it that a side has to know. */
const PARENTS: Record<string, { make: () => Promise<unknown>; knows: string }> = {
  'whose first turn was stopped in the middle of a word': {
    async make() {
      await rig.prompt(main, 'STOPPED-FIRST [[gate {"name":"first","before":"Half of "}]]')
      await rig.frames.waitFor(
        'its words',
        ({ sessionId, event }) => sessionId === main && event?.type === 'assistant/chunk',
      )
      await rig.rpc('session.cancel', { sessionId: main })
      expect(await turnEnd('the stopped turn')).toMatchObject({ reason: { kind: 'aborted' } })
    },
    knows: 'STOPPED-FIRST',
  },
  'whose last turn was stopped in the middle of a tool call': {
    async make() {
      await rig.ask(main, 'Before it. [[plain Fine.]]')
      const since = rig.frames.all.length
      rig.model.script({
        match: 'STOPPED-TOOL',
        behaviour: { kind: 'tool', calls: [{ name: 'bash', arguments: { command: 'sleep 30' } }], after: 'Slept.' },
      })
      await rig.prompt(main, 'STOPPED-TOOL turn')
      await rig.frames.waitFor(
        'its call',
        ({ sessionId, event }) => sessionId === main && event?.type === 'tool/call',
        { since },
      )
      await rig.rpc('session.cancel', { sessionId: main })
      await rig.frames.waitFor('its end', ({ sessionId, event }) => sessionId === main && event?.type === 'turn/end', {
        since,
      })
    },
    knows: 'STOPPED-TOOL',
  },
  'whose last turn failed': {
    async make() {
      await rig.ask(main, 'Before it. [[plain Fine.]]')
      rig.model.script({ match: 'FAILED-TURN', behaviour: { kind: 'status', status: 401 } })
      await rig.ask(main, 'FAILED-TURN')
    },
    knows: 'FAILED-TURN',
  },
  'that was asked the same twice': {
    async make() {
      for (let count = 0; count < 2; count += 1)
        await rig.ask(main, 'TWICE-ASKED [[tool:read {"file_path":"README.md"}]]')
    },
    knows: 'TWICE-ASKED',
  },
  'that was compacted': {
    async make() {
      for (const word of ['One', 'Two', 'Three']) await rig.ask(main, `${word} of COMPACTED. [[plain Noted.]]`)
      await rig.command(main, '/compact')
      await rig.frames.waitFor(
        'the compaction',
        ({ sessionId, event }) => sessionId === main && event?.type === 'compaction/end',
      )
    },
    knows: 'automatically generated checkpoint',
  },
  'that made a subagent read a file': {
    async make() {
      rig.model.script({
        match: 'ASK-ANOTHER',
        behaviour: { kind: 'nested', via: 'subagent', inner: READ, after: 'It has read that.' },
      })
      await rig.ask(main, 'ASK-ANOTHER agent')
      expect(asked('ASK-ANOTHER').messages.at(-1)?.role).toBe('tool')
    },
    knows: 'It has read that.',
  },
  'that was shown an image': {
    async make() {
      await setModel({ inputModalities: ['text', 'image'] })
      const since = rig.frames.all.length
      await rig.rpc('session.prompt', {
        sessionId: main,
        mode: 'queue',
        content: [
          { type: 'text', text: 'SHOWN-IMAGE [[plain A red dot.]]' },
          { type: 'image', mediaType: 'image/png', data: DOT },
        ],
      })
      await rig.frames.waitFor(
        'its answer',
        ({ sessionId, event }) => sessionId === main && event?.type === 'turn/end',
        { since },
      )
      expect(JSON.stringify(asked('SHOWN-IMAGE'))).toContain(DOT.slice(0, 40))
    },
    knows: DOT,
  },
  'whose host was killed in the middle of a turn': {
    async make() {
      await rig.ask(main, 'Before it. [[plain Fine.]]')
      rig.model.script({
        match: 'KILLED-TURN',
        behaviour: { kind: 'tool', calls: [READ], after: { kind: 'gate', name: 'killed', before: 'Half of ' } },
      })
      await rig.prompt(main, 'KILLED-TURN')
      await rig.frames.waitFor(
        'its words',
        ({ sessionId, event }) =>
          sessionId === main && event?.type === 'assistant/chunk' && JSON.stringify(event.data).includes('Half of'),
      )
      await rig.crash()
      await rig.restartHost()
      rig.model.clear()
      await rig.history(main)
    },
    knows: 'Fine.',
  },
}

describe('a side of a conversation', () => {
  it.each(Object.keys(PARENTS))('%s gets an answer', async (what) => {
    const parent = PARENTS[what]
    if (parent === undefined) throw new Error(`no parent ${what}`)
    try {
      await parent.make()
      const sides = [await answered('btw'), await answered('side')]
      await rig.ask(main, 'MAIN-NEXT? [[plain Yes.]]')
      const next = asked('MAIN-NEXT?')
      const question = next.messages.findLastIndex(({ content }) =>
        JSON.stringify(content ?? '').includes('MAIN-NEXT?'),
      )
      for (const side of sides) {
        expect(unpaired(side)).toEqual([])
        expect(JSON.stringify(side.messages)).toContain(parent.knows)
        expect(commonPrefix(next, side, question).difference).toBeNull()
      }
    } finally {
      await setModel(null)
    }
  })

  it('that is larger than its model takes gets an answer from a part of it', async () => {
    await rig.ask(main, `FIRST-LARGE ${'tide '.repeat(20_000)} [[plain Noted.]]`)
    await rig.ask(main, 'SECOND-SMALL. [[plain Noted too.]]')
    await setModel({ contextWindow: 30_000 })
    try {
      for (const kind of ['btw', 'side'] as const) {
        const text = JSON.stringify((await answered(kind)).messages)
        expect(text).not.toContain('FIRST-LARGE')
        expect(text).toContain('SECOND-SMALL')
      }
    } finally {
      await setModel(null)
    }
  })
})

describe('whether a side has grown too long', () => {
  const looked = async (side: TestSide): Promise<boolean> => (await askProbe(rig, main)).measured.includes(side.id)

  it('is not looked at while it is far from that, which would read all it inherited once more', async () => {
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const side = await openSide(rig, main, 'side', 'SMALL? [[tool:read {"file_path":"README.md"}]]')
    await sideTurnEnd(rig, side.id)
    expect(await looked(side)).toBe(false)
    await closeSide(rig, side)
  })

  it('is looked at when it comes near that, and then it is shortened', async () => {
    await rig.ask(main, `MEDIUM ${'tide '.repeat(4_000)} [[plain Noted.]]`)
    await setModel({ contextWindow: 24_000 })
    try {
      const side = await openSide(rig, main, 'side', `And this? ${'wave '.repeat(6_000)} [[plain Yes.]]`)
      await sideTurnEnd(rig, side.id)
      await side.send(`And that? ${'wave '.repeat(6_000)} [[plain Too.]]`)
      await sideTurnEnd(rig, side.id, 2)
      expect(await looked(side)).toBe(true)
      expect(rig.model.requests().some(({ kind }) => kind === 'compaction')).toBe(true)
      await closeSide(rig, side)
    } finally {
      await setModel(null)
    }
  })
})
