/** The questions of a prompt and what a person has chosen so far. Pure; the form is QuestionPrompt.tsx. A draft holds
 *  words beside an option of a single choice too, so that neither is lost when the other is looked at. */

import type { AskedQuestion, QuestionAnswer, QuestionInput } from '../../src/wire/index.ts'

/** What is chosen so far, in the order of the questions. `custom` that is '' means: in words, none yet. */
export type AnswerDraft = readonly QuestionAnswer[]

/** Longest answer in words; what the other end takes. */
export const ANSWER_MOST = 2_000

/** The questions of an input that a runtime gave, or null when it holds something else. */
export function questionsIn(input: unknown): readonly AskedQuestion[] | null {
  const questions = (input as Partial<QuestionInput> | null)?.questions
  return Array.isArray(questions) && questions.length > 0 ? questions : null
}

export function emptyDraft(questions: readonly AskedQuestion[]): AnswerDraft {
  return questions.map(({ id }) => ({ id, selected: [] }))
}

/** The draft after an option was clicked. */
export function picked(draft: AnswerDraft, question: AskedQuestion, label: string): AnswerDraft {
  return changed(draft, question, (answer) => {
    if (!question.multiple) return { ...answer, selected: [label] }
    const selected = answer.selected.includes(label)
      ? answer.selected.filter((one) => one !== label)
      : [...answer.selected, label]
    return { ...answer, selected }
  })
}

/** The draft after words were typed or chosen; they take the place of an option where only one thing may be chosen. */
export function worded(draft: AnswerDraft, question: AskedQuestion, custom: string): AnswerDraft {
  return changed(draft, question, (answer) => ({
    ...answer,
    selected: question.multiple ? answer.selected : [],
    custom,
  }))
}

/** The answers to send, or null while nothing is answered. */
export function answersOf(draft: AnswerDraft, questions: readonly AskedQuestion[]): readonly QuestionAnswer[] | null {
  const answers = questions.map((question): QuestionAnswer => {
    const { id } = question
    const { selected, custom = '' } = draft.find((one) => one.id === id) ?? { selected: [] }
    const words = custom.trim()
    const counts = words !== '' && (question.multiple || selected.length === 0)
    return { id, selected, ...(counts ? { custom: words } : {}) }
  })
  return answers.some(({ selected, custom }) => selected.length > 0 || custom !== undefined) ? answers : null
}

function changed(
  draft: AnswerDraft,
  question: AskedQuestion,
  change: (answer: QuestionAnswer) => QuestionAnswer,
): AnswerDraft {
  return draft.map((answer) => (answer.id === question.id ? change(answer) : answer))
}

/** An approval whose runtime says in words what it is about. */
export interface Approval {
  readonly tool: 'shell' | 'edit'
  /** The command, or ''. Untrusted text. */
  readonly target: string
  readonly reason: string
}

/** Null when `input` is of another kind: the prompt then shows it as it is. */
export function approvalIn(input: unknown): Approval | null {
  if (typeof input !== 'object' || input === null) return null
  const { tool, target, reason } = input as Readonly<Record<string, unknown>>
  if ((tool !== 'shell' && tool !== 'edit') || typeof target !== 'string' || typeof reason !== 'string') return null
  return { tool, target, reason }
}
