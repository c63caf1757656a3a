/** A formula, set as MathML; its source where it cannot be set. */

import { memo, useMemo } from 'react'
import type { JSX } from 'react'
import { useLater } from './later.ts'
import css from './Markdown.module.css'

export interface FormulaProps {
  readonly tex: string
  readonly display: boolean
}

export const Formula = memo(function Formula({ tex, display }: FormulaProps): JSX.Element {
  const later = useLater('math')
  const drawn = useMemo(() => later?.draw(tex, display) ?? null, [later, tex, display])
  if (drawn === null) return <code>{tex.trim()}</code>
  return display ? (
    <span className={css['display']} tabIndex={0}>
      {drawn}
    </span>
  ) : (
    <span className={css['formula']}>{drawn}</span>
  )
})
