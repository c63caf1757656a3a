/** Chat completions as server-sent events. */

import { endAnswer, openStream, sendEvent } from './answer.ts'
import type { Answer, AnswerWire } from './answer.ts'
import { now } from './journal.ts'
import { pieces } from './pieces.ts'
import { usageBody } from './usage.ts'

export class ChatWire implements AnswerWire {
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

  open(): void {
    openStream(this.#answer)
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
    endAnswer(this.#answer)
  }

  data(payload: string): Promise<void> {
    return sendEvent(this.#answer, payload)
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
