/** Mounts the surfaces into the host's slots: overlay, quiet rows, tab of the right sidebar or, without one, the drawer.
 *  Every registration waits for its slot, so that a host without a seam still loads its page. */

import { useEffect, useMemo, useState, useSyncExternalStore, type ReactElement, type ReactNode } from 'react'
import { parseStartToken, type ParentRef } from '../../src/wire/index.ts'
import { BtwCard } from '../btw/BtwCard.tsx'
import { BtwRow } from '../btw/BtwRow.tsx'
import type { SideRuntime } from '../data/runtime.ts'
import { createTranslate } from '../locales.ts'
import { SurfaceProvider } from '../parts/surface.tsx'
import type { MainActivity } from '../side/MainLine.tsx'
import { SideDrawer } from '../side/SideDrawer.tsx'
import { SideRow } from '../side/SideRow.tsx'
import { SideTab } from '../side/SideTab.tsx'
import { composerCard, composerField, composerText } from './composer.ts'
import { member, type HostLocale, type HostSessions, type HostSlots } from './seams.ts'
import type { SidePlace } from './place.ts'

export const TAB_KIND = 'sidemind-side'
export const TAB_ID = 'sidemind-for-dsh'

export interface SurfaceHost {
  readonly runtime: SideRuntime
  readonly locale: HostLocale
  readonly sessions: HostSessions | null
  readonly place: SidePlace
  /** Puts text into main's draft of that conversation, or null where the host lets nobody. */
  readonly bringBack: ((sessionId: string, markdown: string) => void) | null
}

/** Around every tree of ours: words in the host's live language, and the mark by which our elements are known. */
function Surface({ host, children }: { readonly host: SurfaceHost; readonly children: ReactNode }): ReactElement {
  const active = useSyncExternalStore(host.locale.subscribe, host.locale.active)
  const value = useMemo(() => ({ t: createTranslate(active) }), [active])
  return (
    <SurfaceProvider value={value}>
      <div data-sidemind="" style={{ display: 'contents' }}>
        {children}
      </div>
    </SurfaceProvider>
  )
}

function focusComposer(): void {
  composerField()?.focus()
}

function parentOf(sessionId: string): ParentRef {
  return { workspaceId: '', sessionId }
}

/** What main is doing, for the quiet line in a side. */
function useMain(host: SurfaceHost, sessionId: string): MainActivity | null {
  const { sessions } = host
  const state = useSyncExternalStore(
    (listener) => sessions?.subscribe(listener) ?? (() => {}),
    () => sessions?.activity(sessionId) ?? 'idle',
  )
  return useMemo(() => (state === 'idle' ? null : { state: state === 'waiting' ? 'approval' : 'running' }), [state])
}

function bringBackFor(host: SurfaceHost, sessionId: string): { bringBack?: (markdown: string) => void } {
  const { bringBack } = host
  return bringBack === null ? {} : { bringBack: (markdown) => bringBack(sessionId, markdown) }
}

/** Registers overlay and rows; returns nothing, because the host undoes what its context registered. */
export function mountOverlay(slots: HostSlots, host: SurfaceHost): void {
  slots.inject('conversation.input.overlay', () =>
    slots.register(
      {
        name: 'conversation.input.overlay',
        id: 'sidemind-btw',
        order: 50,
        inject: (sessionId: string) => ({ sidemindSession: sessionId }),
      },
      ({ sidemindSession }) => {
        const sessionId = String(sidemindSession)
        return (
          <Surface host={host}>
            <Restore host={host} sessionId={sessionId} />
            <BtwCard
              runtime={host.runtime}
              parent={parentOf(sessionId)}
              focusComposer={focusComposer}
              composerText={composerText}
              revealSide={host.place.show}
              {...bringBackFor(host, sessionId)}
            />
          </Surface>
        )
      },
    ),
  )
}

/** Brings back what this page had opened before a reload, once its conversation is on screen (D7). */
function Restore({ host, sessionId }: { readonly host: SurfaceHost; readonly sessionId: string }): null {
  useEffect(() => {
    const parent = parentOf(sessionId)
    host.runtime
      .restore(parent)
      .then(() => host.place.showRestored(sessionId))
      .catch(() => {})
  }, [host, sessionId])
  return null
}

/** The quiet lines of our commands in main's transcript; an error keeps the host's own words. */
export function mountRows(slots: HostSlots, host: SurfaceHost): void {
  slots.inject('conversation.chat.commandview', () => {
    const undo = (['btw', 'side'] as const).map((kind) =>
      slots.register({ name: 'conversation.chat.commandview', key: kind, inject: () => ({}) }, ({ node }) => {
        const outcome = member(node, 'outcome')
        const text = member(outcome, 'text')
        const token = parseStartToken(typeof text === 'string' ? text : undefined)
        // Controls, holds and refused commands draw nothing (D14).
        if (token === null) return <span data-sidemind-silent="" hidden />
        return (
          <Surface host={host}>
            {kind === 'btw' ? (
              <BtwRow runtime={host.runtime} sideId={token.sideId} />
            ) : (
              <SideRow runtime={host.runtime} sideId={token.sideId} onOpen={host.place.show} />
            )}
          </Surface>
        )
      }),
    )
    return () => {
      for (const step of undo) step()
    }
  })
}

