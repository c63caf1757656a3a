/** What can be done with selected text, as a small bar beside it. Owns its place and the way out of it; what was
 *  selected and what the buttons do is the caller's. A press on it leaves the selection alone. */

import { useLayoutEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import { Icon } from './Icon.tsx'
import type { IconName } from './Icon.tsx'
import { useT } from './surface.tsx'
import css from './PickBar.module.css'

export interface PickAction {
  readonly icon: IconName
  readonly label: string
  readonly act: () => void
}

export interface PickBarProps {
  /** Where the selection is, in viewport pixels. */
  readonly box: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number }
  /** Below the selection first: a phone has its own bar above. */
  readonly below: boolean
  readonly actions: readonly PickAction[]
  /** Esc: gives the keyboard back. */
  readonly onLeave: () => void
}

const GAP = 6
const EDGE = 8

export function PickBar({ box, below, actions, onLeave }: PickBarProps): JSX.Element {
  const t = useT()
  const bar = useRef<HTMLDivElement>(null)
  const [size, setSize] = useState({ width: 0, height: 0 })
  useLayoutEffect(() => {
    const { current } = bar
    if (current === null) return
    const { offsetWidth: width, offsetHeight: height } = current
    setSize((before) => (before.width === width && before.height === height ? before : { width, height }))
  }, [actions])
  const above = box.top - GAP - size.height
  const under = box.bottom + GAP + (below ? GAP : 0)
  const wanted = below || above < EDGE ? under : above
  const fits = (at: number, most: number): number => Math.max(EDGE, Math.min(at, most - EDGE))
  const left = fits((box.left + box.right - size.width) / 2, window.innerWidth - size.width)
  const top = fits(wanted, window.innerHeight - size.height)
  return (
    <div
      ref={bar}
      className={css['bar']}
      style={{ left, top, visibility: size.width === 0 ? 'hidden' : 'visible' }}
      data-pick=""
      data-raised=""
      role="toolbar"
      aria-label={t('quote.bar')}
      onMouseDown={(event) => event.preventDefault()}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return
        event.preventDefault()
        event.stopPropagation()
        onLeave()
      }}
    >
      {actions.map(({ icon, label, act }) => (
        <button key={label} type="button" className={css['action']} onClick={act}>
          <Icon name={icon} size={14} />
          {label}
        </button>
      ))}
    </div>
  )
}
