/** A question or an approval that the agent of a side waits for. It goes away when the event says so, not when a
 *  button was pressed (T6). Nothing is ever granted by itself. */

import type { JSX } from 'react'
import type { InteractionPatch, PromptResponse } from '../../src/wire/index.ts'
import { approvalIn, questionsIn } from './asked.ts'
import { ApprovalPrompt } from './ApprovalPrompt.tsx'
import { QuestionPrompt } from './QuestionPrompt.tsx'
import type { DraftStore } from './QuestionPrompt.tsx'
import { useT } from './surface.tsx'
import { TextButton } from './TextButton.tsx'
import css from './Prompt.module.css'

const INPUT_MOST = 1_000

export interface PromptProps {
  readonly prompt: InteractionPatch
  /** Resolves with false when the response was refused. */
  readonly onRespond: (turnId: string, requestId: string, response: PromptResponse) => Promise<boolean> | void
  readonly drafts?: DraftStore | undefined
  /** It goes away while it has the keyboard. */
  readonly onGone?: (() => void) | undefined
}

export function Prompt({ prompt, onRespond, drafts, onGone }: PromptProps): JSX.Element {
  const t = useT()
  const { requestId, turnId, kind, input } = prompt
  const respond = (response: PromptResponse): Promise<boolean> | void => onRespond(turnId, requestId, response)
  const questions = kind === 'question' ? questionsIn(input) : null
  if (questions !== null)
    return (
      <QuestionPrompt requestId={requestId} questions={questions} onRespond={respond} drafts={drafts} onGone={onGone} />
    )
  const approval = kind === 'approval' ? approvalIn(input) : null
  if (approval !== null) return <ApprovalPrompt approval={approval} onRespond={respond} onGone={onGone} />
  return (
    <div className={css['prompt']} role="group" aria-label={t(`prompt.${kind}`)}>
      <span className={css['title']}>{t(`prompt.${kind}`)}</span>
      <pre className={css['input']} tabIndex={0}>
        {readable(input)}
      </pre>
      <div className={css['row']}>
        {kind === 'approval' && (
          <TextButton outlined onClick={() => void respond({ decision: 'allow' })}>
            {t('action.allow')}
          </TextButton>
        )}
        <TextButton outlined onClick={() => void respond({ decision: 'refuse' })}>
          {t('action.refuse')}
        </TextButton>
      </div>
    </div>
  )
}

function readable(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input, null, 2) ?? '')
  return text.length > INPUT_MOST ? `${text.slice(0, INPUT_MOST)}…` : text
}
