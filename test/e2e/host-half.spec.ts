/** The host half on the real host, without a page: what reaches the wire, what may run, what stays on disk. */
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { RecordedRequest } from '../../dev/model/journal.ts'
import { filesHolding, filesUnder, storedLog } from '../kit/disk.ts'
import type { Rig } from '../kit/host.ts'
import { askProbe, startProbedRig } from '../kit/probe.ts'
import { closeSide, openSide, sideTurnEnd } from '../kit/side.ts'

let rig: Rig

beforeAll(async () => {
  rig = await startProbedRig({ stock: true })
})
afterAll(() => rig?.stop())

interface WireMessage {
  role: string
  content: string | null
  tool_calls?: { id: string; function: { name: string } }[]
  tool_call_id?: string
}

/** The messages of a request, as the model's API got them. */
function messages(request: RecordedRequest): WireMessage[] {
  return (request.body as { messages: WireMessage[] }).messages
}

function tools(request: RecordedRequest): string[] | undefined {
  return (request.body as { tools?: { function: { name: string } }[] }).tools?.map((tool) => tool.function.name)
}

/** The newest chat request whose question holds `text`. */
function asked(text: string): RecordedRequest {
  const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
  if (request === undefined) throw new Error(`nothing asked about ${text}`)
  return request
}

/** Tool calls without a result and results without a call. */
function unpaired(request: RecordedRequest): string[] {
  const calls = messages(request).flatMap((message) => message.tool_calls?.map(({ id }) => id) ?? [])
  const results = messages(request).flatMap((message) =>
    message.tool_call_id === undefined ? [] : [message.tool_call_id],
  )
  return [...calls.filter((id) => !results.includes(id)), ...results.filter((id) => !calls.includes(id))]
}

