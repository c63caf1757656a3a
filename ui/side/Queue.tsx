/** Questions that wait for the running answer: shown, editable, removable, paused by Stop (K13, D11). */

import { useEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import type { SideRuntime } from '../data/runtime.ts'
import type { QueuedMessage, SideSnapshot } from '../data/snapshot.ts'
import { composerKey, isComposing } from '../parts/composer-keys.ts'
import { IconButton } from '../parts/IconButton.tsx'
import { useT } from '../parts/surface.tsx'
import { splitQuote, withQuote } from '../quotation.ts'
import { TextButton } from '../parts/TextButton.tsx'
import css from './Queue.module.css'

export interface QueueProps {
  readonly runtime: SideRuntime
  readonly side: SideSnapshot
  /** The editor was left: the caret goes back to the composer. */
  readonly onEdited: () => void
}

export function Queue({ runtime, side, onEdited }: QueueProps): JSX.Element | null {
  const t = useT()
  const [editing, setEditing] = useState<string | null>(null)
  const { sideId, queue, status } = side
  // Whoever leaves with an open editor must not block the queue for good.
  useEffect(() => () => runtime.holdQueued(sideId, null), [runtime, sideId])
  if (queue.messages.length === 0) return null
  const edit = (id: string | null): void => {
    setEditing(id)
    runtime.holdQueued(sideId, id)
    if (id === null) onEdited()
  }
  return (
    <div className={css['queue']}>
      <ul className={css['list']} aria-label={t('queue.label')}>
        {queue.messages.map((message) => (
          <li key={message.id} className={css['row']}>
            {editing === message.id ? (
              <Editor
                message={message}
                onSave={(text) => {
                  if (text.trim() !== '') runtime.editQueued(sideId, message.id, text)
                  edit(null)
                }}
                onCancel={() => edit(null)}
              />
            ) : (
              <>
                <span className={css['label']}>{t('queue.item')}</span>
                <span className={css['text']}>{splitQuote(message.text).text}</span>
                <IconButton icon="edit" label={t('action.edit')} onClick={() => edit(message.id)} />
                <IconButton
                  icon="close"
                  label={t('action.remove')}
                  onClick={() => runtime.removeQueued(sideId, message.id)}
                />
              </>
            )}
          </li>
        ))}
      </ul>
      {queue.paused && (
        <div className={css['paused']}>
          <span>{t('queue.paused')}</span>
          {status.phase === 'idle' && (
            <TextButton onClick={() => runtime.resumeQueue(sideId)}>{t('action.sendNow')}</TextButton>
          )}
        </div>
      )}
    </div>
  )
}

interface EditorProps {
  readonly message: QueuedMessage
  readonly onSave: (text: string) => void
  readonly onCancel: () => void
}

function Editor({ message, onSave, onCancel }: EditorProps): JSX.Element {
  const t = useT()
  const { quote, text: asked } = splitQuote(message.text)
  const [text, setText] = useState(asked)
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const { current } = field
    current?.focus()
    current?.setSelectionRange(current.value.length, current.value.length)
  }, [])
  /** The quotation stays with its question. */
  const save = (): void => onSave(text.trim() === '' ? '' : withQuote(quote, text))
  return (
    <>
      <textarea
        ref={field}
        className={css['field']}
        rows={2}
        aria-label={t('queue.editing')}
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          const isEnter = composerKey(event.nativeEvent, { justComposed: false, empty: false }) === 'send'
          const isEsc = event.key === 'Escape' && !isComposing(event.nativeEvent)
          if (!isEnter && !isEsc) return
          event.preventDefault()
          event.stopPropagation()
          if (isEnter) save()
          else onCancel()
        }}
      />
      <TextButton onClick={save}>{t('action.save')}</TextButton>
      <TextButton onClick={onCancel}>{t('action.cancel')}</TextButton>
    </>
  )
}
