/** Every limit of D10 as a person meets it: a sentence that says what happened and what to do, in both languages, and
 *  nothing typed is lost. That each limit holds is open.spec.ts, turns.spec.ts and limits.spec.ts of the other rooms. */

import { act, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { DEFAULT_LIMITS, EMPTY_TRANSCRIPT, project, type TranscriptTurn } from '../../src/wire/index.ts'
import { Transcript } from '../../ui/parts/Transcript.tsx'
import { say } from '../kit/fake-transport.ts'
import { mount, mountSide } from './mount.tsx'

const field = (): HTMLTextAreaElement => screen.getByRole<HTMLTextAreaElement>('textbox', { name: /Question|问题/ })

const WORDS = {
  en: {
    question:
      'This question could not be sent. It may be longer than 100 kB or hold something unsupported; change it and try again.',
    sides: 'Too many sides are open or answering. Close one or wait, then try again.',
    queue: 'Enough messages are waiting. Let some of them go first.',
    answer: 'The answer grew beyond 4 MB; what came after that was not kept.',
    stopped: 'stopped',
  },
  zh: {
    question: '这个问题没能发出去，可能超过 100 kB 或含有不支持的内容，请修改后再试。',
    sides: '打开着或在回答的侧边对话太多了，先关掉一个或等一等再试。',
    queue: '排队的已经够多了，先等几条发出去。',
    answer: '回答超过了 4 MB，后面的没有保留。',
    stopped: '已停止',
  },
} as const

describe.each(['en', 'zh'] as const)('a limit, in %s', (locale) => {
  const words = WORDS[locale]

  it.each([
    ['a question of more than 100 kB', 'invalid_request', words.question],
    ['a ninth side, or a fifth /btw that would answer at once', 'limit_reached', words.sides],
  ] as const)('%s comes back into the composer with a sentence', async (_what, code, sentence) => {
    const page = mountSide({}, locale)
    page.transport.script.open = code
    await page.user.keyboard('kept?{Enter}')
    await page.tick()
    expect(screen.getAllByText(sentence)).not.toHaveLength(0)
    expect(field().value).toBe('kept?')
  })

  it('says the same of a follow-up', async () => {
    const page = mountSide({}, locale)
    await page.user.keyboard('one{Enter}')
    await page.tick()
    await page.answer(page.sideId, 'yes')
    page.transport.script.send = 'invalid_request'
    await page.user.keyboard('kept?{Enter}')
    await page.tick()
    expect(screen.getAllByText(words.question)).not.toHaveLength(0)
    expect(field().value).toBe('kept?')
  })

  it('keeps the eleventh waiting message in the composer with a sentence', async () => {
    const page = mountSide({}, locale)
    await page.user.keyboard('one{Enter}')
    await page.tick()
    for (let at = 0; at < DEFAULT_LIMITS.queuedMessages; at += 1)
      act(() => void page.runtime.send(page.sideId, `waits ${at}`))
    await page.user.keyboard('kept?{Enter}')
    expect(screen.getAllByText(words.queue)).not.toHaveLength(0)
    expect(field().value).toBe('kept?')
  })

  it.each(['completed', 'canceled'] as const)('marks an answer of more than 4 MB, %s as it is', (outcome) => {
    const piece = 'word '.repeat(200_000)
    let view = EMPTY_TRANSCRIPT
    for (let at = 0; at < 5; at += 1) view = project(view, say.text('t1', piece))
    const [turn] = view.turns
    const kept = turn?.items[0]?.kind === 'text' ? turn.items[0].text.length : 0
    expect(kept).toBe(DEFAULT_LIMITS.answerChars)
    // Drawn without the megabytes.
    const drawn: TranscriptTurn = { ...(turn as TranscriptTurn), phase: 'settled', outcome, items: [] }
    mount(<Transcript turns={[drawn]} label="x" actions={{}} />, locale)
    expect(screen.getByText(words.answer)).toBeTruthy()
    expect(screen.queryByText(words.stopped) !== null).toBe(outcome === 'canceled')
  })
})
