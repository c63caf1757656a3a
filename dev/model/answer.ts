/** One answer on its socket: what it needs, and the ways to begin, feed and end an event stream.
 *  What stands in the events is chat-wire.ts or responses-wire.ts. */

import { once } from 'node:events'
import type { ServerResponse } from 'node:http'

import type { Gates } from './gates.ts'
import { now } from './journal.ts'
import type { RecordedRequest } from './journal.ts'
import type { PromptTokens } from './usage.ts'

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

/** One API's way to write an answer. */
export interface AnswerWire {
  text(kind: 'say' | 'think', piece: string): Promise<void>
  call(index: number, name: string, args: Record<string, unknown> | string): Promise<void>
  finish(reason: string): Promise<void>
  /** Sends the headers, once. */
  open(): void
  /** One payload as it is. */
  data(payload: string): Promise<void>
}

/** Sends the headers of an event stream, once. */
export function openStream({ res, record }: Answer): void {
  if (res.headersSent) return
  res.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'x-request-id': `scripted-${record.id}`,
  })
  res.flushHeaders()
  record.status = 200
}

/** Writes one event, and waits while the client does not keep up. */
export async function sendEvent(answer: Answer, payload: string, event?: string): Promise<void> {
  openStream(answer)
  const { res, record, signal } = answer
  record.firstByteAt ??= now()
  const head = event === undefined ? '' : `event: ${event}\n`
  if (!res.write(`${head}data: ${payload}\n\n`)) await once(res, 'drain', { signal })
}

/** Ends the response on the server's own account. A response that closes without this was left by its client. */
export function endAnswer({ res, record }: Answer, how: 'end' | 'destroy' = 'end'): void {
  record.endedAt = now()
  res[how]()
}
