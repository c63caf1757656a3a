/** Serves the files that the client half loads on first use, beside the client bundle's own address. Owns the route and
 *  which files it has; a host without a web server has none, and answers are plain text there. */

import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { IncomingMessage, ServerResponse } from 'node:http'

/** Under the host's `/plugins`, so that whatever brings a page its client bundles brings it these. */
export const LATER_PATH = '/plugins/sidemind-for-dsh/later'

/** The one names of files there are; nothing of a request becomes a path. */
const FILES: ReadonlySet<string> = new Set(['markdown.js', 'code.js', 'math.js', 'tabs.js'])

/** The part of the host's web server that is used. */
export interface WebServer {
  register(route: {
    kind: 'prefix'
    path: string
    handler(request: IncomingMessage, response: ServerResponse): Promise<void>
  }): () => void
}

/** @param read the bytes of one of the files.
 *  @returns the undo.
 *  @throws when the host has the route already. */
export function serveLater(server: WebServer, read: (file: string) => Promise<Buffer> = readBuilt): () => void {
  return server.register({
    kind: 'prefix',
    path: LATER_PATH,
    async handler(request, response) {
      const file = (request.url ?? '').split(/[?#]/)[0]?.split('/').at(-1) ?? ''
      const bytes = FILES.has(file) ? await read(file).catch(() => null) : null
      if (request.method !== 'GET' && request.method !== 'HEAD') return end(response, 405)
      if (bytes === null) return end(response, 404)
      const tag = `"${createHash('sha256').update(bytes).digest('hex').slice(0, 16)}"`
      const headers = {
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'no-cache',
        'x-content-type-options': 'nosniff',
        etag: tag,
      }
      if (request.headers['if-none-match'] === tag) return end(response, 304, headers)
      response.writeHead(200, headers)
      response.end(request.method === 'HEAD' ? undefined : bytes)
    },
  })
}

function end(response: ServerResponse, status: number, headers: Record<string, string> = {}): void {
  response.writeHead(status, headers)
  response.end()
}

/** They lie beside the bundle that this file is a part of. */
function readBuilt(file: string): Promise<Buffer> {
  return readFile(new URL(`./later/${file}`, import.meta.url))
}
