/** The scripted model: a streaming server of both OpenAI APIs on loopback, for the dev host and the tests.
 *  Owns the routes and the life of the server. `node dev/model/server.ts --port N` runs it alone; README.md here
 *  lists what it can be told. */

import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { parseArgs } from 'node:util'

import type { Answer, AnswerWire } from './answer.ts'
import { ChatWire } from './chat-wire.ts'
import { Gates } from './gates.ts'
import { Problem, errorBody, readJson, sendJson } from './http.ts'
import { Journal, now } from './journal.ts'
import type { RecordedRequest } from './journal.ts'
import { plan } from './plan.ts'
import { readQuestion } from './question.ts'
import { readResponsesRequest } from './responses.ts'
import { ResponsesWire } from './responses-wire.ts'
import { Rulebook, checkRules, nextOf } from './rules.ts'
import type { Rule } from './rules.ts'
import { stream } from './stream.ts'
import { PrefixCache } from './usage.ts'
import { checkChatRequest, isRecord } from './wire.ts'
import type { ChatRequest } from './wire.ts'

const DEFAULT_CHUNK_MS = 25
const MAX_COMPLETION_BYTES = 64 * 1024 * 1024
const MAX_CONTROL_BYTES = 4 * 1024 * 1024
const MODELS = ['deepseek-v4-flash', 'deepseek-v4-pro']
const ROUTES =
  'POST /chat/completions, POST /responses, GET /models, POST or DELETE /script, POST /release, GET or DELETE /requests'

/** One of the two APIs: how a request is read and an answer written. */
interface Api {
  read(value: unknown): ChatRequest
  /** The request header that names the conversation. */
  sessionHeader: string
  wire(answer: Answer): AnswerWire
}

const CHAT: Api = {
  read: checkChatRequest,
  sessionHeader: 'x-deepseek-harness-session-id',
  wire: (answer) => new ChatWire(answer),
}
const RESPONSES: Api = {
  read: readResponsesRequest,
  sessionHeader: 'thread-id',
  wire: (answer) => new ResponsesWire(answer),
}

export interface ScriptedModel {
  /** `http://127.0.0.1:<port>`, to be used as the provider's base URL. */
  url: string
  /** Ends every answer and stops listening. */
  close(): Promise<void>
  /** Every request, oldest first; the records go on changing while they are answered. */
  requests(): RecordedRequest[]
  /** Adds rules; the newest is tried first. Throws a Problem that says what is wrong with one. */
  script(rule: Rule | Rule[]): void
  /** Opens a gate for good and returns how many answers stood at it. */
  release(name: string): number
  /** From now on it takes this many milliseconds for each thousand tokens that its cache does not hold. */
  charge(msPerThousand: number): void
  /** Forgets the simulated prefix cache alone. */
  forget(): void
  /** Forgets rules, gates (letting everybody through), requests and the simulated prefix cache. */
  clear(): void
}

/** Starts a server on 127.0.0.1. Without a port the system picks one; `chunkMs` is the pause between pieces where
 *  a behaviour does not say (25, a natural pace). Rejects when the port is taken. */
