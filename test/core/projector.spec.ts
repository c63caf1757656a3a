import { describe, expect, it } from 'vitest'
import type { InteractionPatch, SideEvent, ToolView, TurnPatch } from '../../src/core/contract.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript } from '../../src/core/projector.ts'

const said = (
  turnId: string,
  text: string,
  overrides: Partial<Extract<SideEvent, { eventType: 'message_delta' }>['data']> = {},
): SideEvent => ({
  eventType: 'message_delta',
  data: {
    messageId: `${turnId}-m`,
    turnId,
    role: 'assistant',
    kind: 'text',
    content: { operation: 'append_text', text },
    ...overrides,
  },
})
const set = (text: string) => ({ operation: 'set', text }) as const
const tool = (turnId: string, view: Partial<ToolView> = {}): SideEvent => ({
  eventType: 'message_update',
  data: {
    messageId: `${turnId}-t`,
    turnId,
    role: 'assistant',
    kind: 'tool',
    tool: { callId: 'c1', name: 'read', target: 'a.ts', status: 'running', ...view },
  },
})
const turn = (patch: TurnPatch): SideEvent => ({ eventType: 'state_patch', data: { turn: patch } })
const prompt = (patch: Partial<InteractionPatch> = {}): SideEvent => ({
  eventType: 'state_patch',
  data: { interaction: { requestId: 'q1', turnId: 't1', kind: 'approval', status: 'pending', input: 1, ...patch } },
})
const life = (lifecycleStatus: 'ready' | 'closing' | 'closed' | 'expired', reason?: 'provider_lost'): SideEvent => ({
  eventType: 'state_patch',
  data: { lifecycleStatus, ...(reason === undefined ? {} : { reason }) },
})
const fold = (events: readonly SideEvent[], from: Transcript = EMPTY_TRANSCRIPT): Transcript =>
  events.reduce<Transcript>((view, one) => project(view, one), from)

const output = (text: string): SideEvent => said('t1', text, { messageId: 't1-t', kind: 'tool' })

describe('text', () => {
  it('E5 keeps white space and understands append and set', () => {
    const view = fold([
      said('t1', '  a\n'),
      said('t1', '\n\tb '),
      said('t1', ' '),
      said('t2', 'old'),
      said('t2', 'new ', { content: set('new ') }),
    ])
    expect(view.turns.map((one) => one.items)).toEqual([
      [{ kind: 'text', messageId: 't1-m', text: '  a\n\n\tb  ' }],
      [{ kind: 'text', messageId: 't2-m', text: 'new ' }],
    ])
  })

  it('E5 keeps reasoning apart from text of the same message, in the order in which they began', () => {
    const view = fold([
      said('t1', 'hm', { kind: 'reasoning' }),
      said('t1', 'Yes'),
      said('t1', '...', { kind: 'reasoning' }),
      said('t1', '.'),
    ])
    expect(view.turns[0]?.items).toEqual([
      { kind: 'reasoning', messageId: 't1-m', text: 'hm...' },
      { kind: 'text', messageId: 't1-m', text: 'Yes.' },
    ])
  })

  it('keeps two messages of one turn apart', () => {
    const view = fold([
      said('t1', 'a', { messageId: 'm1' }),
      tool('t1'),
      said('t1', 'b', { messageId: 'm2' }),
      said('t1', 'a', { messageId: 'm1' }),
    ])
    expect(view.turns[0]?.items.map((item) => (item.kind === 'tool' ? item.tool.name : item.text))).toEqual([
      'aa',
      'read',
      'b',
    ])
  })

  it("U3 replaces the question by the provider's own copy", () => {
    const view = fold([
      said('t1', 'why', { role: 'user' }),
      said('t1', '?', { role: 'user' }),
      said('t1', ' why?\n', { role: 'user', messageId: 'own', content: set(' why?\n') }),
    ])
    expect(view.turns).toMatchObject([{ question: ' why?\n', items: [], phase: 'submitted' }])
  })

  it('takes only text for the question', () => {
    const view = fold([said('t1', 'why?', { role: 'user' }), said('t1', 'hm', { role: 'user', kind: 'reasoning' })])
    expect(view.turns[0]?.question).toBe('why?')
  })

  it('E5 takes a message back when it is set to nothing, its place included', () => {
    const begun = fold([said('t1', 'hm', { kind: 'reasoning' }), said('t1', 'try'), tool('t1')])
    const view = fold([said('t1', '', { content: set('') }), said('t1', 'again')], begun)
    expect(view.turns[0]?.items.map((item) => item.kind)).toEqual(['reasoning', 'tool', 'text'])
    expect(view.turns[0]?.items[2]).toMatchObject({ text: 'again' })
  })

  it('shows no item for a message without text', () => {
    expect(fold([said('t1', ''), said('t1', '', { content: set('') })]).turns[0]?.items).toEqual([])
  })

  it('leaves no place where text was taken back, so that another try stands where it comes', () => {
    const half = [said('t1', 'half'), said('t1', 'hm', { messageId: 'm2', kind: 'reasoning' })]
    const back = [
      said('t1', '', { content: set('') }),
      said('t1', '', { messageId: 'm2', kind: 'reasoning', content: set('') }),
    ]
    expect(fold([...half, ...back]).turns[0]?.items).toEqual([])
    expect(fold([...half, ...back, said('t1', 'whole', { messageId: 'm3' })]).turns[0]?.items).toMatchObject([
      { kind: 'text', text: 'whole' },
    ])
  })

  it('keeps at most so much of one answer, says so, and cuts no character in two', () => {
    let view = project(EMPTY_TRANSCRIPT, said('t1', 'hm', { kind: 'reasoning' }), 6)
    view = project(view, said('t1', 'abc'), 6)
    expect(view.turns[0]?.truncated).toBeUndefined()
    view = project(view, said('t1', '😀x'), 6)
    expect(view.turns[0]).toMatchObject({ truncated: true, items: [{ text: 'hm' }, { text: 'abc' }] })
    const before = project(view, said('t1', 'y'), 6)
    expect(project(before, said('t1', 'more'), 6)).toBe(before)
    expect(project(before, said('t1', 'abcdefgh', { content: set('abcdefgh') }), 6).turns[0]?.items).toMatchObject([
      { text: 'hm' },
      { text: 'abcd' },
    ])
    expect(project(before, said('t2', 'whole'), 6).turns[1]).toMatchObject({ items: [{ text: 'whole' }] })
  })
})

