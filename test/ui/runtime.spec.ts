/** The transient store over a scripted transport: U1-U6, the queue (T2, D11), prompts (T6), windows (D6, D7, T10). */

import { describe, expect, it, vi } from 'vitest'
import { AskCanceled } from '../../ui/data/runtime.ts'
import { NO_SIDES } from '../../ui/data/snapshot.ts'
import { answered, FACTS, say } from '../kit/fake-transport.ts'
import { createRig, MAIN, OTHER } from './rig.ts'
import type { Rig } from './rig.ts'

/** An open side whose first question has its answer. */
async function idleSide(rig: Rig, kind: 'btw' | 'side' = 'side', question = 'first'): Promise<string> {
  const { sideId, accepted } = rig.runtime.ask(MAIN, kind, question)
  await accepted
  const { turnId, sideId: wireId } = rig.transport.at(-1)
  rig.transport.emit(wireId, ...answered(turnId, question, 'answer one'))
  await rig.paint()
  return sideId
}

async function runningSide(rig: Rig, question = 'first'): Promise<string> {
  const { sideId, accepted } = rig.runtime.ask(MAIN, 'side', question)
  await accepted
  const { turnId } = rig.transport.at(-1)
  rig.transport.emit(sideId, say.question(turnId, question), say.running(turnId), say.text(turnId, 'so far'))
  await rig.paint()
  return sideId
}

describe('U1 snapshots', () => {
  it('U1 gives the same value for a conversation that never had a side', () => {
    const { runtime } = createRig()
    expect(runtime.sidesOf('never')).toBe(NO_SIDES)
    expect(runtime.find('never')).toBeNull()
  })

  it('U1 keeps every snapshot that an event did not touch', async () => {
    const rig = createRig()
    const first = await idleSide(rig)
    const second = await runningSide(rig, 'second')
    const before = rig.runtime.sidesOf(MAIN.sessionId)
    rig.transport.emit(second, say.text(rig.transport.at(1).turnId, ' and more'))
    await rig.paint()
    const after = rig.runtime.sidesOf(MAIN.sessionId)
    expect(after).not.toBe(before)
    expect(after.side[0]).toBe(before.side[0])
    expect(after.btw).toBe(before.btw)
    expect(rig.runtime.find(first)?.turns[0]).toBe(before.side[0]?.turns[0])
  })

  it('U1 changes once per frame however many events come', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    const listener = vi.fn()
    rig.runtime.subscribe(listener)
    for (let i = 0; i < 200; i += 1) rig.transport.emit(side, say.text(rig.transport.at(0).turnId, `${i} `))
    expect(listener).not.toHaveBeenCalled()
    await rig.paint()
    expect(listener).toHaveBeenCalledTimes(1)
    const text = rig.only().turns[0]?.items[0]
    expect(text).toMatchObject({
      kind: 'text',
      text: `so far${Array.from({ length: 200 }, (_, i) => `${i} `).join('')}`,
    })
  })

  it('U1 lets a throwing listener harm only itself', () => {
    const { runtime } = createRig()
    const report = vi.spyOn(globalThis, 'reportError').mockImplementation(() => {})
    const heard = vi.fn()
    runtime.subscribe(() => {
      throw new Error('bad listener')
    })
    runtime.subscribe(heard)
    runtime.openDraft(MAIN)
    expect(heard).toHaveBeenCalled()
    expect(report).toHaveBeenCalled()
    report.mockRestore()
  })

  it('U1 does not wake a reader of sides when somebody types', () => {
    const { runtime } = createRig()
    const draft = runtime.openDraft(MAIN)
    const before = runtime.sidesOf(MAIN.sessionId)
    runtime.setDraft(draft, 'half a sen')
    expect(runtime.sidesOf(MAIN.sessionId)).toBe(before)
    expect(runtime.draftOf(draft)).toBe('half a sen')
  })
})

describe('U2 states', () => {
  it('U2 D1 K36 opens an empty side without telling the host', async () => {
    const rig = createRig()
    for (let i = 0; i < 5; i += 1) rig.runtime.openDraft(MAIN)
    await rig.pass(120_000)
    expect(rig.runtime.sidesOf(MAIN.sessionId).side).toHaveLength(1)
    expect(rig.only().status).toEqual({ phase: 'draft' })
    expect(rig.transport.calls).toEqual([])
  })

  it('U2 K10 shows opening at once, without a probe, then running, then idle', async () => {
    const rig = createRig()
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'btw', 'why')
    expect(rig.only().status.phase).toBe('opening')
    await accepted
    expect(rig.only().status).toEqual({ phase: 'running', turnId: rig.transport.at(0).turnId, stopping: false })
    expect(rig.only().facts).toEqual(FACTS)
    rig.transport.emit(sideId, ...answered(rig.transport.at(0).turnId, 'why', 'because'))
    await rig.paint()
    expect(rig.only().status).toEqual({ phase: 'idle' })
    expect(rig.transport.calls.map((call) => call.verb)).toEqual(['open'])
  })

  it('U2 opens a draft shell with its first question and keeps its id', async () => {
    const rig = createRig()
    const draft = rig.runtime.openDraft(MAIN)
    expect(rig.runtime.send(draft, 'from the shell')).toBe('sent')
    await rig.paint()
    expect(rig.only()).toMatchObject({ sideId: draft, title: 'from the shell', status: { phase: 'running' } })
    expect(rig.transport.at(0)).toMatchObject({ sideId: draft, kind: 'side', parent: MAIN })
  })

  it('U2 gives up an open that the host never answers, and closes what comes late (P4)', async () => {
    const rig = createRig()
    rig.transport.script.open = 'hold'
    const { accepted } = rig.runtime.ask(MAIN, 'side', 'hello?')
    const refused = expect(accepted).rejects.toMatchObject({ code: 'provider_error' })
    await rig.pass(36_000)
    await refused
    expect(rig.only().status).toEqual({ phase: 'error', code: 'provider_error' })
    expect(rig.transport.of('close')).toEqual([])
    rig.transport.settle('open')
    await rig.paint()
    expect(rig.transport.of('close')).toEqual([[rig.transport.at(0).sideId, 0]])
    expect(rig.only().status.phase).toBe('error')
  })

  it('U2 sends a question with its attachments and asks with the route it was given', async () => {
    const rig = createRig()
    const image = { type: 'image', ref: 7 } as const
    const route = { provider: 'p', model: 'm' }
    await rig.runtime.ask(MAIN, 'side', ' literal\n', { attachments: [image], route }).accepted
    expect(rig.transport.at(0)).toMatchObject({ content: [{ type: 'text', text: ' literal\n' }, image], route })
  })
})

