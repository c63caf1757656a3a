/** The way through the attempts at one question. */

import type { JSX } from 'react'
import { IconButton } from './IconButton.tsx'
import { useT } from './surface.tsx'
import css from './Turn.module.css'

export interface AttemptsProps {
  /** Counts from 0. */
  readonly at: number
  readonly total: number
  readonly onGo: (at: number) => void
}

export function Attempts({ at, total, onGo }: AttemptsProps): JSX.Element {
  const t = useT()
  return (
    <span className={css['attempts']} role="group" aria-label={t('attempt.position', { n: at + 1, total })}>
      <IconButton icon="left" label={t('attempt.previous')} disabled={at <= 0} onClick={() => onGo(at - 1)} />
      <span aria-live="polite">
        {at + 1}/{total}
      </span>
      <IconButton icon="right" label={t('attempt.next')} disabled={at >= total - 1} onClick={() => onGo(at + 1)} />
    </span>
  )
}
