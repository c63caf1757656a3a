/** A side before its first question: one sentence, two examples, and the sides that ended a while ago. */

import type { JSX, ReactNode } from 'react'
import type { RecentSide } from '../data/snapshot.ts'
import { splitQuote } from '../quotation.ts'
import { useT } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import { Transcript } from '../parts/Transcript.tsx'
import type { TurnActions } from '../parts/Turn.tsx'
import css from './Side.module.css'

const RECENT_SHOWN = 5
const READ_ONLY: TurnActions = {}

export interface EmptySideProps {
  readonly recent: readonly RecentSide[]
  /** The closed side that is read here, or null. */
  readonly reading: string | null
  readonly sought: { readonly sideId: string; readonly turnId: string; readonly times: number } | null
  readonly onRead: (sideId: string) => void
  readonly onLeave: (sideId: string) => void
  /** What goes along with the first question. */
  readonly scope: ReactNode
  readonly onExample: (text: string) => void
  readonly onStartAgain: (sideId: string) => void
}

export function EmptySide({
  recent,
  reading,
  sought,
  scope,
  onRead,
  onLeave,
  onExample,
  onStartAgain,
}: EmptySideProps): JSX.Element {
  const t = useT()
  const read = recent.find((side) => side.sideId === reading)
  if (read !== undefined) {
    return (
      <div className={css['reading']}>
        <div className={css['readingHead']}>
          <span className={css['readingTitle']}>{read.title}</span>
          <TextButton onClick={() => onLeave(read.sideId)}>{t('action.close')}</TextButton>
          <TextButton outlined onClick={() => onStartAgain(read.sideId)}>
            {t('action.startAgain')}
          </TextButton>
        </div>
        <Transcript
          turns={read.turns}
          earlier={read.earlier}
          label={t('transcript.turns')}
          actions={READ_ONLY}
          sought={sought?.sideId === read.sideId ? sought : null}
        />
      </div>
    )
  }
  return (
    <div className={css['empty']}>
      <p className={css['emptyText']}>{t('side.empty')}</p>
      <div className={css['examples']} role="group" aria-label={t('side.examples')}>
        {(['side.exampleNow', 'side.exampleError'] as const).map((key) => (
          <TextButton key={key} outlined onClick={() => onExample(t(key))}>
            {t(key)}
          </TextButton>
        ))}
      </div>
      {scope}
      {recent.length > 0 && (
        <div className={css['recent']}>
          <h3 className={css['recentTitle']}>{t('side.recent')}</h3>
          <ul className={css['recentList']}>
            {recent.slice(0, RECENT_SHOWN).map((side) => (
              <li key={side.sideId}>
                <button type="button" className={css['recentItem']} onClick={() => onRead(side.sideId)}>
                  {side.title === '' ? splitQuote(side.unsent).text : side.title}
                </button>
              </li>
            ))}
          </ul>
        </div>
      )}
    </div>
  )
}