describe('tools', () => {
  it('updates a call in place', () => {
    const view = fold([
      said('t1', 'Let me see.'),
      tool('t1'),
      said('t1', 'It says', { messageId: 'm2' }),
      tool('t1', { status: 'ok', result: '1' }),
    ])
    expect(view.turns[0]?.items).toMatchObject([
      { kind: 'text' },
      { kind: 'tool', tool: { status: 'ok', result: '1' } },
      { text: 'It says' },
    ])
  })

  it('keeps two calls of one message apart', () => {
    const view = fold([
      tool('t1'),
      tool('t1', { callId: 'c2', target: 'b.ts' }),
      tool('t1', { callId: 'c1', status: 'refused' }),
    ])
    expect(view.turns[0]?.items).toMatchObject([
      { tool: { callId: 'c1', status: 'refused' } },
      { tool: { callId: 'c2', status: 'running' } },
    ])
  })

  it('appends streamed output to its call, also when the call is named later', () => {
    const view = fold([output('line 1\n'), tool('t1', { result: 'line 1\n' }), output('line 2\n')])
    expect(view.turns[0]?.items).toMatchObject([{ kind: 'tool', tool: { name: 'read', result: 'line 1\nline 2\n' } }])
    expect(view.turns[0]?.items).toHaveLength(1)
  })

  it('appends output to the call of its own message', () => {
    const other: SideEvent = said('t1', 'x', { messageId: 'other', kind: 'tool' })
    const view = fold([tool('t1', { result: 'a' }), other])
    expect(view.turns[0]?.items).toMatchObject([
      { tool: { result: 'a' } },
      { messageId: 'other', tool: { result: 'x' } },
    ])
  })

  it('bounds a result together with the answer', () => {
    const view = project(project(EMPTY_TRANSCRIPT, said('t1', 'abcd'), 6), tool('t1', { result: 'long result' }), 6)
    expect(view.turns[0]).toMatchObject({ truncated: true, items: [{ text: 'abcd' }, { tool: { result: 'lo' } }] })
  })
})

