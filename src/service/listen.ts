/** Listens on loopback and nowhere else, and ends without cutting off an answer that is almost done. */

import { serve, type ServerType } from '@hono/node-server'
import type { AddressInfo } from 'node:net'
import type { Service } from './server.ts'

export interface Listening {
  readonly port: number
  /** Resolves when every socket is closed. */
  close(): Promise<void>
}

/** How long a request in flight may still take. */
const GRACE_MS = 2_000

/** Port 0 picks a free one. Rejects with the system's error when the port is taken. */
export async function listen(service: Pick<Service, 'fetch' | 'close'>, port: number): Promise<Listening> {
  const server = await new Promise<ServerType>((resolve, reject) => {
    const started = serve({ fetch: service.fetch, hostname: '127.0.0.1', port }, () => {
      started.off('error', reject)
      resolve(started)
    })
    started.once('error', reject)
  })
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      service.close()
      // Sockets that only wait for another request.
      if ('closeIdleConnections' in server) server.closeIdleConnections()
      const cut = setTimeout(() => 'closeAllConnections' in server && server.closeAllConnections(), GRACE_MS)
      await closed
      clearTimeout(cut)
    },
  }
}