describe('U3 optimistic turns', () => {
  it('U3 K45 shows the question at once and replaces it by the provider copy of the same turn', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.send(side, 'second')
    expect(rig.only().turns.map((turn) => turn.question)).toEqual(['first', 'second'])
    const turnId = rig.transport.lastSent()
    rig.transport.emit(side, say.running(turnId))
    await rig.paint()
    expect(rig.only().turns.map((turn) => turn.question)).toEqual(['first', 'second'])
    rig.transport.emit(side, say.question(turnId, 'second'), say.text(turnId, 'two'), say.settled(turnId))
    await rig.paint()
    expect(rig.only().turns).toHaveLength(2)
    expect(rig.only().turns[1]).toMatchObject({ turnId, question: 'second', phase: 'settled' })
  })

  it('U3 returns the text of a refused follow-up to the composer and stays usable', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.transport.script.send = 'provider_error'
    rig.runtime.send(side, 'refuse me')
    expect(rig.runtime.draftOf(side)).toBe('')
    await rig.paint()
    expect(rig.runtime.draftOf(side)).toBe('refuse me')
    expect(rig.only()).toMatchObject({ status: { phase: 'idle' }, notice: { code: 'provider_error', verb: 'send' } })
    expect(rig.only().turns).toHaveLength(1)
    rig.transport.script.send = 'accept'
    expect(rig.runtime.send(side, 'refuse me')).toBe('sent')
    await rig.paint()
    expect(rig.only()).toMatchObject({ notice: null, status: { phase: 'running' } })
  })

  it('U3 I9 keeps what was typed meanwhile when a refused text comes back', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.transport.script.send = 'hold'
    rig.runtime.send(side, 'first try')
    rig.runtime.setDraft(side, 'typed on')
    rig.transport.refuse('send', 'provider_error')
    await rig.paint()
    expect(rig.runtime.draftOf(side)).toBe('first try\ntyped on')
  })

  it('U3 does not give a text back when its turn came anyway', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.transport.script.send = 'hold'
    rig.runtime.send(side, 'arrived')
    rig.transport.emit(side, say.question(rig.transport.lastSent(), 'arrived'), say.running(rig.transport.lastSent()))
    await rig.paint()
    rig.transport.refuse('send', 'stream_unavailable')
    await rig.paint()
    expect(rig.runtime.draftOf(side)).toBe('')
    expect(rig.only().turns).toHaveLength(2)
  })

  it('U3 keeps a refused first question of a draft shell in its composer, and opens under a new id at the host', async () => {
    const rig = createRig()
    const draft = rig.runtime.openDraft(MAIN)
    rig.transport.script.open = 'limit_reached'
    rig.runtime.send(draft, 'no room')
    await rig.paint()
    expect(rig.only()).toMatchObject({ status: { phase: 'error', code: 'limit_reached' }, turns: [] })
    expect(rig.runtime.draftOf(draft)).toBe('no room')
    rig.transport.script.open = 'accept'
    rig.runtime.send(draft, 'no room')
    await rig.paint()
    expect(rig.only()).toMatchObject({ sideId: draft, status: { phase: 'running' } })
    expect(rig.transport.at(1).sideId).not.toBe(rig.transport.at(0).sideId)
    expect(rig.runtime.find(rig.transport.at(1).sideId)?.sideId).toBe(draft)
  })

  it('U3 K10 rejects what main asked, shows why on the card, and can ask again', async () => {
    const rig = createRig()
    rig.transport.script.open = 'unsupported'
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'btw', 'why')
    await expect(accepted).rejects.toMatchObject({ name: 'SideError', code: 'unsupported' })
    expect(rig.only()).toMatchObject({
      status: { phase: 'error', code: 'unsupported' },
      turns: [{ question: 'why', outcome: 'failed', error: { code: 'unsupported' } }],
    })
    rig.transport.script.open = 'accept'
    expect(rig.runtime.retry(sideId)).toBe(sideId)
    await rig.paint()
    expect(rig.only()).toMatchObject({ status: { phase: 'running' }, turns: [{ question: 'why', phase: 'submitted' }] })
  })

  it('U3 replaces the card of a refusal when the same question is asked again', async () => {
    const rig = createRig()
    rig.transport.script.open = 'provider_error'
    rig.runtime.ask(MAIN, 'btw', 'why')
    await rig.paint()
    rig.transport.script.open = 'accept'
    await rig.runtime.ask(MAIN, 'btw', 'why').accepted
    expect(rig.only().status.phase).toBe('running')
  })

  it('U3 keeps the text of a side that was stopped before it opened', async () => {
    const rig = createRig()
    rig.transport.script.open = 'hold'
    const draft = rig.runtime.openDraft(MAIN)
    rig.runtime.send(draft, 'too slow')
    rig.runtime.stop(draft)
    await rig.paint()
    expect(rig.only().status.phase).toBe('draft')
    expect(rig.runtime.draftOf(draft)).toBe('too slow')
    expect(rig.transport.opened[0]?.signal.aborted).toBe(true)
  })

  it('U3 I9 keeps the question of a retry that is stopped before it opened', async () => {
    const rig = createRig()
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'btw', 'why?')
    await accepted
    rig.transport.script.open = 'hold'
    rig.runtime.stop(rig.runtime.retry(sideId))
    expect(rig.runtime.sidesOf(MAIN.sessionId).closing).toHaveLength(1)
    await rig.pass(60_000)
    expect(rig.runtime.sidesOf(MAIN.sessionId).recent).toMatchObject([{ unsent: 'why?' }])
  })

  it('U3 I9 keeps a refused question in the composer when another one takes its place on the card', async () => {
    const rig = createRig()
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'btw', 'why?')
    await accepted
    rig.transport.script.open = 'provider_error'
    const card = rig.runtime.retry(sideId)
    await rig.paint()
    expect(rig.runtime.find(card)?.status).toEqual({ phase: 'error', code: 'provider_error' })
    rig.transport.script.open = 'accept'
    expect(rig.runtime.send(card, 'how?')).toBe('sent')
    await rig.paint()
    expect(rig.only().turns.map((turn) => turn.question)).toEqual(['how?'])
    expect(rig.runtime.draftOf(card)).toBe('why?')
  })

  it('U3 tells a canceled question from a refused one', async () => {
    const rig = createRig()
    rig.transport.script.open = 'hold'
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'btw', 'never mind')
    rig.runtime.close(sideId)
    await expect(accepted).rejects.toBeInstanceOf(AskCanceled)
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({ btw: [], closing: [], recent: [] })
  })
})

