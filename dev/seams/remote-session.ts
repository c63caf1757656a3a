/** `ctx.remote.session` on a host that has none: the two methods that the product uses of it. */
import {
  followOld,
  pageOf,
  type EventEntry,
  type FollowRequest,
  type OldHost,
  type Page,
  type PageRequest,
  type Snapshot,
} from '../../ui/dsh/old-follow.ts'

/** The part of the published `remote.session` that the adapter offers. */
export interface RemoteSession {
  follow(request: FollowRequest, signal?: AbortSignal): AsyncIterable<Snapshot | EventEntry>
  page(request: PageRequest, signal?: AbortSignal): Promise<{ readonly ok: true; readonly value: Page }>
}

/** @returns `remote.session` over the page's own connection. */
export function remoteSession(host: OldHost): RemoteSession {
  return {
    follow: (request, signal) => followOld(request, host, signal),
    async page({ address, throughSeq: _log, ...cut }, signal = new AbortController().signal) {
      return { ok: true, value: pageOf(await host.history(address, cut, signal)) }
    },
  }
}
