/** Questions that one side's agent asks its person, kept inside the side: the call waits here and not with the host,
 *  whose own panel, badge and other browsers therefore never hear of it (I4). The prompt itself is read off the log
 *  (translate.ts). Approvals are refused here, whoever else would grant them (I3). */

import type { Context } from '@deepseek-ai/cordis'
import type { ToolDispatchExecution, ToolExecutionResult } from '@deepseek-ai/dsh-tools'
import type { AskedQuestion, QuestionAnswer } from '../../core/contract.ts'
import { SideError } from '../../core/errors.ts'
import { onLoose } from './seams.ts'
import { answersIn, DECLINED, QUESTION_TOOL, questionsOf } from './questions.ts'

export interface Asking {
  /** Takes the question tool over in a child. Must run inside setup, so that no call comes before. */
  install(agentCtx: Context): void
  /** Answers the question that waits under this call's id. Throws SideError `interaction_not_live` or
   *  `interaction_invalid_response`; then it goes on waiting. */
  respond(requestId: string, response: unknown): void
}

interface Waiting {
  readonly questions: readonly AskedQuestion[]
  answer(answers: readonly QuestionAnswer[] | 'declined'): void
}

export function createAsking(): Asking {
  const waiting = new Map<string, Waiting>()

  function ask({ callId, arguments: given, signal }: ToolDispatchExecution): Promise<ToolExecutionResult> {
    const questions = questionsOf(given)
    if (questions === null)
      return Promise.resolve(failure(`${QUESTION_TOOL} needs questions with ids and words, and options that differ`))
    if (waiting.has(callId)) return Promise.resolve(failure(`${QUESTION_TOOL} ${callId} is being asked already`))
    return new Promise((resolve) => {
      const settle = (result: ToolExecutionResult): void => {
        waiting.delete(callId)
        signal.removeEventListener('abort', stopped)
        resolve(result)
      }
      const stopped = (): void => settle(failure(`${QUESTION_TOOL} was aborted before the user answered`))
      if (signal.aborted) return stopped()
      signal.addEventListener('abort', stopped, { once: true })
      waiting.set(callId, {
        questions,
        answer: (answers) => settle(answers === 'declined' ? failure(DECLINED) : answered(answers)),
      })
    })
  }

  return {
    install(agentCtx) {
      agentCtx.on('tools/execute', (exec, next) => (exec.name === QUESTION_TOOL ? ask(exec) : next()))
      onLoose(agentCtx, 'approval/request', () => Promise.resolve('rejected'))
    },
    respond(requestId, response) {
      const prompt = waiting.get(requestId)
      if (prompt === undefined) throw new SideError('interaction_not_live', `no question waits under ${requestId}`)
      const answers = answersIn(prompt.questions, response)
      if (answers === null)
        throw new SideError('interaction_invalid_response', `the answer does not fit question ${requestId}`)
      prompt.answer(answers)
    },
  }
}

/** The host checks the value against the tool's own output and renders it as it renders its own. */
function answered(answers: readonly QuestionAnswer[]): ToolExecutionResult {
  const value = { answers: answers.map((answer) => ({ ...answer, selected: [...answer.selected] })) }
  return { isError: false, value, content: [] }
}

function failure(message: string): ToolExecutionResult {
  return { isError: true, error: { message }, content: [{ type: 'text', text: `Error: ${message}` }] }
}
