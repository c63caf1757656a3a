/** Connects the store to one host: transport, typed lines, surfaces. Every seam is optional; what a host lacks is left out. */

import css from 'virtual:sidemind-css'
import './host.css'
import { createRuntime } from '../data/runtime.ts'
import { fetchLaterBy } from '../parts/later.ts'
import { createTranslate } from '../locales.ts'
import { parseStartToken } from '../../src/wire/index.ts'
import { appendToDraft, focusComposerEnd, kindOfLine, lineSource } from './composer.ts'
import { messageText, pendingText, watchMain, wholeTurns } from './main-view.ts'
import { createMainWatch } from './main-watch.ts'
import { mountMessageAction, mountPicks } from './picks.tsx'
import { newId } from '../data/ports.ts'
import { commandNames } from './command-names.ts'
import { focusSide } from '../side/focus-side.ts'
import { guardComposing } from './ime-guard.ts'
import { markTitle } from './title-mark.ts'
import { unfoldChips } from './chips.ts'
import { fetchLater } from './later.ts'
import { modelsOf } from './models.ts'
import { routeMemory } from './page-memory.ts'
import { drawerPlace, TAB_PATTERN, tabPlace, type SidePlace } from './place.ts'
import {
  commandTransport,
  connectedOf,
  consumeToken,
  followOf,
  localeOf,
  member,
  registerLineSource,
  remoteCommands,
  sessionsOf,
  type ClientContext,
  type HostSlots,
  type SidebarTabs,
} from './seams.ts'
import {
  mountDrawer,
  mountFloating,
  mountHeader,
  mountOverlay,
  mountRows,
  tabBody,
  tabTitle,
  type SurfaceHost,
} from './slots.tsx'
import { createPrefs, listenForShortcut } from './prefs.ts'
import { mountSettings } from './settings-slot.tsx'
import { registerTab, type TabName } from './tab-name.ts'
import { settingsScope } from './settings-scope.ts'
import { sideToShow } from '../side/side-to-show.ts'
import { solePage } from '../data/sole-page.ts'
import { createDshTransport } from './transport.ts'

/** How long a host may take to bring up its right sidebar before sides get the drawer. */
const SIDEBAR_WAIT_MS = 1_500

