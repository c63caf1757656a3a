/** How much of main a side takes along, on the real host: every rung as the model gets it, and the one that is picked
 *  when main does not fit (K05, K06). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { RecordedRequest } from '../../dev/model/journal.ts'
import { parseReply, type FactsReply, type Scope } from '../../src/wire/index.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { closeSide, openSide, sideTurnEnd, type TestSide } from '../kit/side.ts'

const PAGE = 'page-of-this-test'
const MODEL = 'deepseek-v4-flash'

let rig: Rig

beforeAll(async () => {
  rig = await startRig({ stock: true })
})
afterAll(() => rig?.stop())

interface WireMessage {
  readonly role: string
  readonly content: string | null
  readonly tool_calls?: readonly { readonly id: string }[]
  readonly tool_call_id?: string
}

function messagesOf(request: RecordedRequest): readonly WireMessage[] {
  return (request.body as { messages: readonly WireMessage[] }).messages
}

function asked(text: string): readonly WireMessage[] {
  const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
  if (request === undefined) throw new Error(`nothing asked about ${text}`)
  return messagesOf(request)
}

/** What main's people and models said in a request, its beginning and end left out. */
function told(messages: readonly WireMessage[]): string[] {
  return messages.flatMap(({ role, content }) => (role === 'system' || content === null ? [] : [content]))
}

/** Calls without their result, and results without their call. */
function unpaired(messages: readonly WireMessage[]): string[] {
  const calls = messages.flatMap(({ tool_calls }) => tool_calls?.map(({ id }) => id) ?? [])
  const results = messages.flatMap(({ tool_call_id }) => (tool_call_id === undefined ? [] : [tool_call_id]))
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))]
}

async function factsOf(side: TestSide): Promise<FactsReply> {
  return parseReply(String(await side.control({ op: 'facts', page: PAGE }))) as FactsReply
}

/** Opens a side with this scope and hands out what the model got and what the page is told. */
async function fork(main: string, question: string, scope?: Scope) {
  const side = await openSide(rig, main, 'side', question, scope === undefined ? {} : { scope })
  await sideTurnEnd(rig, side.id)
  const facts = await factsOf(side)
  await closeSide(rig, side)
  return { facts, messages: asked(question) }
}

async function setWindow(contextWindow: number | null): Promise<void> {
  const { namespaces } = await rig.rpc<{ namespaces: { ns: string; revision: number }[] }>('settings.describe')
  const expectedRevision = namespaces.find(({ ns }) => ns === 'llm-deepseek')?.revision
  const ops =
    contextWindow === null
      ? [{ op: 'unset', path: ['models'] }]
      : [{ op: 'set', path: ['models'], value: [{ id: MODEL, name: MODEL, contextWindow }] }]
  await rig.rpc('settings.mutate', { ns: 'llm-deepseek', ops, expectedRevision })
}

/** A conversation of four turns, the second one with a tool call. */
async function conversation(): Promise<string> {
  const main = await rig.newSession()
  await rig.ask(main, 'TURN-1 hello. [[plain Answer 1.]]')
  await rig.ask(main, 'TURN-2 look. [[tool:read {"file_path":"README.md"}]]')
  await rig.ask(main, 'TURN-3 go on. [[plain Answer 3.]]')
  await rig.ask(main, 'TURN-4 and on. [[plain Answer 4.]]')
  return main
}

