/** How far main went on since the side last knew of it, and the way to tell it (catch-up). */

import type { JSX } from 'react'
import type { SideRuntime } from '../data/runtime.ts'
import type { SideSnapshot } from '../data/snapshot.ts'
import { IconButton } from '../parts/IconButton.tsx'
import { useT } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import css from './Side.module.css'

export interface AheadLineProps {
  readonly runtime: SideRuntime
  readonly side: SideSnapshot
  /** The number of main's last whole turn; 0 when nobody tells. */
  readonly mainTurn: number
  /** The caret goes back to the composer. */
  readonly onChosen: () => void
}

export function AheadLine({ runtime, side, mainTurn, onChosen }: AheadLineProps): JSX.Element | null {
  const t = useT()
  const { facts, status, catchUp, sideId } = side
  const ahead = facts === null ? 0 : mainTurn - facts.mainTurn
  if (ahead <= 0 || (status.phase !== 'idle' && status.phase !== 'running')) return null
  const choose = (wanted: boolean): void => {
    runtime.setCatchUp(sideId, wanted)
    onChosen()
  }
  return (
    <div className={css['ahead']}>
      <span className={css['mainText']}>
        {ahead === 1 ? t('ahead.one') : t('ahead.many', { n: ahead })}
        {catchUp && `${t('list.comma')}${t('ahead.added')}`}
      </span>
      {catchUp ? (
        <IconButton icon="close" label={t('action.remove')} onClick={() => choose(false)} />
      ) : (
        <TextButton onClick={() => choose(true)}>{t('ahead.add')}</TextButton>
      )}
    </div>
  )
}
