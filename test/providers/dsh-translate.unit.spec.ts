/** The translator on logs that real sides wrote. How a client takes them off a stream is test/ui/dsh-stream.spec.ts. */
import { describe, expect, it } from 'vitest'

import type { SideEvent } from '../../src/core/contract.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript } from '../../src/core/projector.ts'
import { createTranslator, REFUSAL_MARK, type VendorEvent } from '../../src/providers/dsh/translate.ts'
import { newLog, oldLog, SIDE_LOGS, type SideLog } from '../kit/side-log.ts'

type Sent = SideLog['sent'][number]

/** What a person reads when the host sent this. */
function read(from: number, sent: readonly Sent[]): Transcript {
  const translator = createTranslator({ from })
  const events = sent.flatMap((entry): SideEvent[] => {
    if (entry.type === 'event') return translator.event(entry.event)
    const { frame } = entry
    if (frame.type === 'chunk') return translator.frame({ type: 'chunk', chunk: frame.chunk, time: frame.time })
    if (frame.type === 'end') return translator.frame({ type: 'end', outcome: frame.outcome })
    return translator.frame({ type: 'start', turn: frame.turn, step: frame.step })
  })
  return events.reduce((view, event) => project(view, event), EMPTY_TRANSCRIPT)
}

function eventsOf(log: SideLog): VendorEvent[] {
  return log.sent.flatMap((entry) => (entry.type === 'event' ? [entry.event] : []))
}

const entries = (events: readonly VendorEvent[]): Sent[] =>
  events.map((event) => ({ type: 'event', event }) as unknown as Sent)

describe('an answer of which the provider counted nothing', () => {
  it('[K44] is estimated from what was inherited and said, and says so', () => {
    const translator = createTranslator({ from: 10, inherited: 5_000 })
    const at = (seq: number, type: string, data: unknown): VendorEvent => ({ type, seq, time: seq * 100, data })
    const message = {
      id: 'turn-1',
      role: 'user',
      content: [{ type: 'text', text: 'q'.repeat(400) }],
      source: { kind: 'user' },
    }
    const events = [
      at(10, 'turn/start', { turn: 3 }),
      at(11, 'user/message', message),
      at(14, 'assistant/chunk', { chunk: { type: 'text-delta', index: 0, text: 'a'.repeat(80) } }),
      at(15, 'assistant/message', { turn: 3, message: { content: [{ type: 'text', text: 'a'.repeat(80) }] } }),
      at(16, 'turn/end', { turn: 3, reason: { kind: 'completed' } }),
    ].flatMap((event) => translator.event(event))
    expect(events.find(({ eventType }) => eventType === 'usage')?.data).toEqual({
      turnId: 'turn-1',
      promptTokens: 5_100,
      completionTokens: 20,
      estimated: true,
      firstTokenMs: 400,
    })
  })
})

describe('a turn that the host would not go on with', () => {
  const settled = (text: string): unknown => {
    const translator = createTranslator({ from: 0 })
    const at = (seq: number, type: string, data: unknown): VendorEvent => ({ type, seq, time: seq, data })
    const result = { type: 'tool-result', toolCallId: 'c1', isError: true, content: [{ type: 'text', text }] }
    const events = [
      at(1, 'turn/start', { turn: 1 }),
      at(2, 'user/message', { id: 'turn-1', role: 'user', content: [], source: { kind: 'user' } }),
      at(3, 'tool/call', { callId: 'c1', name: 'bash', arguments: '{}' }),
      at(4, 'tool/result', { message: { content: [result] } }),
      at(5, 'turn/end', { turn: 1, reason: { kind: 'blocked' } }),
    ].flatMap((event) => translator.event(event))
    const last = events.at(-1)
    return last?.eventType === 'state_patch' ? last.data.turn : undefined
  }

  it('says so when all it did in the end were calls that do not run here', () => {
    expect(settled(`${REFUSAL_MARK}: no tool runs here.`)).toMatchObject({
      phase: 'settled',
      outcome: 'failed',
      error: { kind: 'refused_calls', detail: '' },
    })
  })

  it('does not blame refusals for what another plugin stopped', () => {
    expect(settled('no such file')).toMatchObject({ outcome: 'failed', error: { kind: 'other' } })
  })
})

