/** Mounts the surfaces into the host's slots: overlay, quiet rows, tab of the right sidebar or, without one, the drawer.
 *  Every registration waits for its slot, so that a host without a seam still loads its page. */

import {
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
  type CSSProperties,
  type ReactElement,
  type ReactNode,
} from 'react'
import { parseStartToken, type ParentRef, type SideKind } from '../../src/wire/index.ts'
import { AwayLine, type AwayLineProps } from '../btw/AwayLine.tsx'
import { BtwCard } from '../btw/BtwCard.tsx'
import { BtwRow } from '../btw/BtwRow.tsx'
import type { SideRuntime } from '../data/runtime.ts'
import type { MainSize } from '../data/scope.ts'
import { createTranslate } from '../locales.ts'
import { shortcutText } from '../parts/shortcut.ts'
import { SurfaceProvider } from '../parts/surface.tsx'
import type { MainActivity } from '../side/MainLine.tsx'
import { SideButton } from '../side/SideButton.tsx'
import { SideDrawer } from '../side/SideDrawer.tsx'
import { SideRow } from '../side/SideRow.tsx'
import { SideTab } from '../side/SideTab.tsx'
import { composerCard, composerField, composerSeat, composerText } from './composer.ts'
import type { MainView, MainWatch } from './main-watch.ts'
import { member, type HostLocale, type HostSessions, type HostSlots } from './seams.ts'
import type { Names } from './command-names.ts'
import type { SidePlace } from './place.ts'
import type { Prefs } from './prefs.ts'
import { overMain } from './over-main.ts'

export interface SurfaceHost {
  readonly runtime: SideRuntime
  readonly locale: HostLocale
  readonly sessions: HostSessions | null
  readonly place: SidePlace
  /** The number of main's last whole turn, 0 where the page does not tell. */
  wholeTurns(sessionId: string): number
  watchMain(sessionId: string, listener: () => void): () => void
  /** What main waits for, as it can be quoted. */
  pendingText(sessionId: string): string
  /** The Markdown of one message of main, '' when the page does not hold it. */
  messageText(sessionId: string, messageId: string): string
  readonly names: Names
  readonly prefs: Prefs
  /** Shows a side because its person asked for it, and gives it the keyboard. */
  readonly openSide: (sideId: string) => void
  readonly main: MainWatch
  /** Puts text into main's draft of that conversation, or null where the host lets nobody. */
  readonly bringBack: ((sessionId: string, markdown: string) => void) | null
}

/** Around every tree of ours: words in the host's live language, and the mark by which our elements are known. */
export function Surface({
  host,
  children,
}: {
  readonly host: SurfaceHost
  readonly children: ReactNode
}): ReactElement {
  const active = useSyncExternalStore(host.locale.subscribe, host.locale.active)
  const { copy } = useSyncExternalStore(host.prefs.subscribe, host.prefs.keys)
  const value = useMemo(() => ({ t: createTranslate(active), copyKey: copy, overMain }), [active, copy])
  return (
    <SurfaceProvider value={value}>
      <div data-sidemind="" style={{ display: 'contents' }}>
        {children}
      </div>
    </SurfaceProvider>
  )
}

/** How many overlays stand in the host's own place now: none while it shows a question or an approval instead of the
 *  composer. */
