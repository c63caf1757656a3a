/** The model's reasoning, apart from the answer and folded (K44). */

import { useState } from 'react'
import type { JSX } from 'react'
import type { GrowingText } from '../../src/wire/growing.ts'
import { formatElapsed, formatRunning } from './format.ts'
import { Icon } from './Icon.tsx'
import { useT } from './surface.tsx'
import { useCalm } from './use-calm.ts'
import { useElapsed } from './use-elapsed.ts'
import { useSpan } from './use-span.ts'
import css from './Step.module.css'

export interface ThinkingProps {
  /** Names this piece of reasoning for as long as the page lives. */
  readonly id: string
  readonly text: GrowingText
  readonly running: boolean
}

export function Thinking({ id, text, running }: ThinkingProps): JSX.Element {
  const t = useT()
  const [open, setOpen] = useState(false)
  const span = useSpan(id, running)
  const elapsed = useElapsed(span?.from, running)
  const over =
    span === null || span.to === null
      ? t('thinking.done')
      : t('thinking.doneIn', { time: formatElapsed(span.to - span.from, t) })
  const label = running ? t('thinking.running') : over
  return (
    <div className={css['step']}>
      <button type="button" className={css['head']} aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className={css['chevron']} data-open={open || undefined}>
          <Icon name="right" size={12} />
        </span>
        <span className={css['title']}>{label}</span>
        {running && elapsed >= 1_000 && <span className={css['detail']}>{formatRunning(elapsed, t)}</span>}
      </button>
      {open && <Thoughts text={text} growing={running} />}
    </div>
  )
}

function Thoughts({ text, growing }: { readonly text: GrowingText; readonly growing: boolean }): JSX.Element {
  return <div className={css['body']}>{useCalm(text.length, () => text.text, growing)}</div>
}
