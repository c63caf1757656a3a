/** Connects the store to one host: transport, typed lines, surfaces. Every seam is optional; what a host lacks is left out. */

import css from 'virtual:sidemind-css'
import './host.css'
import { createRuntime } from '../data/runtime.ts'
import { createTranslate } from '../locales.ts'
import { parseStartToken } from '../../src/wire/index.ts'
import { appendToDraft, focusComposerEnd, lineSource } from './composer.ts'
import { messageText } from './main-view.ts'
import { mountMessageAction, mountPicks } from './picks.tsx'
import { drawerPlace, TAB_PATTERN, tabPlace, type SidePlace } from './place.ts'
import {
  commandTransport,
  consumeToken,
  followOf,
  localeOf,
  member,
  registerLineSource,
  sessionsOf,
  type ClientContext,
  type HostSlots,
  type SidebarTabs,
} from './seams.ts'
import {
  mountDrawer,
  mountFloating,
  mountOverlay,
  mountRows,
  TAB_ID,
  TAB_KIND,
  tabBody,
  tabTitle,
  type SurfaceHost,
} from './slots.tsx'
import { createDshTransport } from './transport.ts'

/** How long a host may take to bring up its right sidebar before sides get the drawer. */
const SIDEBAR_WAIT_MS = 1_500

/** Mounts everything on `ctx`; the context's own disposal undoes it. */
export function mount(ctx: ClientContext): void {
  const transport = createDshTransport({
    execute: () => commandTransport(ctx),
    follow: () => followOf(ctx),
    memory: pageMemory(),
    wait(ms, task) {
      const timer = setTimeout(task, ms)
      return () => clearTimeout(timer)
    },
  })
  const runtime = createRuntime({ transport })
  const locale = localeOf(ctx)
  const place = switchablePlace(drawerPlace(runtime, makeRoom))
  const host: SurfaceHost = {
    runtime,
    locale,
    get sessions() {
      return sessionsOf(ctx)
    },
    place,
    messageText: (sessionId, messageId) => messageText(quietly(ctx, 'sessions'), sessionId, messageId),
    bringBack: (sessionId, markdown) => {
      if (appendToDraft(quietly(ctx, 'conversation'), sessionsOf(ctx)?.scope(sessionId), markdown)) focusComposerEnd()
    },
  }

  ctx.effect(() => installCss(css), 'sidemind: styles')
  ctx.effect(() => () => runtime.dispose(), 'sidemind: store')

  ctx.inject(['inputTriggers'], (inner) => {
    const t = (): ReturnType<typeof createTranslate> => createTranslate(locale.active())
    const source = lineSource({
      runtime,
      sentence(code) {
        if (code === 'images') return t()('composer.images')
        return t()(code === 'stopped' ? 'turn.stopped' : `error.${code}`)
      },
      hint: (kind) => t()(kind === 'btw' ? 'composer.hintBtw' : 'composer.hintSide'),
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
  })
  mountSides(ctx, host, place)
}

/** Tabs where the host has a right sidebar, else the drawer. A sidebar that comes up late takes over. */
function mountSides(ctx: ClientContext, host: SurfaceHost, place: SwitchablePlace): void {
  let tabbed = false
  ctx.inject(['slots', 'sidebarRightTabs', 'sidebarRight'], (inner) => {
    tabbed = true
    const slots = inner.get('slots') as HostSlots
    const tabs = inner.get('sidebarRightTabs') as SidebarTabs
    const title = (): string => createTranslate(host.locale.active())('side.title')
    inner.effect(
      () =>
        tabs.register({
          id: TAB_ID,
          kind: TAB_KIND,
          patterns: [TAB_PATTERN],
          title,
          guide: [{ order: 60, title, description: () => createTranslate(host.locale.active())('side.guide') }],
        }),
      'sidemind: tab',
    )
    const face = { inject: (sessionId: string) => ({ sidemindSession: sessionId }) }
    slots.inject('sidebar.right.pane.tab', () =>
      slots.register({ name: 'sidebar.right.pane.tab', key: TAB_ID, ...face }, tabBody(host)),
    )
    slots.inject('sidebar.right.pane.tab.title', () =>
      slots.register({ name: 'sidebar.right.pane.tab.title', key: TAB_ID, ...face }, tabTitle(host)),
    )
    inner.effect(() => {
      const tabbedPlace = tabPlace({
        runtime: host.runtime,
        sidebar: inner.get('sidebarRight'),
        kind: TAB_KIND,
        current: () => host.sessions?.current(),
        later: (ms, task) => setTimeout(task, ms),
      })
      const back = place.use(tabbedPlace)
      // What was opened before the sidebar came up moves into it.
      tabbedPlace.showRestored('')
      return () => {
        tabbedPlace.stop()
        back()
      }
    }, 'sidemind: tab place')
  })
  ctx.inject(['slots', 'sessions'], (inner) => {
    const timer = setTimeout(() => {
      if (!tabbed) mountDrawer(inner.get('slots') as HostSlots, host)
    }, SIDEBAR_WAIT_MS)
    inner.effect(() => () => clearTimeout(timer), 'sidemind: drawer')
  })
}

interface SwitchablePlace extends SidePlace {
  /** Uses another place from now on; returns the undo. */
  use(place: SidePlace): () => void
}

function switchablePlace(first: SidePlace): SwitchablePlace {
  let now = first
  return {
    show: (sideId) => now.show(sideId),
    showRestored: (sessionId) => now.showRestored(sessionId),
    bindTab: (...tab) => now.bindTab(...tab),
    isOpen: (sessionId) => now.isOpen(sessionId),
    hide: (sessionId) => now.hide(sessionId),
    dock: (width) => now.dock(width),
    subscribe: (listener) => first.subscribe(listener),
    use(place) {
      now = place
      return () => {
        now = first
      }
    },
  }
}

/** Lets the page's own content move over for a docked drawer. */
function makeRoom(width: number): void {
  document.documentElement.style.setProperty('--sm-docked', `${width}px`)
  document.documentElement.toggleAttribute('data-sidemind-docked', width > 0)
}

function installCss(text: string): () => void {
  const style = document.createElement('style')
  style.dataset['sidemind'] = ''
  style.textContent = text
  document.head.append(style)
  return () => style.remove()
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
