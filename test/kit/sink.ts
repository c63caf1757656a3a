/** A server on loopback that nothing should ever reach: counts connections and remembers requests. */
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Sink {
  /** `http://127.0.0.1:<port>` */
  url: string
  /** Connections so far, those without a request included. */
  connections(): number
  requests(): { url: string; headers: IncomingHttpHeaders }[]
  close(): Promise<void>
}

export async function startSink(): Promise<Sink> {
  let connections = 0
  const requests: { url: string; headers: IncomingHttpHeaders }[] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers })
    response.writeHead(204, { 'access-control-allow-origin': '*' }).end()
  })
  server.on('connection', () => void (connections += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    requests: () => requests,
    async close() {
      server.closeAllConnections()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}
