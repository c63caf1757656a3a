/** Who may talk to the service: programs on this machine that know the token of this start, and pages of its own origin. */

import { timingSafeEqual } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'

export interface GuardOptions {
  /** Per start; the only key. */
  readonly token: string
  /** The port that was listened on; known once it is. */
  readonly port: () => number
}

/** Refuses with an empty body: 403 for another origin or Host (a page that was led here by DNS), 401 without the token. */
export function guard({ token, port }: GuardOptions): MiddlewareHandler {
  return async (context, next) => {
    const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`]
    const origin = context.req.header('origin')
    if (!hosts.includes(context.req.header('host') ?? '')) return context.body(null, 403)
    if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`)) return context.body(null, 403)
    const site = context.req.header('sec-fetch-site')
    if (site !== undefined && site !== 'same-origin' && site !== 'none') return context.body(null, 403)
    if (!isToken(context.req.header('authorization'), token)) return context.body(null, 401)
    return next()
  }
}

function isToken(header: string | undefined, token: string): boolean {
  return header !== undefined && sameText(header, `Bearer ${token}`)
}

/** Takes as long for a wrong text as for the right one. */
export function sameText(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)]
  return a.length === b.length && timingSafeEqual(a, b)
}