describe.each([
  ['0.1.0, as recorded', oldLog],
  ['0.2', newLog],
])('a log of %s', (_shape, load) => {
  const transcript = (name: string): Transcript => {
    const { from, sent } = load(name)
    return read(from, sent)
  }

  it('reads as thinking, a tool with its target and result, and text, white space included; then the next turn', () => {
    expect(transcript('side-answer').turns).toMatchObject([
      {
        question: 'What is it called?',
        phase: 'settled',
        outcome: 'completed',
        items: [
          { kind: 'reasoning', text: '  The manifest\n should say. ' },
          { kind: 'text', text: 'I look it up.' },
          {
            kind: 'tool',
            tool: { name: 'read', target: 'package.json', status: 'ok', result: expect.stringContaining('"tideline"') },
          },
          { kind: 'text', text: 'It is called\n\n\ttideline. ' },
        ],
        usage: countedIn(load('side-answer'), 2),
      },
      { question: 'Thanks.', outcome: 'completed', items: [{ kind: 'text', text: 'You are welcome.' }] },
    ])
  })

  it('tells when a turn began, answered first and ended, in milliseconds', () => {
    const { startedAt, settledAt, usage } = transcript('side-answer').turns[0] ?? {}
    const took = (settledAt ?? 0) - (startedAt ?? 0)
    expect(took).toBeGreaterThan(0)
    expect(usage?.firstTokenMs).toBeGreaterThan(0)
    expect(usage?.firstTokenMs).toBeLessThanOrEqual(took)
  })

  it('reads as nothing but the failure and its status when every try was refused', () => {
    const error = { code: 'provider_error', kind: 'rate_limit', status: 429 }
    expect(transcript('side-429').turns).toMatchObject([{ outcome: 'failed', error, items: [] }])
  })

  it('takes half an answer back when the host asks again', () => {
    expect(transcript('side-reset-then-answer').turns).toMatchObject([
      { outcome: 'completed', items: [{ kind: 'text', text: 'The whole answer.' }] },
    ])
  })

  it('keeps what a stopped turn had written, if anything, and its question', () => {
    expect(transcript('side-canceled').turns).toMatchObject([
      { outcome: 'canceled', items: [{ kind: 'text', text: expect.stringMatching(/^One, two, three/) }] },
    ])
    expect(transcript('side-canceled-before').turns).toMatchObject([
      { phase: 'settled', outcome: 'canceled', items: [] },
    ])
    expect(transcript('side-canceled-at-once').turns).toMatchObject([
      { outcome: 'completed', items: [{ text: 'First.' }] },
      { question: 'Never mind.', phase: 'settled', outcome: 'canceled', items: [] },
    ])
  })

  it('takes half an answer back when the next try only calls a tool', () => {
    const { from, sent } = load('side-reset-then-answer')
    const message = sent.findIndex((entry) => entry.type === 'event' && entry.event.type === 'assistant/message')
    const failed = sent.findLastIndex((entry) => JSON.stringify(entry).includes('"llm/retry"'))
    const event = sent[message]
    if (event?.type !== 'event') throw new Error('the recording has no message')
    const onlyCalls = { message: { content: [{ type: 'tool-call', id: 'c1', name: 'read' }] }, stream: [] }
    const then = { ...event.event, data: onlyCalls } as unknown as VendorEvent
    expect(read(from, sent.slice(0, failed)).turns[0]?.items).toMatchObject([{ text: 'Another half of ' }])
    expect(read(from, [...sent.slice(0, failed), ...entries([then])]).turns[0]?.items).toEqual([])
  })

  it('keeps half an answer when the turn fails with it', () => {
    const { from, sent } = load('side-reset-then-answer')
    const failed = sent.findLastIndex((entry) => JSON.stringify(entry).includes('"llm/retry"'))
    const end = eventsOf(load('side-429')).at(-1) as VendorEvent
    expect(read(from, [...sent.slice(0, failed), ...entries([end])]).turns).toMatchObject([
      { outcome: 'failed', items: [{ text: 'Another half of ' }] },
    ])
  })

  it('shows nothing that was inherited', () => {
    const { from, snapshot, sent } = load('side-answer')
    const whole = snapshot(sent.length).records.filter((record) => record.type === 'event')
    expect(read(0, whole).turns).toHaveLength(3)
    expect(read(from, whole).turns).toHaveLength(2)
    expect(
      read(
        from,
        snapshot(0).records.filter((record) => record.type === 'event'),
      ).turns,
    ).toEqual([])
  })

  it('makes nothing of events and fields that it does not know', () => {
    const odd = [
      'assistant/message',
      'assistant/attempt',
      'assistant/chunk',
      'tool/call',
      'tool/result',
      'turn/end',
      'new/one',
    ]
    const noise = [
      null,
      'text',
      {},
      { message: null, stream: 'x', chunk: 7, usage: [] },
      { stream: [null, { type: 'text-chunks' }] },
    ]
    const events = odd.flatMap((type) => noise.map((data) => ({ type, seq: 99, time: 0, data })))
    expect(read(0, entries(events)).turns).toEqual([])
  })
})