describe('turns', () => {
  it('takes phases forward and remembers when it began and ended', () => {
    const view = fold([
      turn({ turnId: 't1', phase: 'submitted', at: 1 }),
      turn({ turnId: 't1', phase: 'running', at: 2 }),
      turn({ turnId: 't1', phase: 'waiting', at: 3 }),
      turn({ turnId: 't1', phase: 'running', at: 4 }),
      turn({ turnId: 't1', phase: 'settling', at: 5 }),
      turn({ turnId: 't1', phase: 'running', at: 6 }),
      turn({ turnId: 't1', phase: 'settled', outcome: 'completed', at: 7 }),
      turn({ turnId: 't1', phase: 'running', at: 8 }),
    ])
    expect(view.turns).toEqual([
      {
        turnId: 't1',
        question: '',
        phase: 'settled',
        outcome: 'completed',
        items: [],
        interactions: [],
        startedAt: 1,
        settledAt: 7,
      },
    ])
  })

  it('E3 binds a late error and late text to their own turn and keeps the other one as it is', () => {
    const before = fold([
      said('t1', 'a'),
      turn({ turnId: 't1', phase: 'settled', outcome: 'completed' }),
      said('t2', 'b'),
    ])
    const error = { code: 'provider_error', kind: 'other', detail: 'x' } as const
    const after = fold([turn({ turnId: 't1', phase: 'settled', outcome: 'failed', error }), said('t1', '!')], before)
    expect(after.turns[0]).toMatchObject({ outcome: 'failed', error, items: [{ text: 'a!' }] })
    expect(after.turns[1]).toBe(before.turns[1])
  })

  it('I9 keeps a stopped turn stopped when the runtime calls the stop a failure', () => {
    const view = fold([
      said('t1', 'half'),
      turn({ turnId: 't1', phase: 'settled', outcome: 'canceled' }),
      turn({ turnId: 't1', phase: 'settled', outcome: 'failed' }),
    ])
    expect(view.turns).toMatchObject([{ outcome: 'canceled', items: [{ text: 'half' }] }])
  })

  it('leaves no call running and no prompt open in a settled turn', () => {
    const view = fold([tool('t1'), prompt(), turn({ turnId: 't1', phase: 'settled', outcome: 'canceled' }), prompt()])
    expect(view.turns[0]).toMatchObject({ items: [{ tool: { status: 'failed' } }], interactions: [{ status: 'gone' }] })
    expect(fold([tool('t1', { status: 'ok' })], view).turns[0]?.items).toMatchObject([{ tool: { status: 'ok' } }])
  })

  it('fails only the calls that had no result', () => {
    const settled = turn({ turnId: 't1', phase: 'settled', outcome: 'canceled' })
    const view = fold([said('t1', 'a'), tool('t1', { status: 'ok' }), tool('t1', { callId: 'c2' }), settled])
    expect(view.turns[0]?.items).toMatchObject([
      { kind: 'text', text: 'a' },
      { tool: { callId: 'c1', status: 'ok' } },
      { tool: { callId: 'c2', status: 'failed' } },
    ])
  })

  it('keeps usage with its turn, the last report counting', () => {
    const usage = { turnId: 't1', promptTokens: 10, completionTokens: 1, estimated: false }
    const view = fold([
      said('t1', 'a'),
      { eventType: 'usage', data: { ...usage, promptTokens: 5 } },
      { eventType: 'usage', data: usage },
    ])
    expect(view.turns).toMatchObject([{ usage }])
    expect(project(view, { eventType: 'usage', data: { ...usage } })).toBe(view)
  })

  it('T6 shows a prompt until an event says that it is answered, and does not bring it back', () => {
    const open = fold([turn({ turnId: 't1', phase: 'waiting' }), prompt()])
    expect(open.turns[0]?.interactions).toMatchObject([{ status: 'pending' }])
    const answered = fold([prompt({ status: 'answered' }), prompt(), prompt({ requestId: 'q2' })], open)
    expect(answered.turns[0]?.interactions).toMatchObject([
      { requestId: 'q1', status: 'answered' },
      { requestId: 'q2', status: 'pending' },
    ])
  })
})

describe('the end', () => {
  it('T9 stays readable after a loss: turns are interrupted, nothing is taken any more', () => {
    const view = fold([
      life('ready'),
      said('t1', 'half'),
      turn({ turnId: 't1', phase: 'running' }),
      life('expired', 'provider_lost'),
    ])
    expect(view).toMatchObject({
      lifecycle: 'expired',
      reason: 'provider_lost',
      turns: [{ phase: 'settled', outcome: 'interrupted', items: [{ text: 'half' }] }],
    })
    for (const late of [
      said('t1', 'x'),
      said('t2', 'x'),
      life('ready'),
      turn({ turnId: 't1', phase: 'settled', outcome: 'failed' }),
    ])
      expect(project(view, late)).toBe(view)
  })

  it('leaves a turn running while the side is closing', () => {
    const view = fold([life('ready'), said('t1', 'half'), life('closing'), said('t1', ' more')])
    expect(view.turns).toMatchObject([{ phase: 'submitted', items: [{ text: 'half more' }] }])
  })

  it('goes one way', () => {
    const view = fold([life('ready'), life('closing'), life('ready')])
    expect(view.lifecycle).toBe('closing')
    expect(fold([life('closed')], view).lifecycle).toBe('closed')
  })
})

describe('identity', () => {
  it('U1 returns the same transcript for what changes nothing', () => {
    const events = [
      life('ready'),
      turn({ turnId: 't1', phase: 'running', at: 1 }),
      said('t1', 'a', { content: set('a') }),
      tool('t1'),
      prompt(),
    ]
    const view = fold(events)
    for (const one of events) expect(project(view, one)).toBe(view)
    for (const one of [
      said('t1', ''),
      turn({ turnId: 't1', phase: 'submitted' }),
      { eventType: 'message_update', data: { messageId: 'm', turnId: 't1', role: 'assistant', kind: 'text' } } as const,
    ]) {
      expect(project(view, one)).toBe(view)
    }
  })

  it('U1 keeps the other turns and the other items as they are', () => {
    const before = fold([said('t1', 'a'), said('t2', 'b'), tool('t2'), said('t3', 'c')])
    const after = fold([said('t2', '!')], before)
    expect(after.turns[0]).toBe(before.turns[0])
    expect(after.turns[2]).toBe(before.turns[2])
    expect(after.turns[1]?.items[1]).toBe(before.turns[1]?.items[1])
    expect(after.turns[1]?.items[0]).toMatchObject({ text: 'b!' })
    expect(before.turns[1]?.items[0]).toMatchObject({ text: 'b' })
  })
})
