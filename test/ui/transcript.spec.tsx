/** What a person reads of a running and of a finished turn, and how the column scrolls (K24, K44). */

import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { describe, expect, it, vi } from 'vitest'
import type { TranscriptItem, TranscriptTurn } from '../../src/wire/index.ts'
import { createTranslate } from '../../ui/locales.ts'
import { failureText } from '../../ui/parts/failure-text.ts'
import { formatCount, formatElapsed } from '../../ui/parts/format.ts'
import { phaseText } from '../../ui/parts/phase.ts'
import { Transcript } from '../../ui/parts/Transcript.tsx'
import type { TurnActions } from '../../ui/parts/Turn.tsx'
import { mount, Surface } from './mount.tsx'

const t = createTranslate('en')
const NONE: TurnActions = {}

function turn(items: TranscriptItem[], more: Partial<TranscriptTurn> = {}): TranscriptTurn {
  return { turnId: 't', question: 'why', phase: 'running', items, interactions: [], ...more }
}
const text = (value: string): TranscriptItem => ({ kind: 'text', messageId: 'a', text: value })
const thought = (value: string): TranscriptItem => ({ kind: 'reasoning', messageId: 'r', text: value })
const tool = (
  name: string,
  target: string,
  status: 'running' | 'ok' | 'failed' | 'refused',
  result?: string,
): TranscriptItem => ({
  kind: 'tool',
  messageId: name,
  tool: { callId: name, name, target, status, ...(result === undefined ? {} : { result }) },
})

describe('[K44] phases', () => {
  it.each([
    ['thinking', turn([])],
    ['answering', turn([text('be')])],
    ['reading src/a.ts', turn([tool('read', 'src/a.ts', 'running')])],
    ['using grep', turn([tool('grep', 'x', 'running')])],
    ['thinking', turn([tool('read', 'src/a.ts', 'ok')])],
    ['waiting for you', turn([], { phase: 'waiting' })],
  ])('says "%s"', (phrase, one) => {
    expect(phaseText(one, null, t)).toBe(phrase)
  })

  it('says how the side stands before anything else', () => {
    expect(phaseText(turn([text('be')]), 'stopping', t)).toBe('stopping')
    expect(phaseText(turn([]), 'opening', t)).toBe('opening')
    expect(phaseText(turn([text('be')]), 'offline', t)).toBe('offline, reconnecting')
  })

  it('counts the time', () => {
    vi.useFakeTimers()
    mount(<Transcript turns={[turn([text('be')], { startedAt: Date.now() })]} label="x" actions={NONE} />)
    act(() => void vi.advanceTimersByTime(12_000))
    expect(screen.getByText('12 s')).toBeTruthy()
    vi.useRealTimers()
  })
})