/** The side that a tab was opened for, or ''. */
function sideOf(tab: unknown): string {
  return textIn(member(member(member(tab, 'navigation'), 'params'), 'sideId'))
}

function textIn(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}

/** The body of one tab of the right sidebar. */
export function tabBody(host: SurfaceHost): (props: Record<string, unknown>) => ReactElement | null {
  return function SideTabBody({ useTabInfo, sidemindSession }) {
    const info: unknown = (useTabInfo as () => unknown)()
    const tab = member(info, 'tab')
    const sideId = sideOf(tab)
    const visible = member(tab, 'visible') === true
    const signal = member(tab, 'signal') as AbortSignal | undefined
    const tabId = textIn(member(tab, 'id'))
    const close = member(member(tab, 'actions'), 'close')
    const [draftId, setDraftId] = useState('')
    const sessionId = String(sidemindSession)
    const shown = sideId === '' ? draftId : sideId

    // A tab opened from the sidebar's own guide names no side: it gets a draft of its own.
    useEffect(() => {
      if (sideId === '' && draftId === '') setDraftId(host.runtime.openDraft(parentOf(sessionId), 'side'))
    }, [sideId, draftId, sessionId])
    useEffect(() => {
      if (shown === '' || signal === undefined) return
      host.place.bindTab(shown, tabId, signal, () => {
        if (typeof close === 'function') Reflect.apply(close, member(tab, 'actions'), [])
      })
      // oxlint-disable-next-line react-hooks/exhaustive-deps -- the host makes `tab` anew for every render
    }, [shown, tabId, signal])
    const main = useMain(host, sessionId)
    if (shown === '') return null
    return (
      <Surface host={host}>
        <SideTab
          runtime={host.runtime}
          sideId={shown}
          visible={visible}
          main={main}
          {...bringBackFor(host, sessionId)}
        />
      </Surface>
    )
  }
}

/** A tab's live title: the side's first question. */
export function tabTitle(host: SurfaceHost): (props: Record<string, unknown>) => ReactElement | null {
  return function SideTabTitle({ useTabInfo }) {
    const info: unknown = (useTabInfo as () => unknown)()
    const sideId = sideOf(member(info, 'tab'))
    const title = useSyncExternalStore(host.runtime.subscribe, () => host.runtime.find(sideId)?.title ?? '')
    const active = useSyncExternalStore(host.locale.subscribe, host.locale.active)
    return <>{title === '' ? createTranslate(active)('side.title') : title}</>
  }
}

/** `/side` on hosts without a right sidebar: our own drawer over the whole frame. */
export function mountDrawer(slots: HostSlots, host: SurfaceHost): void {
  slots.inject('shell.overlay', () =>
    slots.register({ name: 'shell.overlay', id: 'sidemind-drawer', order: 40, inject: () => ({}) }, () => (
      <Surface host={host}>
        <Drawer host={host} />
      </Surface>
    )),
  )
}

function Drawer({ host }: { readonly host: SurfaceHost }): ReactElement | null {
  const { sessions, place } = host
  const current = useSyncExternalStore(
    (listener) => sessions?.subscribe(listener) ?? (() => {}),
    () => sessions?.current(),
  )
  const open = useSyncExternalStore(place.subscribe, () => current !== undefined && place.isOpen(current))
  const main = useMain(host, current ?? '')
  const reserve = useComposerBox(open)
  if (current === undefined) return null
  return (
    <SideDrawer
      runtime={host.runtime}
      parent={parentOf(current)}
      open={open}
      onHide={() => place.hide(current)}
      reserve={reserve}
      onDock={place.dock}
      main={main}
      {...bringBackFor(host, current)}
    />
  )
}

/** Where main's composer is on screen, measured while the drawer is open. */
function useComposerBox(active: boolean): { left: number; top: number; right: number; bottom: number } | null {
  const [box, setBox] = useState<{ left: number; top: number; right: number; bottom: number } | null>(null)
  useEffect(() => {
    if (!active) return
    const measure = (): void => {
      const next = composerCard()?.getBoundingClientRect()
      setBox((before) => {
        if (next === undefined) return null
        const same =
          before?.left === next.left &&
          before.top === next.top &&
          before.right === next.right &&
          before.bottom === next.bottom
        return same ? before : { left: next.left, top: next.top, right: next.right, bottom: next.bottom }
      })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.documentElement)
    const card = composerCard()
    if (card !== null) observer.observe(card)
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [active])
  return box
}
