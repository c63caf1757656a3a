/** The sentences about a side behind a button: Enter opens them, Esc closes them and nothing else, and the keyboard stays
 *  where it was (K43). Owns the key; the button is drawn by whoever places it. */

import { useId, useRef, useState } from 'react'
import type { JSX, KeyboardEvent, ReactNode } from 'react'
import type { ForkFacts } from '../../src/wire/index.ts'
import { aboutSentences } from './about-words.ts'
import type { SideWindows } from './about-words.ts'
import { useT } from './surface.tsx'
import css from './About.module.css'

export interface AboutProps {
  readonly facts: ForkFacts | null
  readonly windows: SideWindows
  /** Where the sentences open, as seen from the button. */
  readonly placement: 'below' | 'above'
  /** Around button and sentences. */
  readonly className?: string | undefined
  readonly children: (button: {
    readonly 'aria-expanded': boolean
    readonly 'aria-controls': string
    readonly onClick: () => void
  }) => ReactNode
}

export function About({ facts, windows, placement, className, children }: AboutProps): JSX.Element {
  const t = useT()
  const id = useId()
  const root = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Escape' || !open || event.nativeEvent.isComposing) return
    event.preventDefault()
    event.stopPropagation()
    setOpen(false)
    root.current?.querySelector<HTMLElement>(`[aria-controls="${id}"]`)?.focus()
  }
  return (
    <div
      ref={root}
      className={className}
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false)
      }}
    >
      {children({ 'aria-expanded': open, 'aria-controls': id, onClick: () => setOpen(!open) })}
      <div
        id={id}
        className={css['about']}
        data-raised=""
        data-placement={placement}
        role="group"
        aria-label={t('info.open')}
        tabIndex={-1}
        hidden={!open}
      >
        {open && aboutSentences(facts, windows, t).map((sentence) => <p key={sentence}>{sentence}</p>)}
      </div>
    </div>
  )
}