describe('stream', () => {
  it('rebuilds from nothing after a reset without showing nothing meanwhile', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    const { turnId } = rig.transport.at(0)
    rig.transport.signal(side, { kind: 'reset' })
    await rig.paint()
    expect(rig.only().turns[0]?.items).toHaveLength(1)
    rig.transport.emit(side, say.question(turnId, 'first'), say.running(turnId), say.text(turnId, 'so far and on'))
    await rig.paint()
    expect(rig.only().turns).toHaveLength(1)
    expect(rig.only().turns[0]?.items).toEqual([{ kind: 'text', messageId: `${turnId}-a`, text: 'so far and on' }])
  })

  it('E7 opens nothing without a connection, keeps the question, and opens with one', async () => {
    const rig = createRig()
    rig.transport.script.open = 'stream_unavailable'
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'side', 'hello?')
    await expect(accepted).rejects.toMatchObject({ code: 'stream_unavailable' })
    expect(rig.only()).toMatchObject({
      status: { phase: 'error', code: 'stream_unavailable' },
      turns: [{ question: 'hello?' }],
    })
    expect(rig.transport.followers(rig.transport.at(0).sideId)).toBe(0)
    rig.transport.script.open = 'accept'
    rig.runtime.retry(sideId)
    await rig.paint()
    expect(rig.only().status.phase).toBe('running')
    expect(rig.transport.followers(rig.transport.at(1).sideId)).toBe(1)
  })

  it('E7 shows how the stream stands, and ends a side whose stream is over for good', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    for (const state of ['connected', 'disconnected', 'connecting', 'connected'] as const) {
      rig.transport.signal(side, { kind: 'connection', state })
      await rig.paint()
      expect(rig.only()).toMatchObject({ connection: state, status: { phase: 'running' } })
    }
    rig.transport.signal(side, { kind: 'connection', state: 'disposed' })
    await rig.paint()
    expect(rig.only().status).toEqual({ phase: 'expired', reason: 'stream_lost' })
    expect(rig.only().turns[0]?.items[0]).toMatchObject({ text: 'so far' })
  })

  it('I9 keeps a partial answer when the connection is lost and says so', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.transport.signal(side, { kind: 'connection', state: 'disconnected' })
    await rig.paint()
    expect(rig.only()).toMatchObject({ connection: 'disconnected', status: { phase: 'running' } })
    expect(rig.only().turns[0]?.items).toHaveLength(1)
  })

  it('E3 changes the turn that an event names and no other', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.send(side, 'second')
    const [one, two] = [rig.transport.at(0).turnId, rig.transport.lastSent()]
    rig.transport.emit(side, say.question(two, 'second'), say.running(two), say.text(one, ' late'))
    await rig.paint()
    expect(rig.only().turns[0]?.items[0]).toMatchObject({ text: 'answer one late' })
    expect(rig.only().turns[1]?.items).toEqual([])
  })
})