/** Mounts everything on `ctx`; the context's own disposal undoes it. */
export function mount(ctx: ClientContext): void {
  const leaving = new AbortController()
  const storage = pageMemory()
  const names = commandNames(() => remoteCommands(ctx))
  const transport = createDshTransport({
    execute: () => commandTransport(ctx),
    names: names.load,
    follow: () => followOf(ctx),
    connected: () => connectedOf(ctx),
    memory: storage,
    sole: solePage({
      storage,
      locks: member(navigator, 'locks') as LockManager | undefined,
      newId: () => newId(crypto),
      signal: leaving.signal,
    }),
    wait,
    models: modelsOf(ctx),
    onWindows: (windows) => runtime.configure(windows),
    onEndsIn: (sideId, ms) => runtime.endsIn(sideId, ms),
  })
  const runtime = createRuntime({ transport, routes: routeMemory(storage) })
  const locale = localeOf(ctx)
  const prefs = createPrefs()
  const drawer = drawerPlace(runtime, makeRoom)
  const place = switchablePlace(drawer)
  const host: SurfaceHost = {
    runtime,
    locale,
    get sessions() {
      return sessionsOf(ctx)
    },
    place,
    wholeTurns: (sessionId) => wholeTurns(quietly(ctx, 'sessions'), sessionId),
    watchMain: (sessionId, listener) => watchMain(quietly(ctx, 'sessions'), sessionId, listener),
    pendingText: (sessionId) => pendingText(quietly(ctx, 'sessions'), sessionId),
    messageText: (sessionId, messageId) => messageText(quietly(ctx, 'sessions'), sessionId, messageId),
    names,
    prefs,
    openSide(sideId) {
      place.show(sideId)
      focusSide(sideId)
    },
    main: createMainWatch({ follow: () => followOf(ctx), sessions: () => sessionsOf(ctx), wait }),
    bringBack: (sessionId, markdown) => {
      if (appendToDraft(quietly(ctx, 'conversation'), sessionsOf(ctx)?.scope(sessionId), markdown)) focusComposerEnd()
    },
  }

  fetchLaterBy(fetchLater)
  ctx.effect(() => installCss(css), 'sidemind: styles')
  ctx.effect(() => () => runtime.dispose(), 'sidemind: store')
  ctx.effect(() => markTitle(runtime), 'sidemind: title')
  ctx.effect(() => () => leaving.abort(), 'sidemind: page')

  ctx.inject(['inputTriggers'], (inner) => {
    const t = (): ReturnType<typeof createTranslate> => createTranslate(locale.active())
    const source = lineSource({
      runtime,
      names,
      sentence(code) {
        if (code === 'images' || code === 'chips') return t()(`composer.${code}`)
        return t()(code === 'stopped' ? 'turn.stopped' : `error.${code}`)
      },
      hint: (kind) => t()(kind === 'btw' ? 'composer.hintBtw' : 'composer.hintSide'),
      unfold: (sessionId, args) =>
        unfoldChips(args, {
          conversation: quietly(ctx, 'conversation'),
          inputTriggers: inner.get('inputTriggers'),
          scope: sessionsOf(ctx)?.scope(sessionId),
        }),
      consume: (sessionId, span) => consumeToken(sessionsOf(ctx), sessionId, span),
      reveal: (kind, sideId) => (kind === 'btw' ? runtime.show(sideId) : place.show(sideId)),
    })
    inner.effect(() => registerLineSource(inner.get('inputTriggers'), source), 'sidemind: typed lines')
  })

  // Second path of D2: a plain command of this page opened a side; claim it, once, right after.
  ctx.on('command/executed', (sessionId: string, _name: string, result: unknown) => {
    const text = member(result, 'text')
    const token = parseStartToken(typeof text === 'string' ? text : undefined)
    if (token === null || runtime.find(token.sideId) !== null) return
    const parent = { workspaceId: '', sessionId }
    transport
      .claim(parent, token.kind, token.sideId)
      .then(() => runtime.restore(parent))
      .then(() => (token.kind === 'btw' ? runtime.show(token.sideId) : place.show(token.sideId)))
      .catch(() => {})
  })

  ctx.inject(['slots', 'sessions'], (inner) => {
    const slots = inner.get('slots') as HostSlots
    mountOverlay(slots, host)
    mountRows(slots, host)
    mountFloating(slots, host)
    mountPicks(slots, host)
    mountMessageAction(slots, host)
    mountHeader(slots, host)
  })
  mountSides(ctx, host, place)
  ctx.inject(['settingsScope', 'slots'], (inner) => {
    const scope = settingsScope(inner.get('settingsScope'))
    if (scope === null) return
    inner.effect(() => prefs.follow(scope, runtime.retune), 'sidemind: settings')
    mountSettings(inner.get('slots') as HostSlots, locale, scope)
  })
  ctx.effect(() => guardComposing(document, (line) => kindOfLine(line, names) !== undefined), 'sidemind: input methods')
  ctx.effect(
    () =>
      listenForShortcut(document, prefs, () => {
        const sessionId = host.sessions?.current()
        if (sessionId === undefined) return false
        host.openSide(sideToShow(runtime, { workspaceId: '', sessionId }))
        return true
      }),
    'sidemind: shortcut',
  )
}

/** Tabs where the host has a right sidebar, else the drawer. A sidebar that comes up late takes over; from one that goes, what it
 *  showed moves into the drawer. */
