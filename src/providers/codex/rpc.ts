/** Requests and answers over one stream of JSON lines. Owns the pending requests; who is told of the rest is router.ts. */

import { SideError } from '../../core/errors.ts'
import { decodeLine, type Fields, type RpcId, type RpcMessage } from './protocol.ts'

/** Lines in and out of one app-server. Its owner may be somebody else: nothing here ends it. */
export interface LineStream {
  write(line: string): void
  /** Whole lines, in order, without their line break. */
  onLine(listener: (line: string) => void): void
  /** The other side is gone, at once when it is already. */
  onClose(listener: (reason: string) => void): void
}

export interface RequestOptions {
  readonly timeoutMs?: number
  readonly signal?: AbortSignal
  /** Receives an answer that comes after the request was given up (P4). */
  readonly late?: (result: unknown) => void
}

export interface Rpc {
  /** Resolves with the result. Rejects with SideError: `provider_error` for a refusal or a timeout, `expired` when the
   *  connection is lost. Giving up does not take a request back: see `late`. */
  request(method: string, params: Fields, options?: RequestOptions): Promise<unknown>
  notify(method: string): void
  /** Answers a request of the server. */
  answer(id: RpcId, reply: { readonly result: unknown } | { readonly error: string }): void
  readonly closed: boolean
}

export interface RpcPorts {
  readonly after: (ms: number, task: () => void) => () => void
  /** A notice or a request of the server. */
  readonly incoming: (message: Extract<RpcMessage, { kind: 'notice' | 'request' }>) => void
  readonly lost: (reason: string) => void
}

/** An answer of a local process is a matter of milliseconds; a fork with slow MCP servers takes seconds. */
const TIMEOUT_MS = 20_000

interface Pending {
  readonly method: string
  resolve(result: unknown): void
  reject(error: SideError): void
}

export function createRpc(stream: LineStream, ports: RpcPorts): Rpc {
  const pending = new Map<number, Pending>()
  const given = new Map<number, (result: unknown) => void>()
  let lastId = 0
  let closed = false

  stream.onLine((line) => {
    const message = decodeLine(line)
    if (message === null) return
    if (message.kind === 'notice' || message.kind === 'request') return ports.incoming(message)
    const late = given.get(message.id)
    given.delete(message.id)
    const waiting = pending.get(message.id)
    pending.delete(message.id)
    if (message.kind === 'response') {
      late?.(message.result)
      waiting?.resolve(message.result)
    } else {
      waiting?.reject(new SideError('provider_error', `${waiting.method}: ${message.message}`))
    }
  })
  stream.onClose((reason) => {
    if (closed) return
    closed = true
    given.clear()
    const waiting = [...pending.values()]
    pending.clear()
    for (const one of waiting) one.reject(gone(reason))
    ports.lost(reason)
  })

  function send(message: object): void {
    if (!closed) stream.write(JSON.stringify(message))
  }

  return {
    get closed() {
      return closed
    },
    request(method, params, { timeoutMs = TIMEOUT_MS, signal, late } = {}) {
      if (closed) return Promise.reject(gone('the connection is closed'))
      if (signal?.aborted === true) return Promise.reject(givenUp(method))
      return new Promise((resolve, reject) => {
        const id = (lastId += 1)
        const giveUp = (error: SideError): void => {
          if (!pending.delete(id)) return
          if (late !== undefined) given.set(id, late)
          done()
          reject(error)
        }
        const onAbort = (): void => giveUp(givenUp(method))
        const undoTimer = ports.after(timeoutMs, () =>
          giveUp(new SideError('provider_error', `${method} was not answered within ${timeoutMs} ms`)),
        )
        const done = (): void => {
          undoTimer()
          signal?.removeEventListener('abort', onAbort)
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        pending.set(id, {
          method,
          resolve(result) {
            done()
            resolve(result)
          },
          reject(error) {
            done()
            reject(error)
          },
        })
        send({ id, method, params })
      })
    },
    notify: (method) => send({ method }),
    answer: (id, reply) =>
      send('result' in reply ? { id, result: reply.result } : { id, error: { code: -32_000, message: reply.error } }),
  }
}

function gone(reason: string): SideError {
  return new SideError('expired', `the app-server is gone: ${reason}`)
}

function givenUp(method: string): SideError {
  return new SideError('provider_error', `${method} was given up`)
}