const seats = (() => {
  let count = 0
  const listeners = new Set<() => void>()
  const change = (by: number): void => {
    count += by
    for (const listener of listeners) listener()
  }
  return {
    count: () => count,
    subscribe(listener: () => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    take(): () => void {
      change(1)
      return () => change(-1)
    },
  }
})()

function focusComposer(): void {
  composerField()?.focus()
}

export function parentOf(sessionId: string): ParentRef {
  return { workspaceId: '', sessionId }
}

/** What main is doing and how large it is, while a side of it is on screen. */
function useMain(
  host: SurfaceHost,
  sessionId: string,
  active: boolean,
): { readonly main: MainActivity | null; readonly size: MainSize | null } {
  const { sessions } = host
  const subscribe = useCallback(
    (listener: () => void) => (active && sessionId !== '' ? host.main.subscribe(sessionId, listener) : () => {}),
    [host, sessionId, active],
  )
  const view = useSyncExternalStore(subscribe, () => host.main.view(sessionId))
  const state = useSyncExternalStore(
    (listener) => sessions?.subscribe(listener) ?? (() => {}),
    () => sessions?.activity(sessionId) ?? 'idle',
  )
  return useMemo(() => ({ main: mainActivity(state, view), size: sizeOf(view) }), [state, view])
}

function sizeOf({ measured, window }: MainView): MainSize | null {
  return measured === null ? null : { measured, window }
}

/** The host's list knows first that main waits for its person; what it is at and how it ended is in its log. */
function mainActivity(state: ReturnType<HostSessions['activity']>, { activity }: MainView): MainActivity | null {
  if (state === 'idle') {
    if (activity === null || activity.state === 'running' || activity.state === 'stopped') return null
    return { state: activity.state, since: activity.at }
  }
  const running = activity?.state === 'running' ? activity : null
  const { tool } = running ?? {}
  return {
    state,
    ...(tool === undefined ? {} : { what: tool.target === '' ? tool.name : tool.target }),
    ...(running === null ? {} : { since: running.at }),
  }
}

/** Where the person goes who follows the line about main: to what main asks of them, else to its composer. */
function goToMain(): void {
  const seat = composerSeat()
  const asked =
    composerField() === null ? seat?.querySelector<HTMLElement>('button, input, textarea, [tabindex="0"]') : null
  if (asked != null) asked.focus()
  else focusComposer()
}

function useMainTurn(host: SurfaceHost, sessionId: string): number {
  return useSyncExternalStore(
    useCallback((listener: () => void) => host.watchMain(sessionId, listener), [host, sessionId]),
    () => host.wholeTurns(sessionId),
  )
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
      ({ sidemindSession }) => (
        <Surface host={host}>
          <Overlay host={host} sessionId={String(sidemindSession)} />
        </Surface>
      ),
    ),
  )
}

function Overlay({ host, sessionId }: { readonly host: SurfaceHost; readonly sessionId: string }): ReactElement {
  const seated = useSyncExternalStore(seats.subscribe, seats.count) > 0
  // An empty ask box says what would go along.
  const asking = useSyncExternalStore(host.runtime.subscribe, () =>
    host.runtime.sidesOf(sessionId).btw.some((side) => side.status.phase === 'draft'),
  )
  const { size } = useMain(host, sessionId, asking)
  const away = useAway(host, sessionId)
  return (
    <>
      <Seat />
      <Restore host={host} sessionId={sessionId} />
      <BtwCard
        runtime={host.runtime}
        parent={parentOf(sessionId)}
        visible={seated}
        size={size}
        away={away === null ? null : <AwayLine {...away} />}
        focusComposer={focusComposer}
        composerText={composerText}
        revealSide={host.openSide}
        {...bringBackFor(host, sessionId)}
      />
    </>
  )
}

/** The newest answer that waits in another conversation, and the way there. */
function useAway(host: SurfaceHost, sessionId: string): AwayLineProps | null {
  const { runtime, sessions } = host
  const unread = useSyncExternalStore(runtime.subscribe, runtime.unread)
  const side = unread
    .split(' ')
    .map((id) => runtime.find(id))
    .findLast((one) => one !== null && one.parent.sessionId !== sessionId)
  if (side == null) return null
  const there = side.parent.sessionId
  return {
    title: side.title,
    where: sessions?.title(there) ?? '',
    onGo() {
      if (sessions?.open(there) !== true) return
      if (side.kind === 'btw') runtime.show(side.sideId)
      else host.place.show(side.sideId)
    },
  }
}

/** Says whether the host's place for the overlay is on screen: hosts hide the composer behind a pending question. */
function Seat(): ReactElement {
  const mark = useRef<HTMLSpanElement>(null)
  useEffect(() => {
    const element = mark.current
    if (element === null) return undefined
    let leave: (() => void) | null = null
    const look = (): void => {
      const shown = element.getClientRects().length > 0
      if (shown && leave === null) leave = seats.take()
      else if (!shown) {
        leave?.()
        leave = null
      }
    }
    const observer = new ResizeObserver(look)
    observer.observe(element)
    look()
    return () => {
      observer.disconnect()
      leave?.()
    }
  }, [])
  return <span ref={mark} aria-hidden="true" style={SEAT} />
}

const SEAT: CSSProperties = { position: 'absolute', left: 0, top: 0, width: 1, height: 1, visibility: 'hidden' }

/** The overlay above whatever the host shows in place of the composer, so that an answer stays readable while main asks. */
export function mountFloating(slots: HostSlots, host: SurfaceHost): void {
  slots.inject('shell.overlay', () =>
    slots.register({ name: 'shell.overlay', id: 'sidemind-floating', order: 39, inject: () => ({}) }, () => (
      <Surface host={host}>
        <Floating host={host} />
      </Surface>
    )),
  )
}

