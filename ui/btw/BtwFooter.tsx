/** The overlay's last line: what Esc does now (only when it is ours), where the answer comes from, what is kept. */

import type { JSX } from 'react'
import type { SideSnapshot } from '../data/snapshot.ts'
import { useT } from '../parts/surface.tsx'
import { escText, factsText } from './btw-words.ts'
import css from './Btw.module.css'

export function BtwFooter({ side, focused }: { readonly side: SideSnapshot; readonly focused: boolean }): JSX.Element {
  const t = useT()
  return (
    <div className={css['footer']}>
      <span className={css['esc']}>{focused ? escText(side, t) : ''}</span>
      <span className={css['facts']}>{factsText(side, t)}</span>
    </div>
  )
}