describe('how much of main a side takes along', () => {
  it('takes the last turns alone, whole, with their tool calls paired', async () => {
    const main = await conversation()
    for (const turns of [1, 3]) {
      const { facts, messages } = await fork(main, `LAST-${turns}?`, { kind: 'turns', turns })
      const words = told(messages).join('\n')
      expect([1, 2, 3, 4].filter((turn) => words.includes(`TURN-${turn} `))).toEqual(
        [1, 2, 3, 4].filter((turn) => turn > 4 - turns),
      )
      expect(unpaired(messages)).toEqual([])
      expect(messages.some(({ role }) => role === 'tool')).toBe(turns === 3)
      expect(words).toContain('Only the newest turns of the main conversation are here.')
      expect(facts).toMatchObject({ scope: { kind: 'turns', turns }, inheritedTurns: turns })
    }
  })

  it('takes no turn at all for the digest, and tells of the newest ones in a few quoted lines', async () => {
    const main = await conversation()
    const { facts, messages } = await fork(main, 'DIGEST-ONLY?', { kind: 'digest' })
    expect(messages.map(({ role }) => role)).toEqual(['system', 'user', 'user'])
    expect(messages[1]?.content).toBe('DIGEST-ONLY?')
    const boundary = messages[2]?.content ?? ''
    expect(boundary).toContain('> TURN-4 and on.')
    expect(boundary).toContain('> Answer 4.')
    expect(boundary.indexOf('TURN-1')).toBeLessThan(boundary.indexOf('TURN-4'))
    expect(facts).toMatchObject({ scope: { kind: 'digest' }, inheritedTurns: 0 })
  })

  it('goes on from a part as from everything: the next question of the side knows the first', async () => {
    const main = await conversation()
    const side = await openSide(rig, main, 'side', 'PART-FIRST? [[plain Part one.]]', {
      scope: { kind: 'turns', turns: 2 },
    })
    await sideTurnEnd(rig, side.id)
    await side.send('PART-SECOND?')
    await sideTurnEnd(rig, side.id, 2)
    expect(told(asked('PART-SECOND'))).toContain('Part one.')
    await closeSide(rig, side)
  })

  it('takes the turns behind a compaction without its summary, and everything with it', async () => {
    const main = await conversation()
    await rig.command(main, '/compact')
    await rig.frames.waitFor(
      'the compaction',
      ({ sessionId, event }) => sessionId === main && event?.type === 'compaction/end',
    )
    await rig.ask(main, 'TURN-5 afterwards. [[plain Answer 5.]]')
    const all = await fork(main, 'EVERYTHING?')
    const behind = await fork(main, 'BEHIND-IT?', { kind: 'compaction' })
    expect(all.facts.scope).toEqual({ kind: 'all' })
    expect(told(all.messages).join('\n')).toContain('automatically generated checkpoint')
    expect(behind.facts).toMatchObject({ scope: { kind: 'compaction' }, inheritedTurns: 1 })
    expect(told(behind.messages).join('\n')).not.toContain('automatically generated checkpoint')
    expect(told(behind.messages)[0]).toBe('TURN-5 afterwards. [[plain Answer 5.]]')
    expect(behind.facts.inheritedTokens).toBeLessThan(all.facts.inheritedTokens)
  })

  it('takes a stopped turn like any other, and never an unpaired call', async () => {
    const main = await conversation()
    rig.model.script({
      match: 'STOPPED',
      behaviour: {
        kind: 'tool',
        calls: [{ name: 'read', arguments: { file_path: 'README.md' } }],
        after: { kind: 'gate', name: 'stopped', before: 'Half of ', after: 'it.' },
      },
    })
    await rig.prompt(main, 'STOPPED turn')
    await rig.frames.waitFor(
      'its words',
      ({ sessionId, event }) =>
        sessionId === main && event?.type === 'assistant/chunk' && JSON.stringify(event.data).includes('Half of'),
    )
    await rig.rpc('session.cancel', { sessionId: main })
    await rig.frames.waitFor(
      'its end',
      ({ sessionId, event }) =>
        sessionId === main && event?.type === 'turn/end' && JSON.stringify(event.data).includes('aborted'),
    )
    for (const scope of [undefined, { kind: 'turns', turns: 1 }, { kind: 'turns', turns: 2 }] as const) {
      const { facts, messages } = await fork(main, `AFTER-STOP-${scope?.turns ?? 'all'}?`, scope)
      expect(unpaired(messages)).toEqual([])
      expect(told(messages).join('\n')).toContain('STOPPED turn')
      expect(facts.inheritedTurns).toBe(scope?.turns ?? 5)
    }
  })

  it('[K06] tells what it took and how large it is, close to what the model then counts', async () => {
    const main = await rig.newSession()
    await rig.ask(main, `A LARGE one ${'tide '.repeat(8_000)} [[plain Noted.]]`)
    await rig.ask(main, 'A small one. [[plain Noted too.]]')
    for (const scope of [{ kind: 'all' }, { kind: 'turns', turns: 1 }] as const) {
      const question = `HOW-LARGE-${scope.kind}?`
      const { facts } = await fork(main, question, scope)
      const counted = rig.model.requests().findLast(({ lastUser }) => lastUser?.includes(question))?.usage
      // The side's own tools and note are a few thousand tokens; the large turn is ten thousand.
      expect(
        Math.abs(facts.inheritedTokens - ((counted as { prompt_tokens?: number } | undefined)?.prompt_tokens ?? 0)),
      ).toBeLessThan(9_000)
      expect(facts.window).toBe(1_000_000)
    }
  })

  it('[K05] picks the largest part that fits by itself, never more, whatever the page asks for', async () => {
    const main = await rig.newSession()
    await rig.ask(main, `FIRST-LARGE ${'tide '.repeat(20_000)} [[plain Noted.]]`)
    await rig.ask(main, 'SECOND-SMALL. [[plain Noted too.]]')
    const compactions = (): number => rig.model.requests().filter(({ kind }) => kind === 'compaction').length
    const before = compactions()
    await setWindow(30_000)
    try {
      for (const scope of [undefined, { kind: 'all' }] as const) {
        const { facts, messages } = await fork(main, `DOES-IT-FIT-${scope?.kind ?? 'auto'}?`, scope)
        expect(facts).toMatchObject({ scope: { kind: 'turns', turns: 1 }, window: 30_000 })
        expect(told(messages).join('\n')).not.toContain('FIRST-LARGE')
        expect(told(messages).join('\n')).toContain('SECOND-SMALL')
      }
      await setWindow(2_000)
      const { facts } = await fork(main, 'FLOOR?')
      expect(facts).toMatchObject({ scope: { kind: 'digest' }, smaller: null })
      expect(compactions()).toBe(before)
    } finally {
      await setWindow(null)
    }
  })
})