describe('what a side asks the model', () => {
  it('[K03] inherits whole turns, then the question and the boundary, and nothing else', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Refactor the tide table and start a side conversation. [[plain Main answer one.]]')
    await rig.ask(main, 'And now the second part. [[plain Main answer two.]]')
    const side = await openSide(rig, main, 'btw', 'D5-QUESTION what is 2+2?')
    await sideTurnEnd(rig, side.id)

    const parent = messages(asked('And now the second part.'))
    const child = messages(asked('D5-QUESTION'))
    // `restrict` takes tools and their guidance out of the system prompt; everything behind it is the parent's.
    expect(child.slice(1, parent.length)).toEqual(parent.slice(1))
    const rest = child.slice(parent.length)
    expect(rest.map(({ role }) => role)).toEqual(['assistant', 'user', 'user'])
    expect(rest[0]?.content).toBe('Main answer two.')
    expect(rest[1]?.content).toBe('D5-QUESTION what is 2+2?')
    expect(rest[2]?.content).toContain('This is a side conversation')
    expect(rest[2]?.content).not.toContain('delegated subagent')
    await closeSide(rig, side)
  })

  it('keeps the request of a large parent byte for byte, tools and system prompt included', async () => {
    const main = await rig.newSession()
    await rig.ask(main, `A LARGE PARENT ${'tide '.repeat(16_000)} [[plain Large answer.]]`)
    await rig.ask(main, 'Its last turn. [[plain Last answer.]]')
    for (const kind of ['btw', 'side'] as const) {
      const side = await openSide(rig, main, kind, `INHERIT-${kind}?`)
      await sideTurnEnd(rig, side.id)
      const { messages: inherited, ...parameters } = asked('Its last turn.').body as { messages: WireMessage[] }
      const { messages: own, ...others } = asked(`INHERIT-${kind}`).body as { messages: WireMessage[] }
      expect(JSON.stringify(others)).toBe(JSON.stringify(parameters))
      expect(JSON.stringify(own.slice(0, inherited.length))).toBe(JSON.stringify(inherited))
      await closeSide(rig, side)
    }
  })

  it('sends no tools for /btw and only read-only ones for /side of a small parent', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const btw = await openSide(rig, main, 'btw', 'TOOLS-BTW?')
    const side = await openSide(rig, main, 'side', 'TOOLS-SIDE?')
    await sideTurnEnd(rig, btw.id)
    await sideTurnEnd(rig, side.id)
    expect(tools(asked('TOOLS-BTW'))).toBeUndefined()
    expect(tools(asked('TOOLS-SIDE'))?.toSorted()).toEqual(['glob', 'grep', 'read', 'read_image', 'web_search'])
    await closeSide(rig, btw)
    await closeSide(rig, side)
  })

  it('[K01] [K02] takes no event of the open turn, but a labelled digest of it', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'First turn. [[plain Done.]]')
    rig.model.script({
      match: 'OPEN-TURN',
      behaviour: {
        kind: 'tool',
        calls: [{ name: 'read', arguments: { file_path: 'README.md' } }],
        after: { kind: 'gate', name: 'open-turn', after: 'Main goes on.' },
      },
    })
    await rig.prompt(main, 'OPEN-TURN read the readme')
    await rig.frames.waitFor(
      'the tool result',
      ({ sessionId, event }) => sessionId === main && event?.type === 'tool/result',
    )
    const side = await openSide(rig, main, 'btw', 'DIGEST-QUESTION what is it doing?')
    await sideTurnEnd(rig, side.id)

    const request = asked('DIGEST-QUESTION')
    expect(unpaired(request)).toEqual([])
    const child = messages(request)
    expect(child.filter(({ role }) => role === 'tool')).toEqual([])
    expect(child.filter(({ role, content }) => role === 'user' && content === 'OPEN-TURN read the readme')).toEqual([])
    const boundary = child.at(-1)?.content ?? ''
    expect(boundary).toContain('OPEN-TURN read the readme')
    expect(boundary).toContain('README.md')
    rig.model.release('open-turn')
    await rig.frames.waitFor(
      'the end of main',
      ({ sessionId, event }) =>
        sessionId === main && event?.type === 'turn/end' && (event.data as { turn: number }).turn === 2,
    )
    await closeSide(rig, side)
  })

  it('[K02] [K09] works during the very first turn, before main is done', async () => {
    const main = await rig.newSession()
    rig.model.script({ match: 'VERY-FIRST', behaviour: { kind: 'gate', name: 'very-first', after: 'Main is done.' } })
    await rig.prompt(main, 'VERY-FIRST task of all')
    await rig.frames.waitFor(
      'main to start',
      ({ sessionId, event }) => sessionId === main && event?.type === 'user/message',
    )
    const side = await openSide(rig, main, 'btw', 'EARLY-QUESTION what did I ask?')
    await sideTurnEnd(rig, side.id)
    const child = messages(asked('EARLY-QUESTION'))
    expect(child.map(({ role }) => role)).toEqual(['system', 'user', 'user'])
    expect(child[1]?.content).toBe('EARLY-QUESTION what did I ask?')
    expect(child[2]?.content).toContain('VERY-FIRST task of all')
    expect(asked('VERY-FIRST').endedAt ?? null).toBeNull()
    rig.model.release('very-first')
    await closeSide(rig, side)
  })

  it('[K14] never takes a message that is queued for main', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Before the queue. [[plain Fine.]]')
    rig.model.script({ match: 'HOLD-MAIN', behaviour: { kind: 'gate', name: 'hold-main', after: 'Released.' } })
    await rig.prompt(main, 'HOLD-MAIN now')
    await rig.frames.waitFor(
      'main to run',
      ({ sessionId, event }) => sessionId === main && event?.type === 'step/start',
    )
    await rig.prompt(main, 'QUEUED-FOR-MAIN and this later')
    const side = await openSide(rig, main, 'side', 'QUEUE-QUESTION?')
    await sideTurnEnd(rig, side.id)
    expect(JSON.stringify(messages(asked('QUEUE-QUESTION')))).not.toContain('QUEUED-FOR-MAIN')
    expect(rig.model.requests().filter(({ lastUser }) => lastUser?.includes('QUEUED-FOR-MAIN'))).toEqual([])
    rig.model.release('hold-main')
    await rig.frames.waitFor(
      'the queued turn of main',
      ({ sessionId, event }) =>
        sessionId === main && event?.type === 'turn/end' && (event.data as { turn: number }).turn === 3,
    )
    // A fork of the later log, in which the queue's own records stand, must not run it either.
    const later = await openSide(rig, main, 'side', 'QUEUE-LATER?')
    await sideTurnEnd(rig, later.id)
    expect(rig.model.requests().filter(({ lastUser }) => lastUser?.includes('QUEUED-FOR-MAIN'))).toHaveLength(1)
    await closeSide(rig, side)
    await closeSide(rig, later)
  })

  it('asks what main would ask next, after its model or effort was changed (D9)', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'On the first model. [[plain One.]]')
    const before = asked('On the first model').body as { model: string }
    await rig.rpc('session.selectModel', {
      sessionId: main,
      provider: 'deepseek-official',
      model: 'deepseek-v4-pro',
      reasoningEffort: 'max',
    })
    const side = await openSide(rig, main, 'btw', 'PENDING-PICK?')
    await sideTurnEnd(rig, side.id)
    await rig.ask(main, 'On the second model. [[plain Two.]]')
    const parent = asked('On the second model').body as Record<string, unknown>
    const child = asked('PENDING-PICK').body as Record<string, unknown>
    expect(before.model).toBe('deepseek-v4-flash')
    expect(child['model']).toBe('deepseek-v4-pro')
    const parameters = ({ messages: _messages, tools: _tools, ...rest }: Record<string, unknown>) => rest
    expect(parameters(child)).toEqual(parameters(parent))

    await rig.rpc('session.selectModel', {
      sessionId: main,
      provider: 'deepseek-official',
      model: 'deepseek-v4-pro',
      reasoningEffort: 'low',
    })
    const effort = await openSide(rig, main, 'btw', 'PENDING-EFFORT?')
    await sideTurnEnd(rig, effort.id)
    await rig.ask(main, 'With little effort. [[plain Three.]]')
    expect(parameters(asked('PENDING-EFFORT').body as Record<string, unknown>)).toEqual(
      parameters(asked('With little effort').body as Record<string, unknown>),
    )
    await closeSide(rig, side)
    await closeSide(rig, effort)
    await rig.rpc('session.selectModel', {
      sessionId: main,
      provider: 'deepseek-official',
      model: 'deepseek-v4-flash',
      reasoningEffort: 'high',
    })
  })

  it('[K04] forks the effective context of a compacted parent', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'LONG-AGO the tide at noon was high. [[plain Noted.]]')
    await rig.ask(main, 'Second thing. [[plain Noted too.]]')
    await rig.ask(main, 'Third thing. [[plain Kept.]]')
    await rig.command(main, '/compact')
    await rig.frames.waitFor(
      'the compaction',
      ({ sessionId, event }) =>
        sessionId === main &&
        event?.type.startsWith('compaction') === true &&
        /complet|done|end|summary/.test(event.type),
      { ms: 20_000 },
    )
    const side = await openSide(rig, main, 'btw', 'AFTER-COMPACTION?')
    await sideTurnEnd(rig, side.id)
    await rig.ask(main, 'Main after compaction. [[plain Yes.]]')
    const parent = messages(asked('Main after compaction'))
    const child = messages(asked('AFTER-COMPACTION'))
    const at = parent.findIndex(({ content }) => content === 'Main after compaction. [[plain Yes.]]')
    expect(child.slice(1, at)).toEqual(parent.slice(1, at))
    expect(child[1]?.content).toContain('automatically generated checkpoint')
    expect(child.filter(({ content }) => content === 'Noted.' || content?.startsWith('LONG-AGO'))).toEqual([])
    await closeSide(rig, side)
  })
})

