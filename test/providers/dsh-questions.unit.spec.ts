/** What a call of the host's question tool holds, and which answers fit it. */
import { describe, expect, it } from 'vitest'

import { allowedTools, refuseUnlisted } from '../../src/providers/dsh/guard.ts'
import { ANSWER_CHARS, answersIn, answersText, QUESTION_TOOL, questionsOf } from '../../src/providers/dsh/questions.ts'
import { createTranslator } from '../../src/providers/dsh/translate.ts'

const options = [{ label: 'npm' }, { label: 'pnpm', description: 'The one of this repository.' }]
const [one, many, open] = questionsOf({
  questions: [
    { id: 'one', question: 'Which one?', header: 'Lockfile', options, multi_select: false },
    { id: 'many', question: 'Which of them?', options, multi_select: true },
    { id: 'open', question: 'Why?' },
  ],
}) as NonNullable<ReturnType<typeof questionsOf>>
if (one === undefined || many === undefined || open === undefined) throw new Error('three were asked')

describe('the questions of a call', () => {
  it('are read from the tool and from its log alike', () => {
    const call = { questions: [{ id: 'one', question: 'Which one?', header: 'Lockfile', options }] }
    const read = [{ id: 'one', question: 'Which one?', header: 'Lockfile', options, multiple: false }]
    expect(questionsOf(call)).toEqual(read)
    expect(questionsOf(JSON.stringify(call))).toEqual(read)
    expect(many.multiple).toBe(true)
    expect(open.options).toEqual([])
  })

  it.each([
    ['nothing', undefined],
    ['no JSON', '{'],
    ['no list', { questions: 'why?' }],
    ['an empty list', { questions: [] }],
    ['a question without words', { questions: [{ id: 'a', question: '' }] }],
    ['a question without an id', { questions: [{ question: 'Why?' }] }],
    ['two with one id', { questions: ['Why?', 'How?'].map((question) => ({ id: 'a', question })) }],
    ['an option without a label', { questions: [{ id: 'a', question: 'Why?', options: [{}] }] }],
    ['two options with one label', { questions: [{ id: 'a', question: 'Why?', options: [options[0], options[0]] }] }],
  ])('are none in %s', (_name, call) => {
    expect(questionsOf(call)).toBeNull()
  })
})

describe('an answer', () => {
  it.each([
    ['an option', [one], [{ id: 'one', selected: ['pnpm'] }]],
    ['words instead of an option', [one], [{ id: 'one', selected: [], custom: 'yarn' }]],
    ['several options, and words beside them', [many], [{ id: 'many', selected: ['npm', 'pnpm'], custom: 'yarn' }]],
    ['words', [open], [{ id: 'open', selected: [], custom: ' Because.\n' }]],
    [
      'one of two left out',
      [one, open],
      [
        { id: 'one', selected: [] },
        { id: 'open', selected: [], custom: 'Because.' },
      ],
    ],
  ])('fits: %s', (_name, questions, answers) => {
    expect(answersIn(questions, { answers })).toEqual(answers)
  })

  it('may put everything aside', () => {
    expect(answersIn([one], { decision: 'refuse' })).toBe('declined')
  })

  it.each([
    ['nothing', {}],
    ['null', null],
    ['a permission', { decision: 'allow' }],
    ['words alone', { text: 'pnpm' }],
    ['too few', { answers: [] }],
    [
      'too many',
      {
        answers: [
          { id: 'one', selected: ['npm'] },
          { id: 'one', selected: ['npm'] },
        ],
      },
    ],
    ['all left out', { answers: [{ id: 'one', selected: [] }] }],
    ['of another question', { answers: [{ id: 'two', selected: ['npm'] }] }],
    ['an option that was not offered', { answers: [{ id: 'one', selected: ['yarn'] }] }],
    ['two of a single choice', { answers: [{ id: 'one', selected: ['npm', 'pnpm'] }] }],
    ['an option and words for a single choice', { answers: [{ id: 'one', selected: ['npm'], custom: 'x' }] }],
    ['blank words', { answers: [{ id: 'one', selected: [], custom: ' ' }] }],
    ['too many words', { answers: [{ id: 'one', selected: [], custom: 'x'.repeat(ANSWER_CHARS + 1) }] }],
    ['an unknown field', { answers: [{ id: 'one', selected: ['npm'], note: '' }] }],
    ['something beside it', { answers: [{ id: 'one', selected: ['npm'] }], decision: 'refuse' }],
  ])('does not fit: %s', (_name, response) => {
    expect(answersIn([one], response)).toBeNull()
  })
})

describe('what was answered', () => {
  it('reads as each question with its answer, and as it is when it is no answer', () => {
    const told = {
      answers: [
        { id: 'one', selected: ['npm', 'pnpm'], custom: 'yarn' },
        { id: 'open', selected: [] },
      ],
    }
    expect(answersText([one, open], JSON.stringify(told))).toBe('Which one?\nnpm, pnpm, yarn\n\nWhy?\n–')
    expect(answersText([one], 'Error: aborted')).toBe('Error: aborted')
  })
})

describe('[I3] the question tool', () => {
  const listed = [QUESTION_TOOL, 'exit_plan_mode', 'read']

  it('runs where it is listed, never in a one-shot question; what asks in the panel of the host runs nowhere', () => {
    expect(allowedTools('side', listed, listed)).toEqual([QUESTION_TOOL, 'read'])
    expect(allowedTools('btw', listed, listed)).toEqual([])
  })

  it('does not run from inside another tool', () => {
    const refuse = refuseUnlisted('side', listed)
    expect(refuse({ name: QUESTION_TOOL })).toBeUndefined()
    expect(refuse({ name: QUESTION_TOOL, parent: Symbol('run_code') })).toContain('ask directly')
    expect(refuse({ name: 'read', parent: Symbol('run_code') })).toBeUndefined()
  })

  it('shows a prompt only where it may run', () => {
    const call = {
      callId: 'c',
      name: QUESTION_TOOL,
      arguments: JSON.stringify({ questions: [{ id: 'a', question: 'Why?' }] }),
    }
    const log = [
      { type: 'turn/start', data: { turn: 1 } },
      { type: 'user/message', data: { id: 't', source: { kind: 'user' }, content: [] } },
      { type: 'tool/call', data: call },
    ].map((event, seq) => ({ ...event, seq, time: seq }))
    const shown = (tools: readonly string[]) => {
      const translator = createTranslator({ from: 0, tools })
      return JSON.stringify(log.flatMap((event) => translator.event(event))).includes('"pending"')
    }
    expect(shown([QUESTION_TOOL])).toBe(true)
    expect(shown(['read'])).toBe(false)
  })
})
