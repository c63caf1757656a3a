/** The text field of a side. Owns keys, input methods and its own height; the text is the caller's, and is cleared by
 *  the caller when the question was taken (I9). */

import { forwardRef, useCallback, useEffect, useImperativeHandle, useRef } from 'react'
import type { KeyboardEvent, ReactNode } from 'react'
import { AFTER_COMPOSITION_MS, composerKey } from './composer-keys.ts'
import { IconButton } from './IconButton.tsx'
import { useT } from './surface.tsx'
import css from './Composer.module.css'

export interface ComposerProps {
  readonly text: string
  readonly onText: (text: string) => void
  readonly onSend: (text: string) => void
  readonly placeholder: string
  /** Up in an empty field: puts the last question into it. Absent while there is none. */
  readonly onRecall?: (() => void) | undefined
  /** Shows Stop; sending still works (it queues). */
  readonly onStop?: (() => void) | undefined
  readonly stopping?: boolean
  readonly autoFocus?: boolean
  readonly disabled?: boolean
  /** Stands beside the buttons, below the text. */
  readonly tools?: ReactNode
}

export interface ComposerHandle {
  focus(): void
}

export const Composer = forwardRef<ComposerHandle, ComposerProps>(function Composer(props, handle) {
  const {
    text,
    onText,
    onSend,
    placeholder,
    onRecall,
    onStop,
    stopping = false,
    autoFocus = false,
    disabled = false,
    tools,
  } = props
  const t = useT()
  const field = useRef<HTMLTextAreaElement>(null)
  const composedAt = useRef(-Infinity)
  const empty = text.trim() === ''

  useImperativeHandle(handle, () => ({ focus: () => field.current?.focus({ preventScroll: true }) }), [])
  useEffect(() => {
    if (autoFocus) field.current?.focus({ preventScroll: true })
  }, [autoFocus])

  const onKeyDown = useCallback(
    (event: KeyboardEvent<HTMLTextAreaElement>) => {
      const justComposed = performance.now() - composedAt.current < AFTER_COMPOSITION_MS
      const { nativeEvent } = event
      const meaning = composerKey(nativeEvent, { justComposed, empty: text === '' })
      if (meaning === 'swallow') event.preventDefault()
      if (meaning === 'send') {
        event.preventDefault()
        event.stopPropagation()
        if (!empty) onSend(text)
      }
      if (meaning === 'recall' && onRecall !== undefined) {
        event.preventDefault()
        onRecall()
      }
    },
    [text, empty, onRecall, onSend],
  )

  return (
    <div className={css['composer']} data-disabled={disabled || undefined}>
      {/* The text once more, invisible: it gives the field its height. */}
      <div className={css['grow']} data-text={`${text}\n`}>
        <textarea
          ref={field}
          className={css['field']}
          rows={1}
          value={text}
          placeholder={placeholder}
          aria-label={t('composer.label')}
          disabled={disabled}
          onChange={(event) => onText(event.target.value)}
          onCompositionEnd={() => {
            composedAt.current = performance.now()
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      {tools !== undefined && <div className={css['tools']}>{tools}</div>}
      <div className={css['buttons']}>
        {onStop !== undefined && (
          <IconButton
            icon="stop"
            label={t(stopping ? 'phase.stopping' : 'action.stop')}
            disabled={stopping}
            onClick={onStop}
          />
        )}
        {(onStop === undefined || !empty) && (
          <IconButton icon="send" label={t('action.send')} disabled={empty || disabled} onClick={() => onSend(text)} />
        )}
      </div>
    </div>
  )
})