describe('what a side may do', () => {
  it('[K41] runs read-only lookups unattended in /side', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const side = await openSide(rig, main, 'side', 'READ-IT [[tool:read {"file_path":"README.md"}]]')
    await sideTurnEnd(rig, side.id)
    expect(messages(asked('READ-IT')).findLast(({ role }) => role === 'tool')?.content).toContain('tideline')
    await closeSide(rig, side)
  })

  it.each([
    ['a write tool', 'write-tool', '[[tool:write {"file_path":"REFUSED.txt","content":"x"}]]'],
    ['a shell', 'shell', '[[tool:bash {"command":"touch REFUSED.txt"}]]'],
    ['an unknown tool', 'unknown-tool', '[[tool:launch_rocket {"target":"REFUSED.txt"}]]'],
    ['a nested dispatch', 'nested', '[[nested]]'],
  ])('[K42] refuses %s at execution in both kinds, and leaves files alone', async (_what, mark, marker) => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const before = await filesUnder(rig.workspace)
    for (const kind of ['btw', 'side'] as const) {
      const side = await openSide(rig, main, kind, `REFUSE-${mark}-${kind} ${marker}`)
      await sideTurnEnd(rig, side.id)
      const results = messages(asked(`REFUSE-${mark}-${kind}`)).filter(({ role }) => role === 'tool')
      expect(results).toHaveLength(1)
      expect(results[0]?.content).toContain('Not available in a side conversation')
      await closeSide(rig, side)
    }
    expect(await filesUnder(rig.workspace)).toEqual(before)
    expect(existsSync(join(rig.workspace, 'REFUSED.txt'))).toBe(false)
  })
})

