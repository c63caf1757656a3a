/** The overlay's last line: what Esc does now (only when it is ours), where the answer comes from, what is kept. The facts
 *  are a button to the sentences about them. */

import type { JSX } from 'react'
import type { SideSnapshot } from '../data/snapshot.ts'
import { About } from '../parts/About.tsx'
import type { SideWindows } from '../parts/about-words.ts'
import { useT } from '../parts/surface.tsx'
import { escText, factsText } from './btw-words.ts'
import css from './Btw.module.css'

export interface BtwFooterProps {
  readonly side: SideSnapshot
  readonly focused: boolean
  readonly windows: SideWindows
}

export function BtwFooter({ side, focused, windows }: BtwFooterProps): JSX.Element {
  const t = useT()
  return (
    <div className={css['footer']}>
      <span className={css['esc']}>{focused ? escText(side, t) : ''}</span>
      <About facts={side.facts} windows={windows} placement="above" className={css['about']}>
        {(button) => (
          <button {...button} type="button" className={css['facts']} title={t('info.open')}>
            {factsText(side, t)}
          </button>
        )}
      </About>
    </div>
  )
}