describe('one turn', () => {
  it('[K44] keeps thinking apart from the answer and folded, with its time', () => {
    vi.useFakeTimers()
    const props = { label: 'x', actions: NONE }
    const { rerender } = render(
      <Surface>
        <Transcript turns={[turn([thought('hmm, let me see')])]} {...props} />
      </Surface>,
    )
    expect(screen.queryByText('hmm, let me see')).toBeNull()
    act(() => void vi.advanceTimersByTime(2_100))
    rerender(
      <Surface>
        <Transcript turns={[turn([thought('hmm, let me see'), text('because')])]} {...props} />
      </Surface>,
    )
    const fold = screen.getByRole('button', { name: /^thought for 2.1 s/ })
    expect(fold.getAttribute('aria-expanded')).toBe('false')
    fireEvent.click(fold)
    expect(screen.getByText('hmm, let me see')).toBeTruthy()
    vi.useRealTimers()
  })

  it('shows a tool with name, target and outcome, and its result on request', () => {
    mount(
      <Transcript
        turns={[turn([tool('read', 'package.json', 'ok', '{ "name": 1 }'), tool('bash', 'rm -rf /', 'refused')])]}
        label="x"
        actions={NONE}
      />,
    )
    const row = screen.getByRole('button', { name: 'read package.json ok' })
    expect(screen.getByText('refused (read-only)')).toBeTruthy()
    fireEvent.click(row)
    expect(screen.getByText('{ "name": 1 }')).toBeTruthy()
  })

  it('[K18] keeps a partial answer and says that it was stopped', () => {
    mount(
      <Transcript
        turns={[turn([text('half an')], { phase: 'settled', outcome: 'canceled' })]}
        label="x"
        actions={NONE}
      />,
    )
    expect(screen.getByText('half an')).toBeTruthy()
    expect(screen.getByText('stopped')).toBeTruthy()
  })

  it('says why a turn failed, keeps what had arrived, and shows the service’s own words as plain text', () => {
    const error = {
      code: 'provider_error',
      kind: 'rate_limit',
      status: 429,
      detail: '<b>slow</b> [x](javascript:1)',
    } as const
    mount(
      <Transcript
        turns={[turn([text('half')], { phase: 'settled', outcome: 'failed', error })]}
        label="x"
        actions={NONE}
      />,
    )
    expect(screen.getByText('The model service asks for a pause. Retry in a moment.')).toBeTruthy()
    expect(screen.getByText('<b>slow</b> [x](javascript:1)')).toBeTruthy()
    expect(screen.getByText('half')).toBeTruthy()
    expect(screen.queryByRole('link')).toBeNull()
  })

  it('has a sentence for every code when the kind says nothing', () => {
    expect(failureText({ code: 'limit_reached', kind: 'other', detail: '' }, t)).toBe(t('error.limit_reached'))
    expect(failureText({ code: 'provider_error', kind: 'other', detail: '' }, t)).toBe(t('failure.other'))
    expect(failureText(undefined, t)).toBe(t('failure.other'))
  })

  it('offers copy, retry and the way into the draft only where they are given', () => {
    const retry = vi.fn()
    const bringBack = vi.fn()
    const settled = turn([text('**because**'), tool('read', 'a', 'ok'), text('more')], {
      phase: 'settled',
      outcome: 'completed',
    })
    mount(<Transcript turns={[settled]} label="x" actions={{ retry, bringBack }} />)
    fireEvent.click(screen.getByRole('button', { name: 'Retry' }))
    fireEvent.click(screen.getByRole('button', { name: 'Add to draft' }))
    expect(retry.mock.calls).toEqual([['t']])
    expect(bringBack.mock.calls).toEqual([['**because**\n\nmore']])
    expect(screen.getByRole('button', { name: 'Copy answer' })).toBeTruthy()
  })

  it('[T6] asks, and hides the prompt only when the event says so', () => {
    const respond = vi.fn()
    const prompt = {
      requestId: 'r',
      turnId: 't',
      kind: 'approval',
      status: 'pending',
      input: { command: 'ls' },
    } as const
    const { rerender } = mount(
      <Transcript turns={[turn([], { interactions: [prompt] })]} label="x" actions={{ respond }} />,
    )
    fireEvent.click(screen.getByRole('button', { name: 'Refuse' }))
    expect(respond.mock.calls).toEqual([['t', 'r', { decision: 'refuse' }]])
    expect(screen.getByRole('group', { name: 'It asks for your approval' })).toBeTruthy()
    rerender(
      <Surface>
        <Transcript
          turns={[turn([], { interactions: [{ ...prompt, status: 'rejected' }] })]}
          label="x"
          actions={{ respond }}
        />
      </Surface>,
    )
    expect(screen.queryByRole('group', { name: 'It asks for your approval' })).toBeNull()
  })

  it('shows what a turn used, estimates and cache included', () => {
    const usage = { turnId: 't', promptTokens: 18_400, cachedTokens: 18_032, completionTokens: 320, estimated: false }
    const settled = turn([text('x')], {
      phase: 'settled',
      outcome: 'completed',
      usage,
      startedAt: 1_000,
      settledAt: 6_200,
    })
    mount(<Transcript turns={[settled]} label="x" actions={NONE} />)
    expect(screen.getByText('18k in (98 % cached), 320 out · 5.2 s')).toBeTruthy()
    cleanup()
    // In the card too: its last line says nothing of it any more.
    mount(<Transcript turns={[settled]} label="x" actions={NONE} single />)
    expect(screen.getByText('18k in (98 % cached), 320 out · 5.2 s')).toBeTruthy()
  })

  it('says no time of an answer that did not come', () => {
    const failed = turn([], { phase: 'settled', outcome: 'failed', startedAt: 1_000, settledAt: 1_100 })
    const { container } = mount(<Transcript turns={[failed]} label="x" actions={NONE} />)
    expect(container.textContent).not.toContain('0.1 s')
  })
})