it('takes half an answer back when 0.2 could not even store that it was half', () => {
  const { from, sent } = newLog('side-reset-then-answer')
  const told = sent.flatMap((entry): Sent[] => {
    if (entry.type === 'event') return entry.event.type === 'assistant/attempt' ? [] : [entry]
    const { frame } = entry
    if (frame.type === 'chunk') return JSON.stringify(frame).includes('"error"') ? [] : [entry]
    const failed = frame.type === 'end' && JSON.stringify(frame).includes('assistant/attempt')
    return [failed ? { ...entry, frame: { ...frame, outcome: { kind: 'abandoned' } } } : entry]
  })
  expect(told.length).toBeLessThan(sent.length)
  expect(read(from, told).turns).toMatchObject([{ outcome: 'completed', items: [{ text: 'The whole answer.' }] }])
})

describe.each(SIDE_LOGS)('%s', (name) => {
  it('reads the same with the deltas of messages that are whole left out', () => {
    const { from, sent } = oldLog(name)
    const events = eventsOf(oldLog(name))
    const whole = readable(read(from, sent))
    for (let cut = 0; cut <= events.length; cut += 1) {
      const settled = events.slice(0, cut).findLastIndex(({ type }) => type === 'assistant/message')
      const rest = events.filter(({ type }, index) => type !== 'assistant/chunk' || index > settled)
      expect(readable(read(from, entries(rest))), `cut at ${cut}`).toEqual(whole)
    }
  })

  it('reads the same from the log alone as from log and frames, where the log carries the deltas', () => {
    const { from, sent } = newLog(name)
    expect(read(from, entries(eventsOf(newLog(name))))).toEqual(read(from, sent))
  })

  it('reads the same on both hosts', () => {
    const [before, after] = [oldLog(name), newLog(name)]
    expect(read(after.from, after.sent)).toEqual(read(before.from, before.sent))
  })
})

/** What the provider counted for one turn, summed over its requests. */
function countedIn(log: SideLog, turn: number): unknown {
  const usages = eventsOf(log).flatMap(({ type, data }) => {
    const message = data as {
      turn: number
      usage: { inputTokens: number; cacheReadTokens: number; outputTokens: number }
    }
    return type === 'assistant/message' && message.turn === turn ? [message.usage] : []
  })
  const sum = (of: (usage: (typeof usages)[number]) => number): number => usages.map(of).reduce((a, b) => a + b)
  expect(usages).toHaveLength(2)
  return {
    promptTokens: sum((usage) => usage.inputTokens + usage.cacheReadTokens),
    cachedTokens: sum((usage) => usage.cacheReadTokens),
    completionTokens: sum((usage) => usage.outputTokens),
    estimated: false,
  }
}

/** Without what only someone who was there can know: when the first word came; and without names of messages. */
function readable(transcript: Transcript): unknown {
  return transcript.turns.map(({ usage, items, ...turn }) => ({
    ...turn,
    usage: { ...usage, firstTokenMs: undefined },
    items: items.map(({ messageId: _own, ...item }) => item),
  }))
}
