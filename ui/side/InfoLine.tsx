/** One line that says where a side comes from, what it may do and what is kept; the rest stands behind (i) (K43). */

import { useId, useState } from 'react'
import type { JSX } from 'react'
import type { SideSnapshot } from '../data/snapshot.ts'
import type { Translate } from '../locales.ts'
import { formatCount, formatTime, formatTurns } from '../parts/format.ts'
import { IconButton } from '../parts/IconButton.tsx'
import { useT } from '../parts/surface.tsx'
import css from './Side.module.css'

export function InfoLine({ side }: { readonly side: SideSnapshot }): JSX.Element {
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
        {infoSentences(side, t).map((sentence) => (
          <p key={sentence}>{sentence}</p>
        ))}
      </div>
    </div>
  )
}

function infoParts({ facts, status }: SideSnapshot, t: Translate): string[] {
  if (facts === null)
    return [t(status.phase === 'opening' ? 'from.opening' : 'from.draft'), t('from.readOnly'), t('from.notStored')]
  const turns = [formatTurns(facts.inheritedTurns, t), formatCount(facts.inheritedTokens)].join(t('list.comma'))
  return [
    t('from.main', { time: formatTime(facts.forkedAt), turns }),
    t(facts.tools.length === 0 ? 'from.noTools' : 'from.readOnly'),
    t(facts.ephemeral ? 'from.notStored' : 'from.stored'),
  ]
}

function infoSentences({ facts }: SideSnapshot, t: Translate): string[] {
  if (facts === null) return [t('info.main'), t('info.notStored')]
  const tokens = t('from.tokens', { n: formatCount(facts.inheritedTokens) })
  const sentences = [
    t('info.inherits', { time: formatTime(facts.forkedAt), turns: formatTurns(facts.inheritedTurns, t), tokens }),
  ]
  if (facts.liveDigest) sentences.push(t('info.digest'))
  sentences.push(facts.tools.length === 0 ? t('info.noTools') : t('info.tools', { tools: facts.tools.join(', ') }))
  if (facts.route !== undefined) {
    const { provider, model, effort } = facts.route
    sentences.push(t('info.model', { model: [`${provider}/${model}`, effort].filter(Boolean).join(', ') }))
  }
  sentences.push(t('info.main'), t(facts.ephemeral ? 'info.notStored' : 'info.stored'))
  return sentences
}
