/** Every request the server answered, with times. Owns the records and how many are kept. */

import type { Question } from './question.ts'
import type { Choice } from './rules.ts'
import type { ChatRequest } from './wire.ts'

/** Times are epoch milliseconds with fractions; null until it happened. */
export interface RecordedRequest {
  id: number
  kind: Question['kind']
  /** The behaviour's kind and who chose it. */
  behaviour: string
  by: Choice['by']
  arrivedAt: number
  /** First byte of the answer, a refusal's included. */
  firstByteAt: number | null
  /** Newest piece of text or thinking. */
  lastTextAt: number | null
  endedAt: number | null
  /** The client went before the answer was complete. */
  aborted: boolean
  status: number | null
  /** The gate it stands at right now. */
  gate: string | null
  /** The host's session id, from its request header. */
  sessionId: string | null
  /** The person's newest question, markers included. */
  lastUser: string
  /** What was streamed so far. */
  text: string
  reasoning: string
  usage: object | null
  body: ChatRequest
}

const MAX_RECORDS = 2000
const MAX_BYTES = 256 * 1024 * 1024

export class Journal {
  #records: { record: RecordedRequest; bytes: number }[] = []
  #lastId = 0

  /** Opens a record for a request of `bytes` bytes; whoever answers it fills in the rest. */
  open(
    parts: Pick<RecordedRequest, 'kind' | 'behaviour' | 'by' | 'arrivedAt' | 'sessionId' | 'lastUser' | 'body'>,
    bytes: number,
  ): RecordedRequest {
    const record: RecordedRequest = {
      id: ++this.#lastId,
      ...parts,
      firstByteAt: null,
      lastTextAt: null,
      endedAt: null,
      aborted: false,
      status: null,
      gate: null,
      text: '',
      reasoning: '',
      usage: null,
    }
    this.#records.push({ record, bytes })
    let total = this.#records.reduce((sum, entry) => sum + entry.bytes, 0)
    while (this.#records.length > 1 && (this.#records.length > MAX_RECORDS || total > MAX_BYTES)) {
      total -= this.#records.shift()?.bytes ?? 0
    }
    return record
  }

  /** Oldest first. The records are live; the list is a copy. */
  list(): RecordedRequest[] {
    return this.#records.map(({ record }) => record)
  }

  clear(): void {
    this.#records = []
  }
}

/** Now, in epoch milliseconds with fractions. */
export function now(): number {
  return performance.timeOrigin + performance.now()
}
