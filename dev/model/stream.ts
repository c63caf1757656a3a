/** Does the steps of one answer on a response: pieces at their pace, tool calls, gates, and the ways to break.
 *  What the steps are is plan.ts, how an API writes them chat-wire.ts and responses-wire.ts. */

import { once } from 'node:events'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'

import { endAnswer } from './answer.ts'
import type { Answer, AnswerWire } from './answer.ts'
import type { Step } from './behaviours.ts'
import { errorBody, sendJson } from './http.ts'
import { now } from './journal.ts'
import { pieces } from './pieces.ts'

/** Pieces sent without a pause before other answers get their turn. */
const BURST = 64
/** Lets what was sent reach the client before the socket is destroyed. */
const BEFORE_RESET_MS = 30

/** Answers. Resolves when the response is over; rejects only when the signal aborts. */
export async function stream(steps: Step[], answer: Answer, wire: AnswerWire): Promise<void> {
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
        return endAnswer(answer, 'destroy')
      case 'cut':
        wire.open()
        return endAnswer(answer)
      default:
        step satisfies never
    }
  }
  await wire.finish(reason ?? (calls > 0 ? 'tool_calls' : 'stop'))
}

/** Deals a text out on a fixed timetable, so that a busy machine does not stretch it. */
async function deal(
  step: Step & { do: 'say' | 'think' },
  wire: AnswerWire,
  { signal, chunkMs }: Answer,
): Promise<void> {
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

function refuse({ status, message, type, code, retryAfter }: Step & { do: 'refuse' }, answer: Answer): void {
  const { res, record } = answer
  if (res.headersSent) return endAnswer(answer, 'destroy')
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