describe('queue', () => {
  it('T2 K13 queues in order while a turn runs and sends one per settled turn', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    expect(rig.runtime.send(side, 'a')).toBe('queued')
    expect(rig.runtime.send(side, 'b')).toBe('queued')
    expect(rig.only().queue.messages.map((message) => message.text)).toEqual(['a', 'b'])
    rig.transport.emit(side, say.settled(rig.transport.at(0).turnId))
    await rig.paint()
    expect(rig.transport.of('send')).toEqual([[side, expect.any(String), [{ type: 'text', text: 'a' }], {}]])
    expect(rig.only().queue.messages.map((message) => message.text)).toEqual(['b'])
    rig.transport.emit(side, ...answered(rig.transport.lastSent(), 'a', 'A'))
    await rig.paint()
    expect(rig.transport.of('send')).toHaveLength(2)
    expect(rig.only().queue.messages).toEqual([])
  })

  it('T2 queues while the side is opening', async () => {
    const rig = createRig()
    rig.transport.script.open = 'hold'
    const { sideId } = rig.runtime.ask(MAIN, 'side', 'first')
    expect(rig.runtime.send(sideId, 'next')).toBe('queued')
    rig.transport.settle('open')
    await rig.paint()
    expect(rig.transport.of('send')).toEqual([])
  })

  it('D10 refuses the eleventh and says why', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    for (let i = 0; i < 10; i += 1) expect(rig.runtime.send(side, `m${i}`)).toBe('queued')
    expect(rig.runtime.send(side, 'm10')).toBe('refused')
    expect(rig.only().notice).toEqual({ code: 'limit_reached', verb: 'queue' })
    expect(rig.only().queue.messages).toHaveLength(10)
  })

  it('D11 stop keeps the partial answer and pauses the queue until the person goes on', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    const { turnId } = rig.transport.at(0)
    rig.runtime.send(side, 'waiting')
    rig.runtime.stop(side)
    expect(rig.only().status).toMatchObject({ phase: 'running', stopping: true })
    expect(rig.transport.of('cancel')).toEqual([[side, turnId]])
    rig.transport.emit(side, say.settled(turnId, 'canceled'))
    await rig.paint()
    expect(rig.only()).toMatchObject({
      status: { phase: 'idle' },
      queue: { paused: true, messages: [{ text: 'waiting' }] },
    })
    expect(rig.only().turns[0]?.items).toHaveLength(1)
    expect(rig.transport.of('send')).toEqual([])
    rig.runtime.resumeQueue(side)
    await rig.paint()
    expect(rig.transport.of('send')).toHaveLength(1)
    expect(rig.only().queue).toEqual({ messages: [], paused: false })
  })

  it('D11 edits and removes what waits, and sends nothing that is being edited', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.runtime.send(side, 'one')
    rig.runtime.send(side, 'two')
    const [one, two] = rig.only().queue.messages
    rig.runtime.holdQueued(side, one?.id ?? '')
    rig.runtime.removeQueued(side, two?.id ?? '')
    rig.transport.emit(side, say.settled(rig.transport.at(0).turnId))
    await rig.paint()
    expect(rig.transport.of('send')).toEqual([])
    rig.runtime.editQueued(side, one?.id ?? '', 'one, better')
    rig.runtime.holdQueued(side, null)
    await rig.paint()
    expect(rig.transport.of('send').map((call) => call[2])).toEqual([[{ type: 'text', text: 'one, better' }]])
  })

  it('pauses after a failed turn', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.runtime.send(side, 'waiting')
    rig.transport.emit(side, say.settled(rig.transport.at(0).turnId, 'failed'))
    await rig.paint()
    expect(rig.only().queue.paused).toBe(true)
    expect(rig.transport.of('send')).toEqual([])
  })

  it('T2 puts a queued message back to the head when the host still sees a turn, and tries again', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.runtime.send(side, 'waiting')
    rig.transport.script.send = 'turn_active'
    rig.transport.emit(side, say.settled(rig.transport.at(0).turnId))
    await rig.paint()
    expect(rig.only()).toMatchObject({ queue: { paused: false, messages: [{ text: 'waiting' }] }, notice: null })
    rig.transport.script.send = 'accept'
    await rig.pass(1_000)
    expect(rig.only().queue.messages).toEqual([])
    expect(rig.transport.of('send')).toHaveLength(2)
  })

  it('T2 queues a follow-up that the host refused as turn_active instead of losing it', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.transport.script.send = 'turn_active'
    rig.runtime.send(side, 'again')
    await rig.paint()
    expect(rig.only().queue.messages).toMatchObject([{ text: 'again' }])
    expect(rig.runtime.draftOf(side)).toBe('')
  })

  it('puts a queued message back and pauses when its send fails', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.runtime.send(side, 'waiting')
    rig.transport.script.send = 'provider_error'
    rig.transport.emit(side, say.settled(rig.transport.at(0).turnId))
    await rig.paint()
    expect(rig.only().queue).toMatchObject({ paused: true, messages: [{ text: 'waiting' }] })
    expect(rig.runtime.draftOf(side)).toBe('')
  })

  it('refuses blank text', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    for (const blank of ['', ' ', '\n\t']) expect(rig.runtime.send(side, blank)).toBe('refused')
  })
})

