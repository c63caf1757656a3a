/** Wide tables scroll by themselves; focusable, so that the keyboard can scroll them. */

import type { JSX, ReactNode } from 'react'
import { useT } from './surface.tsx'
import css from './Markdown.module.css'

export function Table({ children }: { readonly children: ReactNode }): JSX.Element {
  const t = useT()
  return (
    <div className={css['table']} role="region" aria-label={t('markdown.table')} tabIndex={0}>
      <table>{children}</table>
    </div>
  )
}