export async function startModel(options: { port?: number; chunkMs?: number } = {}): Promise<ScriptedModel> {
  const { port = 0, chunkMs = DEFAULT_CHUNK_MS } = options
  const rules = new Rulebook()
  const gates = new Gates()
  const journal = new Journal()
  const cache = new PrefixCache()
  let msPerThousand = 0
  const closing = new AbortController()
  const clearScript = (): void => {
    rules.clear()
    gates.reset()
  }

  const complete = async (req: IncomingMessage, res: ServerResponse, arrivedAt: number, api: Api): Promise<void> => {
    const { value, bytes } = await readJson(req, MAX_COMPLETION_BYTES)
    const body = api.read(value)
    const question = readQuestion(body)
    const { behaviour, by, asked } = rules.choose(question)
    const session = req.headers[api.sessionHeader]
    const sessionId = typeof session === 'string' ? session : null
    const record = journal.open(
      { kind: question.kind, behaviour: behaviour.kind, by, arrivedAt, sessionId, lastUser: question.text, body },
      bytes,
    )

    const gone = new AbortController()
    res.once('close', () => {
      record.aborted = record.endedAt === null
      record.endedAt ??= now()
      gone.abort()
    })
    const callId = (): string => {
      const id = `call_${randomUUID().replaceAll('-', '').slice(0, 24)}`
      if (behaviour.kind !== 'play') rules.expect(id, nextOf(behaviour))
      return id
    }
    const signal = AbortSignal.any([gone.signal, closing.signal])
    const tokens = cache.count(body, bytes)
    const answer: Answer = { res, record, tokens, gates, chunkMs, signal, callId }
    const reading = Math.round(((tokens.prompt - tokens.cached) / 1_000) * msPerThousand)
    const steps = plan(behaviour, { request: body, question, asked })
    await stream(reading > 0 ? [{ do: 'wait', ms: reading }, ...steps] : steps, answer, api.wire(answer))
  }

  const routes: Record<string, (req: IncomingMessage, res: ServerResponse, arrivedAt: number) => Promise<void> | void> =
    {
      'POST /chat/completions': (req, res, arrivedAt) => complete(req, res, arrivedAt, CHAT),
      'POST /responses': (req, res, arrivedAt) => complete(req, res, arrivedAt, RESPONSES),
      'GET /models': (_req, res) => {
        sendJson(res, 200, {
          object: 'list',
          data: MODELS.map((id) => ({ id, object: 'model', owned_by: 'scripted' })),
        })
      },
      'POST /script': async (req, res) => {
        const added = checkRules((await readJson(req, MAX_CONTROL_BYTES)).value)
        rules.add(added)
        sendJson(res, 200, { added: added.length })
      },
      'DELETE /script': (_req, res) => {
        clearScript()
        sendJson(res, 200, { cleared: true })
      },
      'POST /release': async (req, res) => {
        const { value } = await readJson(req, MAX_CONTROL_BYTES)
        if (!isRecord(value) || typeof value['name'] !== 'string') throw new Problem(400, 'send { "name": "<gate>" }')
        sendJson(res, 200, { released: gates.release(value['name']) })
      },
      'GET /requests': (_req, res) => {
        sendJson(res, 200, journal.list())
      },
      'DELETE /requests': (_req, res) => {
        journal.clear()
        sendJson(res, 200, { cleared: true })
      },
    }

  const handle = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const arrivedAt = now()
    const path = (req.url ?? '/').replace(/\?.*$/, '').replace(/^\/v1(?=\/)/, '')
    try {
      const route = routes[`${req.method} ${path}`]
      if (route === undefined) throw new Problem(404, `there is no ${req.method} ${path} here; there is ${ROUTES}`)
      await route(req, res, arrivedAt)
    } catch (error) {
      const wentAway = res.destroyed || closing.signal.aborted
      if (wentAway) return
      if (res.headersSent) {
        res.destroy()
        return
      }
      const status = error instanceof Problem ? error.status : 500
      const message = error instanceof Error ? error.message : String(error)
      sendJson(res, status, errorBody(message, 'invalid_request_error', null), { connection: 'close' })
    }
  }

  const server = createServer((req, res) => void handle(req, res))
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', resolve)
  })

  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => journal.list(),
    script: (rule) => rules.add(checkRules(rule)),
    release: (name) => gates.release(name),
    charge: (ms) => void (msPerThousand = ms),
    forget: () => cache.clear(),
    clear: () => {
      clearScript()
      journal.clear()
      cache.clear()
    },
    close: async () => {
      closing.abort()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
    },
  }
}

/** Runs the server alone until Ctrl+C. */
async function main(): Promise<void> {
  const { values } = parseArgs({ options: { port: { type: 'string', default: '0' } } })
  const port = Number(values.port)
  if (!Number.isInteger(port) || port < 0 || port > 65535)
    throw new Error(`--port ${values.port} is not a port (0 to 65535)`)
  const model = await startModel({ port })
  process.stdout.write(`scripted model: ${model.url}\n`)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void model.close())
}

if (import.meta.main) {
  main().catch((error: NodeJS.ErrnoException) => {
    const taken = error.code === 'EADDRINUSE'
    process.stderr.write(
      `${taken ? 'That port is taken; choose another with --port, or 0 for a free one.' : error.message}\n`,
    )
    process.exitCode = 1
  })
}
