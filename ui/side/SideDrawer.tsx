/** `/side` on hosts without a right sidebar: a docked drawer at the right with one tab per side, a bottom sheet
 *  above main's composer on narrow windows (D19). Never covers main's composer. */

import { useEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import type { ParentRef } from '../../src/wire/index.ts'
import { useSides } from '../data/hooks.ts'
import type { SideRuntime } from '../data/runtime.ts'
import type { MainSize } from '../data/scope.ts'
import { IconButton } from '../parts/IconButton.tsx'
import { useSurface } from '../parts/surface.tsx'
import { useTabs } from '../parts/tabs.tsx'
import { drawerLayout } from './drawer-layout.ts'
import type { Box } from './drawer-layout.ts'
import type { MainActivity } from './MainLine.tsx'
import { titleOf } from './side-words.ts'
import { SideTab } from './SideTab.tsx'
import css from './Drawer.module.css'

export interface SideDrawerProps {
  readonly runtime: SideRuntime
  readonly parent: ParentRef
  readonly open: boolean
  /** The person hid the drawer (its sides live on) or closed its last side. */
  readonly onHide: () => void
  /** Main's composer, measured by the mounting layer; null when there is none on screen. */
  readonly reserve: Box | null
  /** Pixels below the window's top edge that belong to the host's own header; default 0. */
  readonly top?: number
  /** Width in pixels that the docked drawer takes at the right edge, 0 as a sheet or when closed: a host that can
   *  make room for it does. */
  readonly onDock?: (width: number) => void
  readonly main?: MainActivity | null
  readonly size?: MainSize | null
  readonly onMain?: () => void
  /** Gives the keyboard back to main's composer. */
  readonly focusComposer?: () => void
  /** The number of main's last whole turn; absent where nobody tells. */
  readonly mainTurn?: number
  readonly pendingText?: () => string
  readonly bringBack?: (markdown: string) => void
}

export function SideDrawer(props: SideDrawerProps): JSX.Element | null {
  const {
    runtime,
    parent,
    open,
    onHide,
    reserve,
    top = 0,
    onDock,
    main = null,
    size = null,
    onMain,
    focusComposer,
    mainTurn = 0,
    pendingText,
    bringBack,
  } = props
  const { t, overMain } = useSurface()
  const bar = useRef<HTMLDivElement>(null)
  const { side: sides, shownSide } = useSides(runtime, parent.sessionId)
  const Tabs = useTabs(open)
  const [width, height] = useWindowSize()
  const layout = drawerLayout(width, height, reserve, top)
  const shown = sides.find((side) => side.sideId === shownSide) ?? sides.at(-1)
  const docked = open && shown !== undefined && Tabs !== null && layout.mode === 'dock' ? layout.width : 0

  useEffect(() => {
    onDock?.(docked)
    return () => onDock?.(0)
  }, [docked, onDock])
  const sheet = open && shown !== undefined && Tabs !== null && layout.mode === 'sheet'
  useEffect(() => {
    const drawer = bar.current?.parentElement
    return sheet && drawer != null ? overMain?.(drawer) : undefined
  }, [sheet, overMain])
  const emptied = open && sides.length === 0
  useEffect(() => {
    if (emptied) onHide()
  }, [emptied, onHide])

  if (!open || shown === undefined || Tabs === null) return null
  const { mode, ...place } = layout
  return (
    <Tabs.Root
      className={css['drawer']}
      data-mode={mode}
      style={place}
      role="complementary"
      aria-label={t('drawer.label')}
      value={shown.sideId}
      onValueChange={(sideId) => runtime.show(sideId)}
    >
      <div ref={bar} className={css['bar']}>
        <Tabs.List className={css['tabs']} aria-label={t('drawer.label')}>
          {sides.map((side) => (
            <Tabs.Trigger
              key={side.sideId}
              className={css['tab']}
              value={side.sideId}
              title={titleOf(side, t)}
              data-unread={side.unread || undefined}
            >
              <span className={css['tabText']}>{titleOf(side, t)}</span>
            </Tabs.Trigger>
          ))}
        </Tabs.List>
        <IconButton icon="plus" label={t('action.new')} onClick={() => runtime.openDraft(parent)} />
        <IconButton
          icon="hide"
          label={t('action.hide')}
          onClick={() => {
            focusComposer?.()
            onHide()
          }}
        />
        <IconButton
          icon="close"
          label={t('action.closeNamed', { title: titleOf(shown, t) })}
          onClick={() => {
            // With the last side the button goes too.
            if (sides.length === 1) focusComposer?.()
            runtime.close(shown.sideId)
          }}
        />
      </div>
      {sides.map((side) => (
        <Tabs.Content key={side.sideId} className={css['body']} value={side.sideId} tabIndex={-1}>
          <SideTab
            runtime={runtime}
            sideId={side.sideId}
            visible={side === shown}
            main={main}
            size={size}
            {...(onMain === undefined ? {} : { onMain })}
            mainTurn={mainTurn}
            {...(pendingText === undefined ? {} : { pendingText })}
            {...(bringBack === undefined ? {} : { bringBack })}
          />
        </Tabs.Content>
      ))}
    </Tabs.Root>
  )
}

function useWindowSize(): readonly [number, number] {
  const [size, setSize] = useState<readonly [number, number]>(() => [window.innerWidth, window.innerHeight])
  useEffect(() => {
    const read = (): void => setSize([window.innerWidth, window.innerHeight])
    window.addEventListener('resize', read)
    return () => window.removeEventListener('resize', read)
  }, [])
  return size
}
