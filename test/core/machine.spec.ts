import { describe, expect, it } from 'vitest'
import { SideError } from '../../src/core/errors.ts'
import { activeTurn, advance, isOver, type SideState, type SideStep } from '../../src/core/machine.ts'

const STATES: Record<string, SideState> = {
  opening: { phase: 'opening' },
  idle: { phase: 'idle' },
  answering: { phase: 'answering', turnId: 't1', turnPhase: 'running' },
  hidden: { phase: 'hidden', turnId: null },
  stopping: { phase: 'hidden', turnId: 't1' },
  closing: { phase: 'closing', turnId: null },
  closed: { phase: 'closed' },
  expired: { phase: 'expired', reason: 'provider_lost' },
}

/** Where each step leads from each state: a phase, a code, or `=` for the very same state. */
const TABLE: [string, SideStep, Record<string, string>][] = [
  [
    'opened',
    { type: 'opened' },
    { opening: 'idle', idle: '=', answering: '=', hidden: '=', stopping: '=', closing: '=', closed: '=', expired: '=' },
  ],
  [
    'send',
    { type: 'send', turnId: 't2' },
    {
      opening: 'in_progress',
      idle: 'answering',
      answering: 'turn_active',
      hidden: 'expired',
      stopping: 'expired',
      closing: 'expired',
      closed: 'expired',
      expired: 'expired',
    },
  ],
  [
    'hide',
    { type: 'hide' },
    {
      opening: 'in_progress',
      idle: 'hidden',
      answering: 'hidden',
      hidden: '=',
      stopping: '=',
      closing: 'expired',
      closed: 'expired',
      expired: 'expired',
    },
  ],
  [
    'reopen',
    { type: 'reopen' },
    {
      opening: 'in_progress',
      idle: '=',
      answering: '=',
      hidden: 'idle',
      stopping: 'answering',
      closing: 'expired',
      closed: 'expired',
      expired: 'expired',
    },
  ],
  [
    'close',
    { type: 'close' },
    {
      opening: 'closing',
      idle: 'closing',
      answering: 'closing',
      hidden: 'closing',
      stopping: 'closing',
      closing: '=',
      closed: '=',
      expired: '=',
    },
  ],
  [
    'closed',
    { type: 'closed' },
    {
      opening: 'closed',
      idle: 'closed',
      answering: 'closed',
      hidden: 'closed',
      stopping: 'closed',
      closing: 'closed',
      closed: '=',
      expired: '=',
    },
  ],
  [
    'expire',
    { type: 'expire', reason: 'client_lost' },
    {
      opening: 'expired',
      idle: 'expired',
      answering: 'expired',
      hidden: 'expired',
      stopping: 'expired',
      closing: 'expired',
      closed: '=',
      expired: '=',
    },
  ],
  [
    'settled',
    { type: 'turn', turnId: 't1', phase: 'settled' },
    {
      opening: '=',
      idle: '=',
      answering: 'idle',
      hidden: '=',
      stopping: 'hidden',
      closing: '=',
      closed: '=',
      expired: '=',
    },
  ],
  [
    'settled of another turn',
    { type: 'turn', turnId: 't0', phase: 'settled' },
    { opening: '=', idle: '=', answering: '=', hidden: '=', stopping: '=', closing: '=', closed: '=', expired: '=' },
  ],
]

function outcome(state: SideState, step: SideStep): string {
  try {
    const next = advance(state, step)
    return next === state ? '=' : next.phase
  } catch (error) {
    return error instanceof SideError ? error.code : 'not a SideError'
  }
}

describe('the life of a side', () => {
  it.each(TABLE)('T1 T2 T7 takes "%s" only where it is legal', (_name, step, expected) => {
    expect(Object.fromEntries(Object.entries(STATES).map(([name, state]) => [name, outcome(state, step)]))).toEqual(
      expected,
    )
  })

  it('keeps the running turn over hiding and closing, and loses it when it settles', () => {
    const answering = advance({ phase: 'idle' }, { type: 'send', turnId: 't1' })
    expect(answering).toEqual({ phase: 'answering', turnId: 't1', turnPhase: 'submitted' })
    for (const type of ['hide', 'close'] as const) {
      const leaving = advance(answering, { type })
      expect(activeTurn(leaving)).toBe('t1')
      expect(activeTurn(advance(leaving, { type: 'turn', turnId: 't1', phase: 'settled' }))).toBeNull()
    }
  })

  it('E3 never takes a turn back to an earlier phase', () => {
    const settling: SideState = { phase: 'answering', turnId: 't1', turnPhase: 'settling' }
    for (const phase of ['submitted', 'running', 'waiting'] as const)
      expect(advance(settling, { type: 'turn', turnId: 't1', phase })).toBe(settling)
    const waiting = advance(
      { phase: 'answering', turnId: 't1', turnPhase: 'running' },
      { type: 'turn', turnId: 't1', phase: 'waiting' },
    )
    expect(waiting).toMatchObject({ turnPhase: 'waiting' })
    expect(advance(waiting, { type: 'turn', turnId: 't1', phase: 'running' })).toMatchObject({ turnPhase: 'running' })
  })

  it('ends once', () => {
    expect(Object.entries(STATES).flatMap(([name, state]) => (isOver(state) ? [name] : []))).toEqual([
      'closed',
      'expired',
    ])
    expect(advance({ phase: 'closed' }, { type: 'expire', reason: 'source_gone' })).toEqual({ phase: 'closed' })
  })
})
