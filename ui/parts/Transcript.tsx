/** The turns of one side in a scrolling column: follows while the reader is at the end, offers the way there
 *  otherwise. */

import { useEffect, useState } from 'react'
import type { JSX, ReactNode } from 'react'
import type { TranscriptTurn } from '../../src/wire/index.ts'
import { Icon } from './Icon.tsx'
import type { Around } from './phase.ts'
import { useLater } from './later.ts'
import { useT } from './surface.tsx'
import { Turn } from './Turn.tsx'
import type { TurnActions } from './Turn.tsx'
import { useFollowScroll } from './use-follow-scroll.ts'
import css from './Transcript.module.css'

export interface TranscriptProps {
  readonly turns: readonly TranscriptTurn[]
  /** Attempts before those in `turns`, by the newest one's id. */
  readonly earlier?: Readonly<Record<string, readonly TranscriptTurn[]>>
  readonly label: string
  readonly around?: Around
  /** Keep its identity between renders. */
  readonly actions: TurnActions
  /** One question that stands in a header above, with its actions: the answer alone, read from its top. */
  readonly single?: boolean
  /** The turn to bring on screen; another `times` does it again. */
  readonly sought?: { readonly turnId: string; readonly times: number } | null
  /** Below the last turn. */
  readonly children?: ReactNode
}

const NONE: Readonly<Record<string, readonly TranscriptTurn[]>> = {}

export function Transcript({
  turns,
  earlier = NONE,
  label,
  around = null,
  actions,
  single = false,
  sought = null,
  children,
}: TranscriptProps): JSX.Element {
  const t = useT()
  // Fetched while the first answer is still on its way.
  useLater('markdown')
  const last = turns.at(-1)
  const running = last !== undefined && last.phase !== 'settled'
  const { scroller, content, onScroll, atEnd, toEnd } = useFollowScroll({
    anchor: last?.turnId ?? '',
    running,
    fromTop: single,
  })
  useEffect(() => {
    if (sought === null) return
    const turn = content.current?.querySelector(`[data-turn="${CSS.escape(sought.turnId)}"]`)
    turn?.scrollIntoView?.({ block: 'start' })
    turn?.querySelector<HTMLElement>('button')?.focus({ preventScroll: true })
  }, [sought, content])
  const below = useBelow(turns, atEnd)
  const latest = below === 0 ? t('action.latest') : t('action.latestNew', { count: below })
  return (
    <div className={css['frame']}>
      <div ref={scroller} className={css['scroll']} onScroll={onScroll} role="region" aria-label={label} tabIndex={0}>
        <div ref={content} className={css['turns']}>
          {turns.map((turn) => (
            <Turn
              key={turn.turnId}
              turn={turn}
              earlier={earlier[turn.turnId]}
              last={turn === last}
              around={turn === last ? around : null}
              actions={actions}
              single={single}
            />
          ))}
          {children}
        </div>
      </div>
      {!atEnd && (
        <button
          type="button"
          className={css['latest']}
          data-small={single || undefined}
          aria-label={latest}
          title={t('action.latest')}
          onClick={toEnd}
        >
          <Icon name="down" size={14} />
          {!single && latest}
        </button>
      )}
    </div>
  )
}

/** What came since the reader left the end: questions, tool calls, thoughts and pieces of answers. */
function useBelow(turns: readonly TranscriptTurn[], atEnd: boolean): number {
  const count = turns.reduce((sum, turn) => sum + 1 + turn.items.length, 0)
  const [seen, setSeen] = useState(count)
  if (atEnd ? seen !== count : seen > count) setSeen(count)
  return atEnd ? 0 : Math.max(0, count - seen)
}
