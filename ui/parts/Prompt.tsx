/** A question or an approval that the agent of a side waits for. It goes away when the event says so, not when a
 *  button was pressed (T6). Nothing is ever granted by itself. */

import { useState } from 'react'
import type { JSX } from 'react'
import type { InteractionPatch } from '../../src/wire/index.ts'
import { useT } from './surface.tsx'
import { TextButton } from './TextButton.tsx'
import css from './Turn.module.css'

const INPUT_MOST = 1_000

export interface PromptProps {
  readonly prompt: InteractionPatch
  readonly onRespond: (turnId: string, requestId: string, response: unknown) => void
}

export function Prompt({ prompt, onRespond }: PromptProps): JSX.Element {
  const t = useT()
  const [answer, setAnswer] = useState('')
  const respond = (response: unknown): void => onRespond(prompt.turnId, prompt.requestId, response)
  return (
    <div className={css['prompt']} role="group" aria-label={t(`prompt.${prompt.kind}`)}>
      <span className={css['promptTitle']}>{t(`prompt.${prompt.kind}`)}</span>
      <pre className={css['promptInput']}>{readable(prompt.input)}</pre>
      {prompt.kind === 'approval' ? (
        <div className={css['promptRow']}>
          <TextButton outlined onClick={() => respond({ decision: 'allow' })}>
            {t('action.allow')}
          </TextButton>
          <TextButton outlined onClick={() => respond({ decision: 'refuse' })}>
            {t('action.refuse')}
          </TextButton>
        </div>
      ) : (
        <form
          className={css['promptRow']}
          onSubmit={(event) => {
            event.preventDefault()
            if (answer.trim() !== '') respond({ text: answer })
          }}
        >
          <input
            className={css['promptField']}
            aria-label={t('prompt.answer')}
            value={answer}
            onChange={(event) => setAnswer(event.target.value)}
          />
          <button className={css['promptSend']} type="submit" disabled={answer.trim() === ''}>
            {t('action.send')}
          </button>
        </form>
      )}
    </div>
  )
}

function readable(input: unknown): string {
  const text = typeof input === 'string' ? input : (JSON.stringify(input, null, 2) ?? '')
  return text.length > INPUT_MOST ? `${text.slice(0, INPUT_MOST)}…` : text
}