function Floating({ host }: { readonly host: SurfaceHost }): ReactElement | null {
  const { sessions, runtime } = host
  const current = useSyncExternalStore(
    (listener) => sessions?.subscribe(listener) ?? (() => {}),
    () => sessions?.current(),
  )
  const seated = useSyncExternalStore(seats.subscribe, seats.count)
  const asked = useSyncExternalStore(runtime.subscribe, () =>
    current === undefined ? 0 : runtime.sidesOf(current).btw.length,
  )
  const waits = useSyncExternalStore(
    (listener) => sessions?.subscribe(listener) ?? (() => {}),
    () => current !== undefined && ['approval', 'question'].includes(sessions?.activity(current) ?? 'idle'),
  )
  const floats = current !== undefined && seated === 0 && (asked > 0 || waits)
  const seat = useBox(floats, composerSeat)
  if (!floats || seat === null) return null
  const width = Math.min(FLOATING_WIDTH, seat.right - seat.left - 2 * FLOATING_GAP)
  const left = (seat.left + seat.right - width) / 2
  return (
    <div style={{ position: 'fixed', left, top: seat.top, width, height: 0, pointerEvents: 'auto' }}>
      <BtwCard
        runtime={runtime}
        parent={parentOf(current)}
        focusComposer={focusComposer}
        composerText={composerText}
        revealSide={host.openSide}
        askPending={waits ? () => void runtime.quoteIn(parentOf(current), 'btw', host.pendingText(current)) : undefined}
        {...bringBackFor(host, current)}
      />
    </div>
  )
}

/** A rectangle in viewport pixels. */
interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const FLOATING_WIDTH = 780
const FLOATING_GAP = 16

/** Brings back what this page had opened before a reload, once its conversation is on screen (D7). */
function Restore({ host, sessionId }: { readonly host: SurfaceHost; readonly sessionId: string }): null {
  useEffect(() => {
    const parent = parentOf(sessionId)
    void host.names.load(sessionId)
    host.runtime
      .restore(parent)
      .then(() => host.place.showRestored(sessionId))
      .catch(() => {})
  }, [host, sessionId])
  return null
}

/** The button of a conversation's header that shows its sides. */
export function mountHeader(slots: HostSlots, host: SurfaceHost): void {
  slots.inject('conversation.session.header.actions', () =>
    slots.register(
      {
        name: 'conversation.session.header.actions',
        id: 'sidemind-side',
        order: 60,
        inject: (sessionId: string) => ({ sidemindSession: sessionId }),
      },
      ({ sidemindSession }) => (
        <Surface host={host}>
          <HeaderButton host={host} sessionId={String(sidemindSession)} />
        </Surface>
      ),
    ),
  )
}

function HeaderButton({ host, sessionId }: { readonly host: SurfaceHost; readonly sessionId: string }): ReactElement {
  const { side } = useSyncExternalStore(host.prefs.subscribe, host.prefs.keys)
  return (
    <SideButton runtime={host.runtime} parent={parentOf(sessionId)} keys={shortcutText(side)} onOpen={host.openSide} />
  )
}

/** The quiet lines of our commands in main's transcript. A refused one draws nothing: the composer said why. */
export function mountRows(slots: HostSlots, host: SurfaceHost): void {
  slots.inject('conversation.chat.commandview', () => {
    const draw = (kind: SideKind): (() => void) => {
      const key = host.names.known()[kind]
      return slots.register({ name: 'conversation.chat.commandview', key, inject: () => ({}) }, ({ node }) => {
        const outcome = member(node, 'outcome')
        const text = member(outcome, 'text')
        const token = parseStartToken(typeof text === 'string' ? text : undefined)
        // Controls, holds and refused commands draw nothing (D14).
        if (token === null) return <span data-sidemind-silent="" hidden />
        return (
          <Surface host={host}>
            <Row host={host} kind={kind} sideId={token.sideId} />
          </Surface>
        )
      })
    }
    let undo: (() => void)[] = []
    // A command that goes by another name here leaves the rows of its first to the plugin that holds it.
    const drawAll = (): void => {
      for (const step of undo.splice(0)) step()
      undo = (['btw', 'side'] as const).flatMap((kind) => {
        try {
          return [draw(kind)]
        } catch {
          return []
        }
      })
    }
    drawAll()
    const forget = host.names.subscribe(drawAll)
    return () => {
      forget()
      for (const step of undo) step()
    }
  })
}

