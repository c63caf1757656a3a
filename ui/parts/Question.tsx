/** One question of a prompt: its options, and words of one's own. Native radios and boxes, so that the keyboard works
 *  as everywhere. */

import { useId } from 'react'
import type { JSX, KeyboardEvent } from 'react'
import type { AskedQuestion, QuestionAnswer } from '../../src/wire/index.ts'
import { ANSWER_MOST } from './asked.ts'
import { composerKey, isComposing } from './composer-keys.ts'
import { useT } from './surface.tsx'
import css from './Prompt.module.css'

export interface QuestionProps {
  readonly question: AskedQuestion
  readonly answer: QuestionAnswer
  readonly onPick: (label: string) => void
  readonly onWords: (custom: string) => void
  /** Enter in the field. */
  readonly onSend: () => void
  /** Esc in a field that holds words. */
  readonly onLeave: () => void
}

export function Question({ question, answer, onPick, onWords, onSend, onLeave }: QuestionProps): JSX.Element {
  const t = useT()
  const name = useId()
  const { header, options, multiple } = question
  const words = answer.custom ?? ''

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    const sends = composerKey(event.nativeEvent, { justComposed: false, empty: false }) === 'send'
    const leaves = event.key === 'Escape' && !isComposing(event.nativeEvent) && words !== ''
    if (!sends && !leaves) return
    event.preventDefault()
    event.stopPropagation()
    if (sends) onSend()
    else onLeave()
  }

  const field = (
    <textarea
      className={css['field']}
      rows={1}
      maxLength={ANSWER_MOST}
      aria-label={options.length === 0 ? t('prompt.answer') : t('prompt.own')}
      placeholder={options.length === 0 ? t('prompt.answer') : t('prompt.own')}
      value={words}
      onChange={(event) => onWords(event.target.value)}
      onKeyDown={onKeyDown}
    />
  )

  return (
    <fieldset className={css['question']} aria-describedby={multiple ? `${name}-many` : undefined}>
      <legend className={css['legend']}>
        {header !== undefined && <span className={css['header']}>{header}</span>}
        <span className={css['words']}>{question.question}</span>
      </legend>
      {multiple && (
        <span id={`${name}-many`} className={css['hint']}>
          {t('prompt.many')}
        </span>
      )}
      {options.map(({ label, description }) => (
        <label key={label} className={css['option']}>
          <input
            className={css['mark']}
            type={multiple ? 'checkbox' : 'radio'}
            name={name}
            checked={answer.selected.includes(label)}
            onChange={() => onPick(label)}
          />
          <span className={css['optionText']}>
            <span className={css['optionLabel']}>{label}</span>
            {description !== undefined && <span className={css['description']}>{description}</span>}
          </span>
        </label>
      ))}
      {options.length === 0 || multiple ? (
        // Beside options of which any number may be chosen, words need no mark of their own.
        <div className={css['own']}>{field}</div>
      ) : (
        <div className={css['own']}>
          <input
            className={css['mark']}
            type="radio"
            name={name}
            aria-label={t('prompt.own')}
            checked={answer.custom !== undefined && answer.selected.length === 0}
            onChange={() => onWords(words)}
          />
          {field}
        </div>
      )}
    </fieldset>
  )
}
