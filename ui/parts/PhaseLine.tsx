/** One line under a running answer: what it does now, and for how long. */

import type { JSX } from 'react'
import type { TranscriptTurn } from '../../src/wire/index.ts'
import { formatRunning } from './format.ts'
import { phaseText } from './phase.ts'
import type { Around } from './phase.ts'
import { useT } from './surface.tsx'
import { useElapsed } from './use-elapsed.ts'
import css from './Turn.module.css'

export function PhaseLine({ turn, around }: { readonly turn: TranscriptTurn; readonly around: Around }): JSX.Element {
  const t = useT()
  const elapsed = useElapsed(turn.startedAt, true)
  const text = phaseText(turn, around, t)
  return (
    <span className={css['phase']}>
      <span className={css['dot']} aria-hidden="true" />
      <span className={css['phaseText']}>{text}</span>
      {/* The row above counts its own time. */}
      {text !== '' && elapsed >= 1_000 && <span className={css['clock']}>{formatRunning(elapsed, t)}</span>}
    </span>
  )
}
