/** An approval in words: what would be done, why, and the two answers. It stays until the event says that it is over (T6);
 *  an answer that did not arrive can be given again. */

import { useLayoutEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import type { PromptResponse } from '../../src/wire/index.ts'
import type { Approval } from './asked.ts'
import { useT } from './surface.tsx'
import { TextButton } from './TextButton.tsx'
import css from './Prompt.module.css'

export interface ApprovalPromptProps {
  readonly approval: Approval
  /** Resolves with false when the answer was refused. */
  readonly onRespond: (response: PromptResponse) => Promise<boolean> | void
  /** It goes away while it has the keyboard. */
  readonly onGone?: (() => void) | undefined
}

export function ApprovalPrompt({ approval, onRespond, onGone }: ApprovalPromptProps): JSX.Element {
  const t = useT()
  const root = useRef<HTMLDivElement>(null)
  const gone = useRef(onGone)
  const [sent, setSent] = useState(false)
  const title = t(`prompt.${approval.tool}`)
  useLayoutEffect(() => {
    gone.current = onGone
  }, [onGone])
  useLayoutEffect(() => {
    const { current } = root
    return () => void (current?.contains(document.activeElement) === true && gone.current?.())
  }, [])

  const respond = (decision: 'allow' | 'refuse'): void => {
    if (sent) return
    setSent(true)
    // The button that was pressed is disabled now; the keyboard stays in this place.
    root.current?.focus()
    Promise.resolve(onRespond({ decision })).then(
      (accepted) => accepted === false && setSent(false),
      () => setSent(false),
    )
  }
  return (
    <div ref={root} className={css['prompt']} role="group" aria-label={title} tabIndex={-1}>
      <span className={css['title']}>{title}</span>
      {approval.reason !== '' && <span className={css['words']}>{approval.reason}</span>}
      {approval.target !== '' && (
        <pre className={css['input']} tabIndex={0}>
          {approval.target}
        </pre>
      )}
      <div className={css['row']}>
        <TextButton outlined disabled={sent} onClick={() => respond('allow')}>
          {t('action.allow')}
        </TextButton>
        <TextButton disabled={sent} onClick={() => respond('refuse')}>
          {t('action.refuse')}
        </TextButton>
      </div>
    </div>
  )
}