describe('stop', () => {
  it('settles a turn that the host no longer knows (T4)', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.transport.cancelAnswer = { canceled: false, targetAbsent: true }
    rig.runtime.stop(side)
    await rig.paint()
    expect(rig.only().status).toEqual({ phase: 'idle' })
    expect(rig.only().turns[0]).toMatchObject({ phase: 'settled', outcome: 'interrupted', items: [{ text: 'so far' }] })
  })

  it('says so when stopping failed and lets the person try again', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.transport.script.cancel = 'provider_error'
    rig.runtime.stop(side)
    await rig.paint()
    expect(rig.only()).toMatchObject({ status: { phase: 'running', stopping: false }, notice: { verb: 'stop' } })
  })

  it('K25 touches only its own side', async () => {
    const rig = createRig()
    const one = await runningSide(rig, 'one')
    const two = await runningSide(rig, 'two')
    rig.runtime.stop(two)
    expect(rig.transport.of('cancel')).toHaveLength(1)
    expect(rig.runtime.find(one)?.status).toMatchObject({ phase: 'running', stopping: false })
  })
})

describe('retry', () => {
  it('asks the same question as a new turn of a side and keeps the earlier one', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.retry(side)
    await rig.paint()
    const again = rig.transport.lastSent()
    const { turnId } = rig.transport.at(0)
    expect(again).not.toBe(turnId)
    expect(rig.only().turns.map((turn) => [turn.turnId, turn.question])).toEqual([[again, 'first']])
    expect(rig.only().earlier[again]?.map((turn) => turn.turnId)).toEqual([turnId])
    expect(rig.transport.of('send').at(-1)?.[3]).toEqual({ instead: turnId })
  })

  it('opens a new side for a btw, in the same place, and drops the failed one', async () => {
    const rig = createRig()
    const first = await idleSide(rig, 'btw', 'one')
    await idleSide(rig, 'btw', 'two')
    const fresh = rig.runtime.retry(first)
    await rig.paint()
    const sides = rig.runtime.sidesOf(MAIN.sessionId)
    expect(sides.btw.map((side) => side.title)).toEqual(['one', 'two'])
    expect(sides.btw[0]?.sideId).toBe(fresh)
    expect(sides.shownBtw).toBe(fresh)
    expect(rig.transport.of('close')).toEqual([[first, 0]])
  })

  it('keeps every attempt of a btw beside the newest one, and in recent after it', async () => {
    const rig = createRig()
    let side = await idleSide(rig, 'btw', 'one')
    for (let at = 0; at < 2; at += 1) {
      side = rig.runtime.retry(side)
      await rig.paint()
      const { sideId, turnId } = rig.transport.at(-1)
      rig.transport.emit(sideId, ...answered(turnId, 'one', `attempt ${at + 2}`))
      await rig.paint()
    }
    const shown = rig.only()
    expect(shown.turns).toHaveLength(1)
    expect(shown.earlier[shown.turns[0]?.turnId ?? '']).toHaveLength(2)
    expect(rig.runtime.sidesOf(MAIN.sessionId).recent).toEqual([])
    rig.runtime.close(side)
    await rig.pass(60_000)
    const [recent] = rig.runtime.sidesOf(MAIN.sessionId).recent
    expect(Object.values(recent?.earlier ?? {}).flat()).toHaveLength(2)
  })

  it('reads the former attempt again when a retry is given up', async () => {
    const rig = createRig()
    const side = await idleSide(rig, 'btw', 'one')
    const before = rig.only().turns[0]?.turnId
    rig.transport.script.open = 'hold'
    const fresh = rig.runtime.retry(side)
    rig.runtime.stop(fresh)
    rig.runtime.undo(fresh)
    await rig.paint()
    expect(rig.only().turns.map((turn) => turn.turnId)).toEqual([before])
  })

  it('asks an earlier question of a side again as a turn of its own, and the model keeps both', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.send(side, 'second')
    rig.transport.emit(side, ...answered(rig.transport.lastSent(), 'second', 'two'))
    await rig.paint()
    rig.runtime.retry(side, rig.transport.at(0).turnId)
    await rig.paint()
    expect(rig.only().turns.map((turn) => turn.question)).toEqual(['first', 'second', 'first'])
    expect(rig.transport.of('send').at(-1)?.[3]).toEqual({})
  })
})