function mountSides(ctx: ClientContext, host: SurfaceHost, place: SwitchablePlace): void {
  let tabbed = false
  ctx.inject(['slots', 'sidebarRightTabs', 'sidebarRight'], (inner) => {
    const slots = inner.get('slots') as HostSlots
    const tabs = inner.get('sidebarRightTabs') as SidebarTabs
    const title = (): string => createTranslate(host.locale.active())('side.title')
    let name: TabName | null = null
    inner.effect(() => {
      const taken = registerTab(tabs, {
        patterns: [TAB_PATTERN],
        title,
        guide: [{ order: 60, title, description: () => createTranslate(host.locale.active())('side.guide') }],
      })
      name = taken?.name ?? null
      return () => taken?.undo()
    }, 'sidemind: tab')
    if (name === null) return
    const { id, kind }: TabName = name
    tabbed = true
    const face = { inject: (sessionId: string) => ({ sidemindSession: sessionId }) }
    slots.inject('sidebar.right.pane.tab', () =>
      slots.register({ name: 'sidebar.right.pane.tab', key: id, ...face }, tabBody(host)),
    )
    slots.inject('sidebar.right.pane.tab.title', () =>
      slots.register({ name: 'sidebar.right.pane.tab.title', key: id, ...face }, tabTitle(host)),
    )
    inner.effect(() => {
      const tabbedPlace = tabPlace({
        runtime: host.runtime,
        sidebar: inner.get('sidebarRight'),
        kind,
        current: () => host.sessions?.current(),
        later: (ms, task) => setTimeout(task, ms),
      })
      const back = place.use(tabbedPlace)
      // What was opened before the sidebar came up moves into it.
      tabbedPlace.showRestored('')
      return () => {
        tabbed = false
        tabbedPlace.stop()
        back()
        const { side: sides, shownSide } = host.runtime.sidesOf(host.sessions?.current() ?? '')
        const last = shownSide ?? sides.at(-1)?.sideId
        if (last !== undefined) place.show(last)
      }
    }, 'sidemind: tab place')
  })
  ctx.inject(['slots', 'sessions'], (inner) => {
    let mounted = false
    const mountOnce = (): void => {
      if (mounted || tabbed) return
      mounted = true
      mountDrawer(inner.get('slots') as HostSlots, host)
    }
    const timer = setTimeout(mountOnce, SIDEBAR_WAIT_MS)
    inner.effect(() => () => clearTimeout(timer), 'sidemind: drawer')
    inner.effect(() => place.subscribe(mountOnce), 'sidemind: drawer instead of tabs')
  })
}

interface SwitchablePlace extends SidePlace {
  /** Uses another place from now on; returns the undo. */
  use(place: SidePlace): () => void
}

function switchablePlace(first: SidePlace): SwitchablePlace {
  let now = first
  const listeners = new Set<() => void>()
  const change = (next: SidePlace): void => {
    now = next
    for (const listener of listeners) listener()
  }
  return {
    show: (sideId) => now.show(sideId),
    showRestored: (sessionId) => now.showRestored(sessionId),
    bindTab: (...tab) => now.bindTab(...tab),
    sideIn: (tabId, sessionId) => now.sideIn(tabId, sessionId),
    isOpen: (sessionId) => now.isOpen(sessionId),
    hide: (sessionId) => now.hide(sessionId),
    dock: (width) => now.dock(width),
    subscribe(listener) {
      const undo = first.subscribe(listener)
      listeners.add(listener)
      return () => {
        undo()
        listeners.delete(listener)
      }
    },
    use(place) {
      change(place)
      return () => change(first)
    },
  }
}

/** Lets the page's own content move over for a docked drawer. */
function makeRoom(width: number): void {
  document.documentElement.style.setProperty('--sm-docked', width > 0 ? `${width}px` : null)
  document.documentElement.toggleAttribute('data-sidemind-docked', width > 0)
}

function installCss(text: string): () => void {
  const style = document.createElement('style')
  style.dataset['sidemind'] = ''
  style.textContent = text
  document.head.append(style)
  return () => style.remove()
}

function wait(ms: number, task: () => void): () => void {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

/** This tab's own storage, or null where the browser forbids it. */
function pageMemory(): Storage | null {
  try {
    return window.sessionStorage
  } catch {
    return null
  }
}

function quietly(ctx: ClientContext, name: string): unknown {
  try {
    return ctx.get(name)
  } catch {
    return undefined
  }
}