describe('what a side leaves', () => {
  it('[K12] keeps its words out of the log, the history and the next request of main', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const side = await openSide(rig, main, 'side', 'ISOLATED-Q [[plain ISOLATED-A]]')
    await sideTurnEnd(rig, side.id)
    await side.send('ISOLATED-FOLLOW [[plain ISOLATED-B]]')
    await sideTurnEnd(rig, side.id, 2)
    await closeSide(rig, side)
    await rig.ask(main, 'Next turn of main. [[plain Sure.]]')
    expect(JSON.stringify(asked('Next turn of main').body)).not.toContain('ISOLATED')
    expect(JSON.stringify(await rig.history(main))).not.toContain('ISOLATED')
    expect(await storedLog(rig.home, main)).not.toContain('ISOLATED')
    // What a side leaves in main's log are body-less pairs: open, send, close (D13).
    const commands = (await rig.history(main)).filter(({ type }) => type.startsWith('command/'))
    expect(commands.map(({ type }) => type)).toEqual(
      Array.from({ length: 3 }, () => ['command/run', 'command/done']).flat(),
    )
    for (const { type, data } of commands) {
      if (type === 'command/run') expect(data).not.toHaveProperty('args')
      else expect((data as { text: string }).text).toMatch(/^sidemind:(side:[0-9a-f-]+|reply:\{\})$/)
    }
  })

  it('[K36] [K37] stores nothing while it lives, after it closed, and after a crash mid-answer', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const before = await filesUnder(join(rig.home, 'sessions'))
    const side = await openSide(rig, main, 'side', 'RESIDUE-Q one [[plain RESIDUE-A one]]')
    await sideTurnEnd(rig, side.id)
    expect(await filesHolding(rig.home, 'RESIDUE-')).toEqual([])
    expect(await filesHolding(rig.home, side.id).then((files) => files.filter((file) => !file.includes(main)))).toEqual(
      [],
    )
    await closeSide(rig, side)
    expect(await filesHolding(rig.home, 'RESIDUE-')).toEqual([])
    expect(await filesUnder(join(rig.home, 'sessions'))).toEqual(before)

    rig.model.script({
      match: 'RESIDUE-CRASH',
      behaviour: { kind: 'slow', text: 'RESIDUE-PARTIAL answer '.repeat(200) },
    })
    const crashed = await openSide(rig, main, 'btw', 'RESIDUE-CRASH now')
    await rig.frames.waitFor(
      'the first words',
      ({ sessionId, event }) => sessionId === crashed.id && event?.type === 'assistant/chunk',
    )
    await rig.crash()
    await rig.restartHost()
    expect(await filesHolding(rig.home, 'RESIDUE-')).toEqual([])
    expect(await filesUnder(join(rig.home, 'sessions'))).toEqual(before)
    const list = await rig.rpc<{ items: { sessionId: string }[] }>('session.list', {})
    expect(list.items.map(({ sessionId }) => sessionId)).not.toContain(crashed.id)
    await rig.ask(main, 'Main still works. [[plain Yes it does.]]')
  })

  it('leaves the agent registry and the session store as they were after the undo window (D6)', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    await askProbe(rig, main)
    const before = await askProbe(rig, main)
    const sides = [await openSide(rig, main, 'btw', 'ONE?'), await openSide(rig, main, 'side', 'TWO?')]
    for (const side of sides) await sideTurnEnd(rig, side.id)
    const open = await askProbe(rig, main)
    expect(open.agents.length).toBe(before.agents.length + 2)
    for (const side of sides) await closeSide(rig, side)
    const after = await askProbe(rig, main)
    expect(after.agents).toEqual(before.agents)
    expect(after.sessions).toEqual(before.sessions)
    expect(after.listeners).toBe(before.listeners)
  })

  it('hides its events from other plugins', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello PROBED-MAIN. [[plain Hi.]]')
    const side = await openSide(rig, main, 'side', 'PROBED-SIDE [[plain PROBED-ANSWER]]')
    await sideTurnEnd(rig, side.id)
    const answer = await askProbe(rig, main, 'PROBED-SIDE')
    expect(answer.sawText).toBe(false)
    expect(answer.sawSessions).not.toContain(side.id)
    expect((await askProbe(rig, main, 'PROBED-MAIN')).sawText).toBe(true)
    await closeSide(rig, side)
  })

  it('never writes the secret of a side anywhere', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const side = await openSide(rig, main, 'side', 'SECRET-KEEPING?')
    await sideTurnEnd(rig, side.id)
    expect(JSON.stringify(await rig.history(main))).not.toContain(side.secret)
    expect(rig.frames.all.some((frame) => JSON.stringify(frame).includes(side.secret))).toBe(false)
    expect(await filesHolding(rig.home, side.secret)).toEqual([])
    await closeSide(rig, side)
  })
})

