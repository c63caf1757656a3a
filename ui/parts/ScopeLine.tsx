/** How much of main goes along with the next question, and how large that is; the ladder to change it opens below (K05,
 *  K06). A radio group, so that arrow keys move in it. */

import { useId, useState } from 'react'
import type { JSX } from 'react'
import type { Rung, Scope } from '../../src/wire/index.ts'
import { rungName, rungSize } from './scope-words.ts'
import { useT } from './surface.tsx'
import { TextButton } from './TextButton.tsx'
import css from './ScopeLine.module.css'

export interface ScopeLineProps {
  readonly rung: Rung
  /** It is less than everything because everything would not fit. */
  readonly reduced: boolean
  readonly rungs: readonly { readonly rung: Rung; readonly fits: boolean; readonly chosen: boolean }[]
  readonly window: number | null
  readonly onScope: (scope: Scope) => void
}

export function ScopeLine({ rung, reduced, rungs, window, onScope }: ScopeLineProps): JSX.Element {
  const t = useT()
  const id = useId()
  const [open, setOpen] = useState(false)
  const choosable = rungs.length > 1
  return (
    <div
      className={css['scope']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return
        event.stopPropagation()
        setOpen(false)
      }}
    >
      <div className={css['line']}>
        <span className={css['text']}>
          {[rungName(rung, t), rungSize(rung, window, t)].filter(Boolean).join(t('list.comma'))}
        </span>
        {choosable && (
          <TextButton aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
            {t(open ? 'action.save' : 'scope.change')}
          </TextButton>
        )}
      </div>
      {reduced && <p className={css['note']}>{t('scope.reduced')}</p>}
      <div id={id} hidden={!open} role="radiogroup" aria-label={t('scope.label')} className={css['rungs']}>
        {open &&
          rungs.map((one) => (
            <label key={JSON.stringify(one.rung.scope)} className={css['rung']} data-off={!one.fits || undefined}>
              <input
                type="radio"
                className={css['radio']}
                name={id}
                checked={one.chosen}
                disabled={!one.fits}
                onChange={() => onScope(one.rung.scope)}
              />
              <span className={css['name']}>{rungName(one.rung, t)}</span>
              <span className={css['size']}>{one.fits ? rungSize(one.rung, null, t) : t('scope.tooLong')}</span>
            </label>
          ))}
      </div>
    </div>
  )
}
