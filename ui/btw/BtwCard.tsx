/** The `/btw` overlay above main's composer, with the line that can undo a close. What it shows is the store's; keys
 *  and focus are the panel's. Renders nothing when the parent has no `/btw` and nothing to undo. */

import { useEffect, useMemo, useRef } from 'react'
import type { JSX, ReactNode } from 'react'
import type { ParentRef } from '../../src/wire/index.ts'
import { useSides, useVisible } from '../data/hooks.ts'
import { pastOf } from '../data/past.ts'
import type { SideRuntime } from '../data/runtime.ts'
import type { MainSize } from '../data/scope.ts'
import { ClosedLine } from '../parts/ClosedLine.tsx'
import { Icon } from '../parts/Icon.tsx'
import { useT } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import { BtwPanel } from './BtwPanel.tsx'
import { swallowEsc } from './esc-window.ts'
import { useFocusAfterAsk } from './use-focus-after-ask.ts'
import css from './Btw.module.css'

export interface BtwCardProps {
  readonly runtime: SideRuntime
  readonly parent: ParentRef
  /** False while the host shows something else in this place; default true. */
  readonly visible?: boolean
  /** Gives the keyboard back to main's composer. */
  readonly focusComposer: () => void
  /** What main's composer holds now, '' when the person is done typing. */
  readonly composerText: () => string
  /** Puts text into main's draft; without it the action is not offered. */
  readonly bringBack?: (markdown: string) => void
  /** How large main is, for the empty ask box; null or absent where nobody knows. */
  readonly size?: MainSize | null
  /** A line above everything else of ours: an answer elsewhere. */
  readonly away?: ReactNode
  /** Opens the tab of a `/side` whose close was undone here. */
  readonly revealSide?: (sideId: string) => void
  /** Asks about what main waits for; only while it does. */
  readonly askPending?: (() => void) | undefined
}

export function BtwCard({
  runtime,
  parent,
  visible = true,
  focusComposer,
  composerText,
  bringBack,
  size = null,
  away,
  revealSide,
  askPending,
}: BtwCardProps): JSX.Element | null {
  const t = useT()
  const sides = useSides(runtime, parent.sessionId)
  const panel = useRef<HTMLDivElement>(null)
  const { recent, btw } = sides
  /** Closed ones first, as they were asked; their text can be read on. */
  const all = useMemo(
    () => [
      ...recent
        .filter(({ kind, turns }) => kind === 'btw' && turns.length > 0)
        .map((one) => pastOf(one, parent))
        .toReversed(),
      ...btw,
    ],
    [recent, btw, parent],
  )
  const side = all.find((one) => one.sideId === sides.shownBtw) ?? btw.at(-1) ?? null
  const closed = sides.closing.at(-1)
  useVisible(runtime, side?.sideId ?? '', visible)
  useFocusAfterAsk(panel, side, composerText)
  const refocus = useRef(false)
  // The button that was pressed is gone by now: the keyboard goes on where its side is.
  useEffect(() => {
    if (!refocus.current || panel.current === null) return
    refocus.current = false
    panel.current.focus({ preventScroll: true })
  })
  const escWindow = useRef<(() => void) | null>(null)
  useEffect(() => () => escWindow.current?.(), [])

  const dismiss = (sideId: string, byKey: boolean): void => {
    const past = btw.every((one) => one.sideId !== sideId)
    const left = btw.length > (past ? 0 : 1)
    if (past) runtime.leave(parent, sideId)
    else runtime.close(sideId)
    if (byKey) {
      escWindow.current?.()
      escWindow.current = swallowEsc(document)
    }
    if (!left) focusComposer()
  }
  const undo = (sideId: string): void => {
    const kind = runtime.find(sideId)?.kind
    runtime.undo(sideId)
    if (kind === 'side') revealSide?.(sideId)
    else refocus.current = true
  }

  // Once it is quoted there is nothing left to offer.
  const offered = side?.status.phase === 'draft' && side.quote !== '' ? undefined : askPending
  if (!visible || (side === null && closed === undefined && offered === undefined && away == null)) return null
  return (
    <div className={css['overlay']}>
      {away}
      {closed !== undefined && (
        <div className={css['closed']}>
          <ClosedLine title={closed.title} onUndo={() => undo(closed.sideId)} />
        </div>
      )}
      {offered !== undefined && (
        <div className={css['pending']} data-ask-pending="">
          <TextButton onClick={offered}>
            <Icon name="aside" size={14} />
            {t('pending.ask')}
          </TextButton>
        </div>
      )}
      {side !== null && (
        <BtwPanel
          ref={panel}
          runtime={runtime}
          side={side}
          all={all}
          sought={sides.sought}
          onDismiss={dismiss}
          focusComposer={focusComposer}
          revealSide={revealSide}
          size={size}
          {...(bringBack === undefined ? {} : { bringBack })}
        />
      )}
    </div>
  )
}