describe('numbers', () => {
  it('reads well at every size', () => {
    expect([0, 940, 1_234, 9_960, 18_400, 999_600, 1_430_000].map(formatCount)).toEqual([
      '0',
      '940',
      '1.2k',
      '10k',
      '18k',
      '1M',
      '1.4M',
    ])
    expect([-5, 2_100, 9_960, 42_000, 59_700, 65_000, 3_723_000].map((ms) => formatElapsed(ms, t))).toEqual([
      '0 s',
      '2.1 s',
      '10 s',
      '42 s',
      '1:00',
      '1:05',
      '1:02:03',
    ])
  })
})

describe('[K24] scrolling', () => {
  /** A box of 100 px around a text of `height`. */
  function boxed(height: { now: number }): () => HTMLElement {
    vi.spyOn(HTMLElement.prototype, 'clientHeight', 'get').mockReturnValue(100)
    vi.spyOn(HTMLElement.prototype, 'scrollHeight', 'get').mockImplementation(() => height.now)
    vi.stubGlobal(
      'ResizeObserver',
      class {
        constructor(grow: () => void) {
          grown.add(grow)
        }
        observe(): void {}
        disconnect(): void {}
      },
    )
    return () => screen.getByRole('region', { name: 'x' })
  }
  const grown = new Set<() => void>()
  const grow = (height: { now: number }, to: number): void => {
    height.now = to
    act(() => {
      for (const listener of grown) listener()
    })
  }
  const done = (): void => {
    grown.clear()
    vi.restoreAllMocks()
    vi.unstubAllGlobals()
    Reflect.set(globalThis, 'ResizeObserver', undefined)
  }

  it('follows at the end, leaves a reader who went up alone, and offers the way back', () => {
    const height = { now: 100 }
    const box = boxed(height)
    mount(<Transcript turns={[turn([text('a')])]} label="x" actions={NONE} />)
    grow(height, 300)
    expect(box().scrollTop).toBe(300)
    box().scrollTop = 120
    fireEvent.scroll(box())
    grow(height, 900)
    expect(box().scrollTop).toBe(120)
    fireEvent.click(screen.getByRole('button', { name: 'Jump to latest' }))
    expect(box().scrollTop).toBe(900)
    grow(height, 1_000)
    expect(box().scrollTop).toBe(1_000)
    done()
  })

  it('says how much came below while a reader looks at something else', () => {
    const height = { now: 100 }
    const box = boxed(height)
    const first = turn([text('a')])
    const { rerender } = mount(<Transcript turns={[first]} label="x" actions={NONE} />)
    grow(height, 300)
    box().scrollTop = 120
    fireEvent.scroll(box())
    const more = turn([text('a'), tool('read', 'a.ts', 'ok'), text('b')])
    rerender(
      <Surface>
        <Transcript turns={[more]} label="x" actions={NONE} />
      </Surface>,
    )
    fireEvent.click(screen.getByRole('button', { name: '2 new below' }))
    grow(height, 900)
    box().scrollTop = 120
    fireEvent.scroll(box())
    expect(screen.getByRole('button', { name: 'Jump to latest' })).toBeTruthy()
    done()
  })

  it('opens a finished answer at its question and not at its end', () => {
    const height = { now: 900 }
    const box = boxed(height)
    mount(
      <Transcript turns={[turn([text('a')], { phase: 'settled', outcome: 'completed' })]} label="x" actions={NONE} />,
    )
    expect(box().scrollTop).toBe(0)
    expect(screen.getByRole('button', { name: 'Jump to latest' })).toBeTruthy()
    done()
  })

  it('reads a single answer from its top until the reader goes to its end', () => {
    const height = { now: 100 }
    const box = boxed(height)
    mount(<Transcript turns={[turn([text('a')])]} label="x" actions={NONE} single />)
    grow(height, 600)
    expect(box().scrollTop).toBe(0)
    fireEvent.click(screen.getByRole('button', { name: 'Jump to latest' }))
    grow(height, 700)
    expect(box().scrollTop).toBe(700)
    done()
  })

  it('takes a person to the end when they ask', () => {
    const height = { now: 900 }
    const box = boxed(height)
    const first = turn([text('a')], { phase: 'settled', outcome: 'completed' })
    const { rerender } = mount(<Transcript turns={[first]} label="x" actions={NONE} />)
    rerender(
      <Surface>
        <Transcript turns={[first, turn([], { turnId: 'u', question: 'and?' })]} label="x" actions={NONE} />
      </Surface>,
    )
    expect(box().scrollTop).toBe(900)
    done()
  })
})
