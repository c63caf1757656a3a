/** What a person has chosen in prompts that still wait, kept while their tab is hidden; and what becomes of words typed
 *  there when the prompt goes away unanswered: they go back into the side's draft (I9). Pure. */

import type { QuestionAnswer, Transcript } from '../../src/wire/index.ts'
import { putBack } from './model.ts'
import type { SideModel } from './model.ts'

/** By the prompt's request id, in the order of its questions. */
export type PromptAnswers = Readonly<Record<string, readonly QuestionAnswer[]>>

export function withAnswers(model: SideModel, requestId: string, answers: readonly QuestionAnswer[]): SideModel {
  return { ...model, answers: { ...model.answers, [requestId]: answers } }
}

/** Drops what was chosen in prompts that do not wait any more; null: none waits. */
export function afterPrompts(model: SideModel, transcript: Transcript | null): SideModel {
  const kept = Object.entries(model.answers)
  if (kept.length === 0) return model
  const prompts = new Map(
    (transcript?.turns ?? []).flatMap((turn) => turn.interactions.map((one) => [one.requestId, one.status] as const)),
  )
  const over = kept.filter(([requestId]) => prompts.get(requestId) !== 'pending')
  if (over.length === 0) return model
  const lost = over.filter(([requestId]) => prompts.get(requestId) !== 'answered').map(([, answers]) => answers)
  return {
    ...model,
    answers: Object.fromEntries(kept.filter((entry) => !over.includes(entry))),
    draft: lost.flatMap(wordsOf).reduceRight((draft, words) => putBack(words, draft), model.draft),
  }
}

function wordsOf(answers: readonly QuestionAnswer[]): readonly string[] {
  return answers.flatMap(({ custom = '' }) => (custom.trim() === '' ? [] : [custom]))
}
