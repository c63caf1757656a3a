/** One line that says where a side comes from, what it may do and what is kept; the rest stands behind (i) (K43). */

import type { JSX, ReactNode } from 'react'
import type { SideSnapshot } from '../data/snapshot.ts'
import type { Translate } from '../locales.ts'
import { About } from '../parts/About.tsx'
import type { SideWindows } from '../parts/about-words.ts'
import { inheritedText, storedText, toolsText } from '../parts/facts.ts'
import { formatTime } from '../parts/format.ts'
import { IconButton } from '../parts/IconButton.tsx'
import { useT } from '../parts/surface.tsx'
import css from './Side.module.css'

export interface InfoLineProps {
  readonly side: SideSnapshot
  readonly windows: SideWindows
  /** Buttons before ⓘ. */
  readonly children?: ReactNode
}

export function InfoLine({ side, windows, children }: InfoLineProps): JSX.Element {
  const t = useT()
  return (
    <About facts={side.facts} windows={windows} placement="below" className={css['info']}>
      {(button) => (
        <div className={css['infoLine']}>
          {infoParts(side, t).map((part) => (
            <span key={part} className={css['infoPart']}>
              {part}
            </span>
          ))}
          <span className={css['infoButton']}>
            {children}
            <IconButton icon="info" label={t('info.open')} {...button} />
          </span>
        </div>
      )}
    </About>
  )
}

function infoParts({ facts, status }: SideSnapshot, t: Translate): string[] {
  if (facts === null) {
    return [t(status.phase === 'opening' ? 'from.opening' : 'from.draft'), toolsText(true, t), t('from.notStored')]
  }
  return [
    t('from.main', { time: formatTime(facts.forkedAt), turns: inheritedText(facts, t) }),
    toolsText(facts.tools.length > 0, t),
    storedText(facts, t),
  ]
}
