/** Client half of the seams adapter: gives the page of DSH 0.1.0-rc.8 what pages of later hosts have, out of the
 *  packages that those hosts were published with. Development only; it is never part of the plugin. */
import { oldHost } from '../../ui/dsh/old-follow.ts'
import type { PageContext } from './host-context.ts'
import { withLaterSlots } from './old-slots.ts'
import { resources, sidebarRight } from './published.ts'
import { remoteSession } from './remote-session.ts'
import { offerRightbar } from './rightbar.tsx'
import { unloadOn } from './unload.ts'

export const name = 'sidemind-dev-seams'

export const inject = ['slots', 'layout', 'locale']

/** Mounts the right sidebar with its services, and `remote.session`. */
export function apply(ctx: PageContext): void {
  offerRightbar(ctx)
  resources.apply(withLaterSlots(ctx))
  const sidebar = ctx.inject(sidebarRight.inject, (inner) => sidebarRight.apply(withLaterSlots(inner)))
  ctx.effect(() => unloadOn(window, sidebar), 'seams: unload')
  ctx.inject(['connection', 'remote'], (inner) => {
    const host = oldHost(inner.get('connection'))
    if (host === undefined || inner.get('remote.session') !== undefined) return
    inner.effect(() => inner.reflect.provide('remote.session', remoteSession(host)), 'seams: remote.session')
  })
}