describe('models', () => {
  const OWN = { provider: 'tide', model: 'pro', effort: 'low' }

  it('[K39] [K40] asks what was chosen for this side from its next turn on, and no other side', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.pick(side, OWN)
    rig.runtime.send(side, 'second')
    await rig.paint()
    expect(rig.transport.of('send').at(-1)?.[3]).toEqual({ route: OWN })
    expect(rig.only().facts?.route).toEqual(OWN)
    rig.runtime.ask(MAIN, 'btw', 'other')
    expect(rig.transport.at(-1)).not.toHaveProperty('route')
  })

  it('[K39] opens a draft with what was chosen for it', async () => {
    const rig = createRig()
    const draft = rig.runtime.openDraft(MAIN)
    rig.runtime.pick(draft, OWN)
    rig.runtime.send(draft, 'first')
    expect(rig.transport.at(0)).toMatchObject({ route: OWN })
  })

  it('[K39] begins new sides of that conversation with what is remembered, until it is forgotten', async () => {
    const rig = createRig()
    rig.runtime.models.remember(MAIN.sessionId, OWN)
    rig.runtime.ask(MAIN, 'btw', 'one')
    rig.runtime.ask(OTHER, 'btw', 'elsewhere')
    rig.runtime.models.remember(MAIN.sessionId, null)
    rig.runtime.ask(MAIN, 'btw', 'two')
    expect(rig.transport.opened.map(({ route }) => route)).toEqual([OWN, undefined, undefined])
  })

  it('retries with another model, and keeps it', async () => {
    const rig = createRig()
    const btw = await idleSide(rig, 'btw', 'one')
    const fresh = rig.runtime.retry(btw, undefined, OWN)
    expect(rig.transport.at(-1)).toMatchObject({ route: OWN })
    expect(rig.runtime.find(fresh)?.route).toEqual(OWN)
  })

  it('asks the host for its models once at a time, and keeps what it knows when that fails', async () => {
    const rig = createRig()
    const { models } = rig.runtime
    expect(models.catalogOf(MAIN.sessionId).providers).toEqual([])
    models.load(MAIN, true)
    await rig.paint()
    expect(models.catalogOf(MAIN.sessionId).providers).toHaveLength(2)
    const known = models.catalogOf(MAIN.sessionId)
    rig.transport.models = () => Promise.reject(new Error('gone'))
    models.load(MAIN)
    await rig.paint()
    expect(models.catalogOf(MAIN.sessionId)).toBe(known)
  })
})

describe('T6 prompts', () => {
  it('T6 keeps a prompt until the event confirms it', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    const { turnId } = rig.transport.at(0)
    const prompt = (status: 'pending' | 'answered') => ({
      eventType: 'state_patch' as const,
      data: { interaction: { requestId: 'r', turnId, kind: 'approval' as const, status, input: {} } },
    })
    rig.transport.emit(side, prompt('pending'))
    await rig.paint()
    void rig.runtime.respond(side, turnId, 'r', { decision: 'approve' })
    await rig.paint()
    expect(rig.only().turns[0]?.interactions[0]?.status).toBe('pending')
    rig.transport.emit(side, prompt('answered'))
    await rig.paint()
    expect(rig.only().turns[0]?.interactions[0]?.status).toBe('answered')
  })

  it('T6 says so when the answer was refused', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.transport.script.respond = 'interaction_already_answered'
    void rig.runtime.respond(side, rig.transport.at(0).turnId, 'r', {})
    await rig.paint()
    expect(rig.only().notice).toEqual({ code: 'interaction_already_answered', verb: 'respond' })
  })
})

