/** Does the steps of one answer on a response: pieces at their pace, tool calls, gates, and the ways to break.
 *  Owns the event stream's format. What the steps are is plan.ts. */

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

import type { Step } from './behaviours.ts'
import type { Gates } from './gates.ts'
import { errorBody, sendJson } from './http.ts'
import { now } from './journal.ts'
import type { RecordedRequest } from './journal.ts'
import { pieces } from './pieces.ts'
import { usageBody } from './usage.ts'
import type { PromptTokens } from './usage.ts'

/** Pieces sent without a pause before other answers get their turn. */
const BURST = 64
/** Lets what was sent reach the client before the socket is destroyed. */
const BEFORE_RESET_MS = 30

export interface Answer {
  res: ServerResponse
  record: RecordedRequest
  tokens: PromptTokens
  gates: Gates
  /** Milliseconds between pieces where a step does not say. */
  chunkMs: number
  /** Aborts when the client goes or the server closes. */
  signal: AbortSignal
  /** A new id for a tool call of this answer. */
  callId: () => string
}

/** Answers. Resolves when the response is over; rejects only when the signal aborts. */
export async function stream(steps: Step[], answer: Answer): Promise<void> {
  const wire = new Wire(answer)
  let reason: string | undefined
  let calls = 0
  for (const step of steps) {
    answer.signal.throwIfAborted()
    switch (step.do) {
      case 'say':
      case 'think':
        await deal(step, wire, answer)
        break
      case 'call':
        await wire.call(calls++, step.name, step.arguments ?? {})
        break
      case 'wait':
        await sleep(step.ms, undefined, { signal: answer.signal })
        break
      case 'gate':
        await stand(step.name, answer)
        break
      case 'raw':
        await wire.data(step.data)
        break
      case 'finish':
        reason = step.reason
        break
      case 'refuse':
        return refuse(step, answer)
      case 'hang':
        wire.open()
        return await once(answer.signal, 'abort').then(() => answer.signal.throwIfAborted())
      case 'reset':
        wire.open()
        await sleep(BEFORE_RESET_MS, undefined, { signal: answer.signal })
        return end(answer, 'destroy')
      case 'cut':
        wire.open()
        return end(answer)
      default:
        step satisfies never
    }
  }
  await wire.finish(reason ?? (calls > 0 ? 'tool_calls' : 'stop'))
}

/** Deals a text out on a fixed timetable, so that a busy machine does not stretch it. */
async function deal(step: Step & { do: 'say' | 'think' }, wire: Wire, { signal, chunkMs }: Answer): Promise<void> {
  const pause = step.chunkMs ?? chunkMs
  let due = performance.now()
  let sent = 0
  for (const piece of pieces(step.text, step.chunkChars)) {
    await wire.text(step.do, piece)
    due += pause
    const left = due - performance.now()
    if (left > 0) await sleep(left, undefined, { signal })
    else if (++sent % BURST === 0) await setImmediate(undefined, { signal })
  }
}

async function stand(name: string, { gates, record, signal }: Answer): Promise<void> {
  record.gate = name
  try {
    await gates.pass(name, signal)
  } finally {
    record.gate = null
  }
}

/** Ends the response on the server's own account. A response that closes without this was left by its client. */
function end({ res, record }: Answer, how: 'end' | 'destroy' = 'end'): void {
  record.endedAt = now()
  res[how]()
}

function refuse({ status, message, type, code, retryAfter }: Step & { do: 'refuse' }, answer: Answer): void {
  const { res, record } = answer
  if (res.headersSent) return end(answer, 'destroy')
  record.status = status
  record.firstByteAt = now()
  record.endedAt = now()
  sendJson(
    res,
    status,
    errorBody(message, type, code),
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  )
}

/** The server-sent events of one completion. */
class Wire {
  readonly #answer: Answer
  readonly #head: object
  #first = true
  #callText = ''

  constructor(answer: Answer) {
    this.#answer = answer
    const { id, arrivedAt, body } = answer.record
    this.#head = {
      id: `chatcmpl-${id}`,
      object: 'chat.completion.chunk',
      created: Math.floor(arrivedAt / 1000),
      model: body.model,
    }
  }

  /** Sends the headers, once. */
  open(): void {
    const { res, record } = this.#answer
    if (res.headersSent) return
    res.writeHead(200, {
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-cache',
      'x-request-id': `scripted-${record.id}`,
    })
    res.flushHeaders()
    record.status = 200
  }

  async text(kind: 'say' | 'think', piece: string): Promise<void> {
    const { record } = this.#answer
    if (kind === 'say') record.text += piece
    else record.reasoning += piece
    await this.#delta(kind === 'say' ? { content: piece } : { content: null, reasoning_content: piece })
    record.lastTextAt = now()
  }

  async call(index: number, name: string, args: Record<string, unknown> | string): Promise<void> {
    const id = this.#answer.callId()
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    this.#callText += name + text
    await this.#delta({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })
    for (const piece of pieces(text, 24)) {
      await this.#delta({ tool_calls: [{ index, function: { arguments: piece } }] })
    }
  }

  async finish(reason: string): Promise<void> {
    const { record, tokens } = this.#answer
    const usage = usageBody(tokens, record.text + this.#callText, record.reasoning)
    record.usage = usage
    await this.#chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] })
    if (record.body.stream_options?.include_usage === true) await this.#chunk({ choices: [], usage })
    await this.data('[DONE]')
    end(this.#answer)
  }

  /** Writes one payload as it is, and waits while the client does not keep up. */
  async data(payload: string): Promise<void> {
    this.open()
    const { res, record, signal } = this.#answer
    record.firstByteAt ??= now()
    if (!res.write(`data: ${payload}\n\n`)) await once(res, 'drain', { signal })
  }

  async #delta(delta: object): Promise<void> {
    const first = this.#first ? { role: 'assistant' } : {}
    this.#first = false
    await this.#chunk({ choices: [{ index: 0, delta: { ...first, ...delta }, finish_reason: null }] })
  }

  async #chunk(part: object): Promise<void> {
    await this.data(JSON.stringify({ ...this.#head, ...part }))
  }
}
