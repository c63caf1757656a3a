/** A prompt that asks in words: its questions, one answer for all of them, and a way to put them aside. It stays, with
 *  what was chosen, until the event says that it is over (T6); a refused answer can be sent again. */

import { useLayoutEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import type { AskedQuestion, PromptResponse } from '../../src/wire/index.ts'
import { answersOf, emptyDraft, picked, worded } from './asked.ts'
import type { AnswerDraft } from './asked.ts'
import { Question } from './Question.tsx'
import { useT } from './surface.tsx'
import { TextButton } from './TextButton.tsx'
import css from './Prompt.module.css'

/** Where a surface keeps what is chosen, so that it outlives the tab being hidden. */
export interface DraftStore {
  read(requestId: string): AnswerDraft | null
  write(requestId: string, draft: AnswerDraft): void
}

export interface QuestionPromptProps {
  readonly requestId: string
  readonly questions: readonly AskedQuestion[]
  /** Resolves with false when the answer was refused. */
  readonly onRespond: (response: PromptResponse) => Promise<boolean> | void
  readonly drafts?: DraftStore | undefined
  /** The prompt goes away while it has the keyboard. */
  readonly onGone?: (() => void) | undefined
}

export function QuestionPrompt(props: QuestionPromptProps): JSX.Element {
  const { requestId, questions, onRespond, drafts, onGone } = props
  const t = useT()
  const root = useRef<HTMLDivElement>(null)
  const gone = useRef(onGone)
  const [draft, setDraft] = useState(() => drafts?.read(requestId) ?? emptyDraft(questions))
  const [sent, setSent] = useState(false)
  const answers = answersOf(draft, questions)

  useLayoutEffect(() => {
    gone.current = onGone
  }, [onGone])

  useLayoutEffect(() => {
    const { current } = root
    return () => void (current?.contains(document.activeElement) === true && gone.current?.())
  }, [])

  const change = (next: AnswerDraft): void => {
    setDraft(next)
    drafts?.write(requestId, next)
  }
  const respond = (response: PromptResponse): void => {
    if (sent) return
    setSent(true)
    // The button that was pressed is disabled now; the keyboard stays in this place.
    root.current?.focus()
    Promise.resolve(onRespond(response)).then(
      (accepted) => accepted === false && setSent(false),
      () => setSent(false),
    )
  }
  const send = (): void => {
    if (answers !== null) respond({ answers })
  }

  return (
    <div ref={root} className={css['prompt']} role="group" aria-label={t('prompt.question')} tabIndex={-1}>
      <span className={css['title']}>{t('prompt.question')}</span>
      <fieldset className={css['all']} disabled={sent}>
        {questions.map((question, index) => (
          <Question
            key={question.id}
            question={question}
            answer={draft[index] ?? { id: question.id, selected: [] }}
            onPick={(label) => change(picked(draft, question, label))}
            onWords={(custom) => change(worded(draft, question, custom))}
            onSend={send}
            onLeave={() => root.current?.focus()}
          />
        ))}
        <div className={css['row']}>
          <TextButton outlined disabled={answers === null} onClick={send}>
            {t('action.answer')}
          </TextButton>
          <TextButton onClick={() => respond({ decision: 'refuse' })}>{t('action.putAside')}</TextButton>
        </div>
      </fieldset>
    </div>
  )
}