describe('U4 ended sides', () => {
  it('U4 K33 keeps an expired side readable with its reason and follows it no more', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.transport.emit(side, say.expired('parked_too_long'))
    await rig.paint()
    expect(rig.only()).toMatchObject({
      status: { phase: 'expired', reason: 'parked_too_long' },
      turns: [{ question: 'first' }],
    })
    expect(rig.transport.followers(side)).toBe(0)
    expect(rig.runtime.send(side, 'hello?')).toBe('refused')
  })

  it('U4 starts again in the same place, the old transcript in recent, the draft and the queue kept', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.runtime.send(side, 'queued')
    rig.runtime.setDraft(side, 'typed')
    rig.transport.emit(side, say.expired('provider_lost'))
    await rig.paint()
    rig.runtime.startAgain(MAIN, side)
    expect(rig.only()).toMatchObject({
      sideId: side,
      status: { phase: 'draft' },
      turns: [],
      queue: { messages: [{ text: 'queued' }] },
    })
    expect(rig.runtime.draftOf(side)).toBe('typed')
    expect(rig.runtime.sidesOf(MAIN.sessionId).recent).toMatchObject([
      { title: 'first', turns: [{ question: 'first' }] },
    ])
    rig.runtime.send(side, 'typed')
    await rig.paint()
    expect(rig.transport.at(1).sideId).not.toBe(side)
  })

  it('U4 I9 starts again with the questions that got no answer, and with what was typed since', async () => {
    const rig = createRig()
    const { sideId, accepted } = rig.runtime.ask(MAIN, 'side', 'first')
    await accepted
    rig.runtime.setDraft(sideId, 'typed')
    rig.transport.emit(sideId, say.expired('provider_lost'))
    await rig.paint()
    rig.runtime.startAgain(MAIN, sideId)
    expect(rig.runtime.draftOf(sideId)).toBe('first\ntyped')
  })

  it('U4 turns a refused follow-up on a gone side into an expired card, with the text kept', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.transport.script.send = 'expired'
    rig.runtime.send(side, 'still there?')
    await rig.paint()
    expect(rig.only().status.phase).toBe('expired')
    expect(rig.runtime.draftOf(side)).toBe('still there?')
  })

  it('D6 K32 hides a closed side, can undo it for 8 s in its place, then keeps it in recent', async () => {
    const rig = createRig()
    const one = await idleSide(rig, 'side', 'one')
    const two = await idleSide(rig, 'side', 'two')
    rig.runtime.close(one)
    expect(rig.transport.of('close')).toEqual([[one, 8_000]])
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({
      side: [{ sideId: two }],
      closing: [{ sideId: one }],
      shownSide: two,
    })
    await rig.pass(7_900)
    rig.runtime.undo(one)
    await rig.paint()
    expect(rig.transport.of('reopen')).toEqual([[one]])
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({
      side: [{ sideId: one }, { sideId: two }],
      closing: [],
      shownSide: one,
    })
    rig.runtime.close(one)
    await rig.pass(8_000)
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({
      side: [{ sideId: two }],
      closing: [],
      recent: [{ title: 'one' }],
    })
    expect(rig.transport.followers(one)).toBe(0)
    expect(rig.runtime.find(one)).toBeNull()
  })

  it('D6 counts down the windows that the host was configured with, once it told them', async () => {
    const rig = createRig()
    rig.runtime.configure({ undoMs: 2_000, parkedMs: 60_000 })
    const one = await idleSide(rig, 'side', 'one')
    rig.runtime.setVisible(one, true)
    rig.runtime.setVisible(one, false)
    await rig.pass(1_000)
    const { endsAt } = rig.only()
    expect(endsAt).not.toBeNull()
    await rig.pass(10)
    expect((endsAt ?? 0) - 1_000_000).toBeLessThanOrEqual(62_000)
    rig.runtime.close(one)
    expect(rig.transport.of('close')).toEqual([[one, 2_000]])
    await rig.pass(2_000)
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({ closing: [], recent: [{ title: 'one' }] })
    rig.runtime.configure({})
    const two = await idleSide(rig, 'side', 'two')
    rig.runtime.close(two)
    expect(rig.transport.of('close').at(-1)).toEqual([two, 8_000])
  })

  it('D6 reopens only after the host has heard of the close', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.transport.script.close = 'hold'
    rig.runtime.close(side)
    rig.runtime.undo(side)
    await rig.paint()
    expect(rig.transport.of('reopen')).toEqual([])
    rig.transport.settle('close')
    await rig.paint()
    expect(rig.transport.of('reopen')).toEqual([[side]])
  })

  it('D6 shows an undone side as ended when the host had let it go', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.transport.script.reopen = 'not_found'
    rig.runtime.close(side)
    rig.runtime.undo(side)
    await rig.paint()
    expect(rig.only()).toMatchObject({ status: { phase: 'expired' }, turns: [{ question: 'first' }] })
  })

  it('K19 keeps queued and typed text of a closed side', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.runtime.send(side, 'queued')
    rig.runtime.setDraft(side, 'typed')
    rig.runtime.close(side)
    await rig.pass(8_000)
    const [recent] = rig.runtime.sidesOf(MAIN.sessionId).recent
    expect(recent?.unsent).toBe('queued\ntyped')
    const fresh = rig.runtime.startAgain(MAIN, recent?.sideId ?? '')
    expect(rig.runtime.draftOf(fresh)).toBe('queued\ntyped')
    expect(rig.runtime.sidesOf(MAIN.sessionId).recent).toEqual([])
  })

  it('drops an empty shell at once and sends nothing', () => {
    const rig = createRig()
    rig.runtime.close(rig.runtime.openDraft(MAIN))
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toBe(NO_SIDES)
    expect(rig.transport.calls).toEqual([])
  })

  it('keeps at most 20 in recent and forgets on request', async () => {
    const rig = createRig({ undoMs: 0 })
    for (let i = 0; i < 22; i += 1) rig.runtime.close(await idleSide(rig, 'side', `q${i}`))
    const { recent } = rig.runtime.sidesOf(MAIN.sessionId)
    expect(recent.map((side) => side.title).slice(0, 2)).toEqual(['q21', 'q20'])
    expect(recent).toHaveLength(20)
    rig.runtime.forget(MAIN.sessionId, recent[0]?.sideId ?? '')
    expect(rig.runtime.sidesOf(MAIN.sessionId).recent).toHaveLength(19)
  })
})

describe('U5 dispose', () => {
  it('U5 unsubscribes, closes its sides and its pending closes, and leaves no timer', async () => {
    const rig = createRig()
    const open = await idleSide(rig, 'side', 'open')
    const closing = await idleSide(rig, 'side', 'closing')
    rig.runtime.setVisible(open, true)
    rig.runtime.close(closing)
    rig.transport.calls.length = 0
    await rig.runtime.dispose()
    await rig.runtime.dispose()
    expect(rig.transport.of('close')).toEqual([
      [open, 0],
      [closing, 0],
    ])
    expect(rig.transport.followers(open) + rig.transport.followers(closing)).toBe(0)
    expect(rig.transport.disposed).toBe(true)
    expect(rig.timers()).toBe(0)
  })

  it('U5 closes a side that opens after the end', async () => {
    const rig = createRig()
    rig.transport.script.open = 'hold'
    const { accepted } = rig.runtime.ask(MAIN, 'side', 'late')
    const canceled = expect(accepted).rejects.toBeInstanceOf(AskCanceled)
    const done = rig.runtime.dispose()
    await canceled
    await done
    rig.transport.settle('open')
    await rig.paint()
    expect(rig.transport.of('close')).toEqual([[rig.transport.at(0).sideId, 0]])
  })

  it('U5 does not wait for a host that does not answer', async () => {
    const rig = createRig()
    await idleSide(rig)
    rig.transport.script.close = 'hold'
    const done = rig.runtime.dispose()
    await rig.pass(3_000)
    await done
    expect(rig.transport.disposed).toBe(true)
  })
})

