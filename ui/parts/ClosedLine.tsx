/** "Closed: ... Undo", for as long as it can be undone (D6). */

import type { JSX } from 'react'
import { useT } from './surface.tsx'
import { TextButton } from './TextButton.tsx'
import css from './ClosedLine.module.css'

export interface ClosedLineProps {
  /** '' for a side without a question. */
  readonly title: string
  readonly onUndo: () => void
}

export function ClosedLine({ title, onUndo }: ClosedLineProps): JSX.Element {
  const t = useT()
  return (
    <div className={css['line']}>
      <span className={css['title']}>{title === '' ? t('closed.draft') : t('closed.line', { title })}</span>
      <TextButton onClick={onUndo}>{t('action.undo')}</TextButton>
    </div>
  )
}
