/** One line that says where a side comes from, what it may do and what is kept; the rest stands behind (i) (K43). */

import { useId, useState } from 'react'
import type { JSX, ReactNode } from 'react'
import type { SideSnapshot } from '../data/snapshot.ts'
import type { Translate } from '../locales.ts'
import { factSentences, inheritedText, storedText, toolsText } from '../parts/facts.ts'
import { formatTime } from '../parts/format.ts'
import { IconButton } from '../parts/IconButton.tsx'
import { useT } from '../parts/surface.tsx'
import css from './Side.module.css'

export interface InfoLineProps {
  readonly side: SideSnapshot
  /** Buttons before ⓘ. */
  readonly children?: ReactNode
}

export function InfoLine({ side, children }: InfoLineProps): JSX.Element {
  const t = useT()
  const id = useId()
  const [open, setOpen] = useState(false)
  return (
    <div
      className={css['info']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        event.stopPropagation()
        setOpen(false)
      }}
    >
      <div className={css['infoLine']}>
        {infoParts(side, t).map((part) => (
          <span key={part} className={css['infoPart']}>
            {part}
          </span>
        ))}
        <span className={css['infoButton']}>
          {children}
          <IconButton
            icon="info"
            label={t('info.open')}
            aria-expanded={open}
            aria-controls={id}
            onClick={() => setOpen(!open)}
          />
        </span>
      </div>
      <div id={id} className={css['infoMore']} hidden={!open}>
        {factSentences(side.facts, t).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </div>
  )
}

function infoParts({ facts, status }: SideSnapshot, t: Translate): string[] {
  if (facts === null) {
    return [t(status.phase === 'opening' ? 'from.opening' : 'from.draft'), toolsText(true, t), t('from.notStored')]
  }
  const turns = inheritedText(facts, undefined, t)
  return [
    t('from.main', { time: formatTime(facts.forkedAt), turns }),
    toolsText(facts.tools.length > 0, t),
    storedText(facts, t),
  ]
}