describe('U6 conversations', () => {
  it('U6 K26 shows a side under its own conversation only, and brings it back', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    expect(rig.runtime.sidesOf(OTHER.sessionId)).toBe(NO_SIDES)
    const before = rig.runtime.sidesOf(MAIN.sessionId)
    rig.runtime.openDraft(OTHER)
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toBe(before)
    rig.transport.emit(side, say.text(rig.transport.at(0).turnId, ', and on'), say.settled(rig.transport.at(0).turnId))
    await rig.paint()
    expect(rig.runtime.sidesOf(MAIN.sessionId).side[0]?.turns[0]?.items[0]).toMatchObject({ text: 'so far, and on' })
    expect(rig.runtime.sidesOf(OTHER.sessionId).side).toHaveLength(1)
  })

  it('U6 marks an answer that landed while nobody looked', async () => {
    const rig = createRig()
    const side = await runningSide(rig)
    rig.transport.emit(side, say.settled(rig.transport.at(0).turnId))
    await rig.paint()
    expect(rig.only().unread).toBe(true)
    rig.runtime.setVisible(side, true)
    expect(rig.only().unread).toBe(false)
  })

  it('D8 shows the newest btw, reaches the others, and falls back to a neighbour', async () => {
    const rig = createRig()
    const one = await idleSide(rig, 'btw', 'one')
    const two = await idleSide(rig, 'btw', 'two')
    expect(rig.runtime.sidesOf(MAIN.sessionId).shownBtw).toBe(two)
    rig.runtime.show(one)
    expect(rig.runtime.sidesOf(MAIN.sessionId).shownBtw).toBe(one)
    rig.runtime.close(one)
    expect(rig.runtime.sidesOf(MAIN.sessionId).shownBtw).toBe(two)
  })
})

describe('T10 presence', () => {
  it('T10 touches a visible side every 20 s, parks it once when hidden, and tells when it ends', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.setVisible(side, true)
    await rig.pass(60_000)
    expect(rig.transport.of('touch')).toEqual([
      [side, true],
      [side, true],
      [side, true],
    ])
    rig.runtime.setVisible(side, false)
    await rig.pass(60_000)
    expect(rig.transport.of('touch').slice(3)).toEqual([[side, false]])
    expect(rig.only().endsAt).toBeGreaterThan(0)
    rig.runtime.setVisible(side, true)
    expect(rig.only().endsAt).toBeNull()
    expect(rig.transport.of('touch').at(-1)).toEqual([side, true])
  })

  it('T10 says nothing when a surface is only mounted anew', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.setVisible(side, true)
    rig.runtime.setVisible(side, false)
    rig.runtime.setVisible(side, true)
    await rig.pass(5_000)
    expect(rig.transport.of('touch')).toEqual([])
  })

  it('D7 tells the host when the page is hidden and when it is back', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.setVisible(side, true)
    rig.showPage(false)
    expect(rig.transport.of('touch')).toEqual([[side, false]])
    rig.showPage(true)
    expect(rig.transport.of('touch')).toEqual([
      [side, false],
      [side, true],
    ])
  })

  it('D7 restores the sides of this page after a reload, once', async () => {
    const rig = createRig()
    rig.transport.restorable.push({ sideId: 'old', kind: 'side', title: 'before', facts: FACTS })
    await Promise.all([rig.runtime.restore(MAIN), rig.runtime.restore(MAIN)])
    await rig.runtime.restore(MAIN)
    expect(rig.only()).toMatchObject({ sideId: 'old', title: 'before', status: { phase: 'idle' }, facts: FACTS })
    rig.transport.signal('old', { kind: 'reset' })
    rig.transport.emit('old', say.question('t', 'before'), say.running('t'), say.text('t', 'half'))
    await rig.paint()
    expect(rig.only()).toMatchObject({ status: { phase: 'running', turnId: 't' }, turns: [{ question: 'before' }] })
    rig.runtime.setVisible('old', true)
    expect(rig.transport.of('touch')).toEqual([['old', true]])
  })

  it('D7 survives a host that cannot restore', async () => {
    const rig = createRig()
    rig.transport.script.restore = 'stream_unavailable'
    await rig.runtime.restore(MAIN)
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toBe(NO_SIDES)
  })

  it('D7 expires a side when the host says that it is gone', async () => {
    const rig = createRig()
    const side = await idleSide(rig)
    rig.runtime.setVisible(side, true)
    rig.transport.script.touch = 'not_found'
    await rig.pass(20_000)
    expect(rig.only().status).toEqual({ phase: 'expired', reason: 'client_lost' })
  })
})

describe('K30 ask box', () => {
  it('K30 stays open for the next question', async () => {
    const rig = createRig()
    const box = rig.runtime.openDraft(MAIN, 'btw')
    expect(rig.only()).toMatchObject({ askBox: true, status: { phase: 'draft' } })
    rig.runtime.send(box, 'one')
    await rig.paint()
    rig.transport.emit(box, ...answered(rig.transport.at(0).turnId, 'one', '1'))
    await rig.paint()
    expect(rig.runtime.send(box, 'two')).toBe('sent')
    await rig.paint()
    const { btw, shownBtw } = rig.runtime.sidesOf(MAIN.sessionId)
    expect(btw.map((side) => [side.title, side.askBox])).toEqual([
      ['one', true],
      ['two', true],
    ])
    expect(shownBtw).toBe(btw[1]?.sideId)
  })
})
