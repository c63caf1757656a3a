/** The overlay's first line: the question, the way to the other ones, and what can be done. */

import type { JSX } from 'react'
import type { Hit } from '../data/search.ts'
import type { SideSnapshot } from '../data/snapshot.ts'
import { CopyButton } from '../parts/CopyButton.tsx'
import type { ModelRoute } from '../../src/wire/index.ts'
import { IconButton } from '../parts/IconButton.tsx'
import type { ModelChoice } from '../parts/ModelPicker.tsx'
import { Search } from '../parts/Search.tsx'
import { RetryWith } from '../parts/RetryWith.tsx'
import { splitQuote } from '../quotation.ts'
import { useT } from '../parts/surface.tsx'
import css from './Btw.module.css'

export interface BtwHeaderProps {
  readonly side: SideSnapshot
  /** Gives the raw Markdown; null while there is none. */
  readonly answer: (() => string) | null
  /** How often a key copied it. */
  readonly copied: number
  readonly position: number
  readonly total: number
  /** Another question has an answer that nobody saw. */
  readonly unread: boolean
  readonly onGo: (step: number) => void
  readonly onStop: () => void
  /** Looks for words in this conversation's sides; null while there is nothing to look in. */
  readonly find: ((query: string) => readonly Hit[]) | null
  readonly onFound: (hit: Hit) => void
  readonly models: ModelChoice
  readonly onRetry: (route?: ModelRoute) => void
  readonly onClose: () => void
  /** Goes on as a `/side`; absent where it cannot. */
  readonly onContinue?: (() => void) | undefined
  readonly bringBack?: (markdown: string) => void
}

export function BtwHeader(props: BtwHeaderProps): JSX.Element {
  const {
    side,
    answer,
    copied,
    position,
    total,
    unread,
    onGo,
    onStop,
    find,
    onFound,
    models,
    onRetry,
    onClose,
    onContinue,
    bringBack,
  } = props
  const t = useT()
  const { phase } = side.status
  const running = phase === 'opening' || phase === 'running'
  const settled = side.turns.at(-1)?.phase === 'settled'
  return (
    <div className={css['header']}>
      <span className={css['name']}>{t('btw.name')}</span>
      <span className={css['question']} title={splitQuote(side.turns[0]?.question ?? side.title).text}>
        {side.title}
      </span>
      {total > 1 && (
        <span className={css['position']} data-unread={unread || undefined}>
          <IconButton icon="left" label={t('action.previous')} disabled={position <= 0} onClick={() => onGo(-1)} />
          <span aria-label={t('btw.position', { n: position + 1, total })}>
            {position + 1}/{total}
          </span>
          <IconButton icon="right" label={t('action.next')} disabled={position >= total - 1} onClick={() => onGo(1)} />
        </span>
      )}
      {find !== null && !running && (total > 1 || side.turns.length === 0) && <Search find={find} onGo={onFound} />}
      {running && (
        <IconButton
          icon="stop"
          label={t('action.stop')}
          disabled={phase === 'running' && side.status.phase === 'running' && side.status.stopping}
          onClick={onStop}
        />
      )}
      {bringBack !== undefined && settled && answer !== null && (
        <IconButton icon="draft" label={t('action.bringBack')} onClick={() => bringBack(answer())} />
      )}
      {answer !== null && <CopyButton text={answer} label={t('action.copyAnswer')} copied={copied} />}
      {settled && phase !== 'expired' && phase !== 'past' && (
        <>
          <IconButton icon="retry" label={t('action.retry')} onClick={() => onRetry()} />
          <RetryWith models={models} onRetry={onRetry} />
        </>
      )}
      {onContinue !== undefined && <IconButton icon="hide" label={t('action.asSide')} onClick={onContinue} />}
      <IconButton icon="close" label={t('action.close')} onClick={onClose} />
    </div>
  )
}