/** A question that went on as a side is one here too. */
function Row(props: { readonly host: SurfaceHost; readonly kind: SideKind; readonly sideId: string }): ReactElement {
  const { host, kind, sideId } = props
  const now = useSyncExternalStore(host.runtime.subscribe, () => host.runtime.find(sideId)?.kind ?? kind)
  return now === 'btw' ? (
    <BtwRow runtime={host.runtime} sideId={sideId} />
  ) : (
    <SideRow runtime={host.runtime} sideId={sideId} onOpen={host.place.show} />
  )
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
    const sessionId = String(sidemindSession)
    const [draftId, setDraftId] = useState(() => host.place.sideIn(tabId, sessionId))
    const shown = sideId === '' ? draftId : sideId

    // A tab opened from the sidebar's own guide names no side: it gets a draft of its own, and keeps it.
    useEffect(() => {
      if (sideId === '' && draftId === '') setDraftId(host.runtime.openDraft(parentOf(sessionId), 'side', true))
    }, [sideId, draftId, sessionId])
    useEffect(() => {
      if (shown === '' || signal === undefined) return
      host.place.bindTab(shown, tabId, signal, () => {
        if (typeof close === 'function') Reflect.apply(close, member(tab, 'actions'), [])
      })
      // oxlint-disable-next-line react-hooks/exhaustive-deps -- the host makes `tab` anew for every render
    }, [shown, tabId, signal])
    const { main, size } = useMain(host, sessionId, visible)
    const mainTurn = useMainTurn(host, sessionId)
    if (shown === '') return null
    return (
      <Surface host={host}>
        <SideTab
          runtime={host.runtime}
          sideId={shown}
          visible={visible}
          main={main}
          size={size}
          onMain={goToMain}
          revealSide={host.place.show}
          mainTurn={mainTurn}
          pendingText={() => host.pendingText(sessionId)}
          {...bringBackFor(host, sessionId)}
        />
      </Surface>
    )
  }
}

/** A tab's live title: the side's first question. */
export function tabTitle(host: SurfaceHost): (props: Record<string, unknown>) => ReactElement | null {
  return function SideTabTitle({ useTabInfo, sidemindSession }) {
    const info: unknown = (useTabInfo as () => unknown)()
    const tab = member(info, 'tab')
    const side = useSyncExternalStore(host.runtime.subscribe, () =>
      host.runtime.find(sideOf(tab) || host.place.sideIn(textIn(member(tab, 'id')), String(sidemindSession))),
    )
    const active = useSyncExternalStore(host.locale.subscribe, host.locale.active)
    const t = createTranslate(active)
    const title = side === null || side.title === '' ? t('side.title') : side.title
    if (side?.unread !== true) return <>{title}</>
    return (
      <>
        <span role="img" aria-label={t('row.unread')} title={t('row.unread')} style={UNREAD} />
        {title}
      </>
    )
  }
}

/** A dot before the title: the host's own accent, because its tab strip is not one of our surfaces. */
const UNREAD: CSSProperties = {
  display: 'inline-block',
  width: 6,
  height: 6,
  marginInlineEnd: 6,
  borderRadius: '50%',
  background: 'var(--dsw-alias-state-business-primary)',
  verticalAlign: 'middle',
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
  const { main, size } = useMain(host, current ?? '', open)
  const mainTurn = useMainTurn(host, current ?? '')
  const reserve = useBox(open, composerCard)
  if (current === undefined) return null
  return (
    <SideDrawer
      runtime={host.runtime}
      parent={parentOf(current)}
      open={open}
      onHide={() => place.hide(current)}
      focusComposer={focusComposer}
      reserve={reserve}
      onDock={place.dock}
      main={main}
      size={size}
      onMain={goToMain}
      mainTurn={mainTurn}
      pendingText={() => host.pendingText(current)}
      {...bringBackFor(host, current)}
    />
  )
}

/** Where an element of the host is on screen, measured while `active`. */
function useBox(active: boolean, find: () => HTMLElement | null): Box | null {
  const [box, setBox] = useState<Box | null>(null)
  useEffect(() => {
    if (!active) return undefined
    const measure = (): void => {
      const next = find()?.getBoundingClientRect()
      setBox((before) => {
        if (next === undefined) return null
        const { left, top, right, bottom } = next
        const same = before?.left === left && before.top === top && before.right === right && before.bottom === bottom
        return same ? before : { left, top, right, bottom }
      })
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(document.documentElement)
    const element = find()
    if (element !== null) observer.observe(element)
    window.addEventListener('resize', measure)
    return () => {
      observer.disconnect()
      window.removeEventListener('resize', measure)
    }
  }, [active, find])
  return box
}
