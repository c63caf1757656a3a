/** `ctx.remote.session` on a host that has none: the one method the product uses of it. */
import { followOld, type EventEntry, type FollowRequest, type OldHost, type Snapshot } from '../../ui/dsh/old-follow.ts'

/** The part of the published `remote.session` that the adapter offers. */
export interface RemoteSession {
  follow(request: FollowRequest, signal?: AbortSignal): AsyncIterable<Snapshot | EventEntry>
}

/** @returns `remote.session` over the page's own connection. */
export function remoteSession(host: OldHost): RemoteSession {
  return { follow: (request, signal) => followOld(request, host, signal) }
}
