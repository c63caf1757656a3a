/** An answer has landed in another conversation: one quiet line that leads there (K15). */

import type { JSX } from 'react'
import { useT } from '../parts/surface.tsx'
import css from './Btw.module.css'

export interface AwayLineProps {
  /** The side's first question. */
  readonly title: string
  /** What its conversation is called, or ''. */
  readonly where: string
  readonly onGo: () => void
}

export function AwayLine({ title, where, onGo }: AwayLineProps): JSX.Element {
  const t = useT()
  return (
    <button type="button" className={css['away']} onClick={onGo} title={t('away.go')}>
      <span className={css['awayDot']} aria-hidden="true" />
      <span className={css['awayText']}>
        {where === '' ? t('away.line', { title }) : t('away.lineIn', { title, where })}
      </span>
    </button>
  )
}
