/** The plain HTTP part: bodies in (bounded), JSON out, and the error every wrong request ends as. */

import type { IncomingMessage, ServerResponse } from 'node:http'

/** A refusal in words. `status` is the HTTP status, the message is what the caller reads. */
export class Problem extends Error {
  readonly status: number
  constructor(status: number, message: string) {
    super(message)
    this.status = status
  }
}

/** Reads a JSON body of at most `limit` bytes. Throws a Problem: 413 when larger, 400 when it is not JSON. */
export async function readJson(req: IncomingMessage, limit: number): Promise<{ value: unknown; bytes: number }> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of req as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes <= limit) parts.push(part)
  }
  // Read to the end before refusing: a client that is still sending would not see the answer.
  if (bytes > limit) throw new Problem(413, `the body is larger than ${limit} bytes`)
  const text = Buffer.concat(parts).toString('utf8')
  if (text.trim() === '') throw new Problem(400, 'the body is empty: send JSON')
  try {
    return { value: JSON.parse(text) as unknown, bytes }
  } catch (error) {
    throw new Problem(400, `the body is not JSON: ${error instanceof Error ? error.message : String(error)}`)
  }
}

/** Answers with JSON and ends the response. */
export function sendJson(
  res: ServerResponse,
  status: number,
  value: unknown,
  headers: Record<string, string> = {},
): void {
  const body = JSON.stringify(value)
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers })
  res.end(body)
}

/** The error body of OpenAI and DeepSeek. */
export function errorBody(message: string, type: string, code: string | null): object {
  return { error: { message, type, param: null, code } }
}
