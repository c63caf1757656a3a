/** What is measured of a DSH log, and what of it becomes the beginning of a child's. */
import { describe, expect, it } from 'vitest'

import { measure } from '../../src/providers/dsh/history.ts'
import { seedOf } from '../../src/providers/dsh/seed.ts'
import type { VendorEvent } from '../../src/providers/dsh/translate.ts'

type Made = VendorEvent & { readonly surfaceOp?: unknown; readonly sourceEventSeqs?: readonly number[] }

/** A log under construction; each verb appends what a host would. */
function log() {
  const events: Made[] = []
  let turn = 0
  const add = (type: string, data: unknown = {}, more: object = {}): number => {
    events.push({ type, seq: events.length, time: 0, data, ...more })
    return events.length - 1
  }
  const text = (words: string): unknown[] => [{ type: 'text', text: words }]
  const verbs = {
    events,
    add,
    header: () => add('request/header', { header: { system: 'x'.repeat(4_000), tools: [] } }),
    start() {
      add('agent/inbox/spliced')
      add('turn/start', { turn: (turn += 1) })
      add('step/start', { turn, step: 1 })
      return add(
        'user/message',
        { content: text(`Question ${turn}`), source: { kind: 'user' } },
        { surfaceOp: 'append' },
      )
    },
    call(id: string) {
      const content = [{ type: 'tool-call', id, name: 'read', arguments: '{}' }]
      add('assistant/message', { turn, message: { content } }, { surfaceOp: 'append' })
      return add('tool/call', { callId: id, name: 'read', arguments: '{}' })
    },
    result(id: string, call: number) {
      const content = [{ type: 'tool-result', toolCallId: id, content: text('y'.repeat(400)) }]
      return add('tool/result', { message: { content } }, { surfaceOp: 'append', sourceEventSeqs: [call] })
    },
    answer(inputTokens?: number) {
      const chunk = add('assistant/chunk', { chunk: {} })
      add(
        'assistant/message',
        {
          turn,
          message: { content: text(`Answer ${turn}`) },
          ...(inputTokens === undefined ? {} : { usage: { inputTokens, outputTokens: 10 } }),
        },
        { surfaceOp: 'append', sourceEventSeqs: [chunk] },
      )
    },
    end(kind = 'completed') {
      add('step/end', { turn, step: 1 })
      add('turn/end', { turn, reason: { kind } })
    },
    turn(inputTokens?: number) {
      verbs.start()
      if (turn === 1) verbs.header()
      verbs.answer(inputTokens)
      verbs.end()
    },
    compact(start: number, end: number) {
      add('compaction/start', { turn: null })
      add(
        'user/message',
        { content: text('A summary.'), source: { kind: 'plugin', plugin: 'compact' } },
        { surfaceOp: { op: 'replace', start, end }, sourceEventSeqs: [start, end] },
      )
      add('compaction/end')
    },
  }
  return verbs
}

describe('measure', () => {
  it('sizes each turn by what the provider counted', () => {
    const main = log()
    main.turn(1_100)
    main.turn(2_100)
    main.turn(5_100)
    const { turns, tokens, base, tail, compacted, starts } = measure(main.events)
    expect({ turns, tokens, base, tail, compacted }).toEqual({
      turns: 3,
      tokens: 5_110,
      base: 1_001,
      tail: [3_000, 1_000, 109],
      compacted: false,
    })
    expect(starts.map((index) => main.events[index]?.type)).toEqual(['turn/start', 'turn/start', 'turn/start'])
  })

  it('estimates where the provider counted nothing: an aborted turn, text behind the last count', () => {
    const main = log()
    main.turn(1_100)
    main.start()
    main.end('aborted')
    expect(measure(main.events)).toMatchObject({ turns: 2, tokens: 1_113, tail: [3, 109] })
  })

  it('takes no single turn from before a compaction, and counts the summary in place of what it replaced', () => {
    const main = log()
    main.turn(1_100)
    main.start()
    main.answer(50_000)
    main.end()
    const first = main.events.findIndex(({ type }) => type === 'user/message')
    const last = main.events.findLastIndex(({ type }) => type === 'assistant/message')
    main.compact(first, last)
    const behind = measure(main.events)
    expect(behind).toMatchObject({ turns: 2, tail: [], compacted: true })
    main.turn(1_500)
    expect(measure(main.events)).toMatchObject({ turns: 3, tokens: 1_510, compacted: true })
    expect(measure(main.events).tail).toHaveLength(1)
  })

  it('takes no turn with a call that was never answered, nor one before it', () => {
    const main = log()
    main.turn(1_100)
    main.start()
    main.call('lost')
    main.end('interrupted')
    main.turn(1_500)
    expect(measure(main.events).tail).toHaveLength(1)
  })

  it('knows of a list that begins in the middle only what is whole in it', () => {
    const main = log()
    for (let turn = 1; turn <= 5; turn += 1) main.turn(turn * 1_000)
    const from = main.events.findIndex(
      ({ type, data }) => type === 'turn/start' && JSON.stringify(data) === '{"turn":3}',
    )
    expect(measure(main.events.slice(from + 2), undefined, 700)).toMatchObject({
      turns: 5,
      tokens: 5_010,
      base: 700,
      tail: [1_000, 1_000],
    })
  })
})

describe('seedOf', () => {
  it('hands over everything as it is', () => {
    const main = log()
    main.turn()
    main.turn()
    expect(seedOf(main.events, 0, 5)).toEqual(main.events.slice(0, 5))
  })

  it('makes a part count from 0, with its references, and leaves out what refers to the rest', () => {
    const main = log()
    main.turn()
    main.start()
    const call = main.call('one')
    const result = main.result('one', call)
    main.add(
      'tool/result',
      { message: { content: [{ type: 'tool-result', toolCallId: 'one', content: [] }] } },
      { surfaceOp: { op: 'replace', start: result, end: result }, sourceEventSeqs: [result] },
    )
    main.add('session/title')
    main.answer()
    main.end()
    const from = measure(main.events).starts[0] ?? 0
    const seed = seedOf(main.events, from, main.events.length) as Made[]
    expect(seed.map(({ seq }) => seq)).toEqual(seed.map((_event, index) => index))
    expect(seed.map(({ type }) => type)).toEqual([
      'turn/start',
      'step/start',
      'user/message',
      'assistant/message',
      'tool/call',
      'tool/result',
      'tool/result',
      'assistant/message',
      'step/end',
      'turn/end',
    ])
    expect(seed[5]).toMatchObject({ surfaceOp: 'append', sourceEventSeqs: [4] })
    expect(seed[6]).toMatchObject({ surfaceOp: { op: 'replace', start: 5, end: 5 }, sourceEventSeqs: [5] })
    expect(seed[7]).not.toHaveProperty('sourceEventSeqs')
  })

  it('leaves out what stands in for something that is not there', () => {
    const main = log()
    main.start()
    const call = main.call('old')
    const old = main.result('old', call)
    main.answer()
    main.end()
    main.start()
    main.add(
      'tool/result',
      { message: { content: [] } },
      { surfaceOp: { op: 'replace', startSeq: old, endSeq: old }, sourceEventSeqs: [old] },
    )
    main.answer()
    main.end()
    const from = main.events.findLastIndex(({ type }) => type === 'turn/start')
    expect(seedOf(main.events, from, main.events.length).map(({ type }) => type)).not.toContain('tool/result')
  })

  it('is nothing where nothing is inherited', () => {
    const main = log()
    main.turn()
    expect(seedOf(main.events, main.events.length, main.events.length)).toEqual([])
  })
})
