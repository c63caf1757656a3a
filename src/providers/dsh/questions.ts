/** The question tool of DSH on the wire: what its call holds, and which answers fit it. Pure: runs in the host and in the
 *  browser. Asking and answering is asking.ts; what a prompt becomes in the log is translate.ts. */

import type { AskedQuestion, QuestionAnswer } from '../../core/contract.ts'

/** The host's tool that asks the person. */
export const QUESTION_TOOL = 'ask_user_question'

/** What the model reads of a question that the person put aside; the host's own words in a main conversation. */
export const DECLINED = 'the user cancelled ask_user_question'

/** Longest answer in the person's own words, so that a whole reply fits one control message. */
export const ANSWER_CHARS = 2_000

/** The questions of a call, or null when they cannot be shown and answered: no list, none in it, one without its words
 *  or an id of its own, an option that is not told from another. */
export function questionsOf(callArguments: unknown): readonly AskedQuestion[] | null {
  const list = record(parsed(callArguments))?.['questions']
  if (!Array.isArray(list) || list.length === 0) return null
  const questions: AskedQuestion[] = []
  for (const raw of list) {
    const question = questionOf(raw)
    if (question === null || questions.some(({ id }) => id === question.id)) return null
    questions.push(question)
  }
  return questions
}

/** What a response says: answers in the order of the questions, or that the person puts them aside; null when it fits
 *  them not. A question may be left out by answering it with nothing, all of them may not. */
export function answersIn(
  questions: readonly AskedQuestion[],
  response: unknown,
): readonly QuestionAnswer[] | 'declined' | null {
  const said = record(response)
  if (said === null || Object.keys(said).length !== 1) return null
  if (said['decision'] === 'refuse') return 'declined'
  const list: unknown = said['answers']
  if (!Array.isArray(list) || list.length !== questions.length) return null
  const answers = questions.map((question, index) => answerOf(question, list[index]))
  if (!answers.every((answer) => answer !== null)) return null
  return answers.some(({ selected, custom }) => selected.length > 0 || custom !== undefined) ? answers : null
}

/** What was answered, as a person reads it: each question and its answer on a line of their own. `told` is what the tool
 *  gave the model; when that is something else, it is handed back. */
export function answersText(questions: readonly AskedQuestion[], told: string): string {
  const list = record(parsed(told))?.['answers']
  if (!Array.isArray(list) || list.length !== questions.length) return told
  return questions
    .map(({ question }, index) => {
      const answer = record(list[index])
      const selected: unknown = answer?.['selected']
      const said = [...(Array.isArray(selected) ? selected : []), answer?.['custom']].filter(
        (one) => typeof one === 'string',
      )
      return `${question}\n${said.length === 0 ? '–' : said.join(', ')}`
    })
    .join('\n\n')
}

function questionOf(raw: unknown): AskedQuestion | null {
  const data = record(raw)
  const id = data?.['id']
  const question = data?.['question']
  if (data === null || typeof id !== 'string' || id === '' || typeof question !== 'string' || question === '')
    return null
  const options: { label: string; description?: string }[] = []
  for (const rawOption of Array.isArray(data['options']) ? data['options'] : []) {
    const option = record(rawOption)
    const label = option?.['label']
    if (typeof label !== 'string' || label === '' || options.some((one) => one.label === label)) return null
    const description = option?.['description']
    options.push({ label, ...(typeof description === 'string' && description !== '' ? { description } : {}) })
  }
  const header = data['header']
  return {
    id,
    question,
    ...(typeof header === 'string' && header !== '' ? { header } : {}),
    options,
    multiple: data['multi_select'] === true,
  }
}

function answerOf(question: AskedQuestion, raw: unknown): QuestionAnswer | null {
  const data = record(raw)
  const selected: unknown = data?.['selected']
  const custom: unknown = data?.['custom']
  if (data === null || data['id'] !== question.id || !Array.isArray(selected)) return null
  if (Object.keys(data).some((key) => key !== 'id' && key !== 'selected' && key !== 'custom')) return null
  const labels = new Set(question.options.map(({ label }) => label))
  if (!selected.every((label) => labels.has(label)) || new Set(selected).size !== selected.length) return null
  if (custom !== undefined && (typeof custom !== 'string' || custom.trim() === '' || custom.length > ANSWER_CHARS))
    return null
  if (!question.multiple && selected.length + (custom === undefined ? 0 : 1) > 1) return null
  return { id: question.id, selected, ...(custom === undefined ? {} : { custom }) }
}

/** Arguments come parsed from the host's tools and as JSON text from its log. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value
  try {
    return JSON.parse(value)
  } catch {
    return null
  }
}

function record(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}