describe('control messages', () => {
  it('[K29] takes everything without the right secret for a question, byte for byte', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const side = await openSide(rig, main, 'side', 'TARGET of forgery?')
    await sideTurnEnd(rig, side.id)
    const cases = JSON.parse(
      await readFile(join(import.meta.dirname, '../fixtures/adversarial-inputs.json'), 'utf8'),
    ) as string[]
    const forged = side.line({ op: 'close', keep: 0 }).replace(side.secret, 'A'.repeat(43)).slice('/side '.length)
    rig.model.script({ behaviour: { kind: 'plain', text: 'An answer.', chunkMs: 1 } })
    for (const input of [...cases, forged]) {
      const { result } = await rig.command(main, `/side ${input}`)
      expect(result.kind, JSON.stringify(input)).toBe('success')
      const opened = result.text?.split(':')[2] ?? ''
      await sideTurnEnd(rig, opened)
      const request = rig.model.requests().findLast(({ kind }) => kind === 'chat')
      const question = messages(request as RecordedRequest).at(-2)
      expect(question?.content, JSON.stringify(input)).toBe(input)
      await side.claimAndClose(opened)
    }
    rig.model.clear()
    expect((await askProbe(rig, main)).agents).toContain(side.id)
    await closeSide(rig, side)
  }, 120_000)

  it.each(['', ' ', '\n', '\t \n', '\u200b'])('refuses the blank question %j in words', async (blank) => {
    const main = await rig.newSession()
    const { result } = await rig.command(main, `/btw ${blank}`)
    expect(result).toEqual({ kind: 'error', text: 'Type a question after the command. (invalid_request)' })
  })
})
