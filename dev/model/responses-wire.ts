/** The Responses API as server-sent events, as far as Codex reads it. */

import { endAnswer, openStream, sendEvent } from './answer.ts'
import type { Answer, AnswerWire } from './answer.ts'
import { now } from './journal.ts'
import { usageBody } from './usage.ts'

type Part = { kind: 'say' | 'think'; id: string; at: number; text: string }

export class ResponsesWire implements AnswerWire {
  readonly #answer: Answer
  readonly #id: string
  #began = false
  #items = 0
  #part: Part | null = null
  #callText = ''

  constructor(answer: Answer) {
    this.#answer = answer
    this.#id = `resp_${answer.record.id}`
  }

  open(): void {
    openStream(this.#answer)
  }

  async text(kind: 'say' | 'think', piece: string): Promise<void> {
    const { record } = this.#answer
    if (kind === 'say') record.text += piece
    else record.reasoning += piece
    const part = await this.#partOf(kind)
    part.text += piece
    const place = { item_id: part.id, output_index: part.at }
    await (kind === 'say'
      ? this.#event('response.output_text.delta', { ...place, content_index: 0, delta: piece })
      : this.#event('response.reasoning_summary_text.delta', { ...place, summary_index: 0, delta: piece }))
    record.lastTextAt = now()
  }

  async call(_index: number, name: string, args: Record<string, unknown> | string): Promise<void> {
    await this.#endPart()
    const text = typeof args === 'string' ? args : JSON.stringify(args)
    this.#callText += name + text
    const [namespace, inner] = name.includes('/') ? (name.split('/', 2) as [string, string]) : [undefined, name]
    // What is not JSON is a call of a free-form tool (apply_patch).
    const custom = typeof args === 'string'
    const item = {
      type: custom ? 'custom_tool_call' : 'function_call',
      id: `${custom ? 'ctc' : 'fc'}_${this.#answer.record.id}_${this.#items}`,
      call_id: this.#answer.callId(),
      name: inner,
      ...(namespace === undefined ? {} : { namespace }),
      ...(custom ? { input: text } : { arguments: text }),
    }
    const at = this.#items++
    await this.#event('response.output_item.added', { output_index: at, item })
    await this.#event('response.output_item.done', { output_index: at, item })
  }

  async finish(_reason: string): Promise<void> {
    await this.#endPart()
    const { record, tokens } = this.#answer
    const counted = usageBody(tokens, record.text + this.#callText, record.reasoning)
    record.usage = counted
    const { prompt_tokens, completion_tokens, total_tokens, prompt_tokens_details, completion_tokens_details } =
      counted as Record<string, unknown>
    const usage = {
      input_tokens: prompt_tokens,
      input_tokens_details: prompt_tokens_details,
      output_tokens: completion_tokens,
      output_tokens_details: completion_tokens_details,
      total_tokens,
    }
    await this.#event('response.completed', { response: { id: this.#id, usage } })
    endAnswer(this.#answer)
  }

  async data(payload: string): Promise<void> {
    await this.#begin()
    await sendEvent(this.#answer, payload)
  }

  async #partOf(kind: Part['kind']): Promise<Part> {
    if (this.#part?.kind === kind) return this.#part
    await this.#endPart()
    const at = this.#items++
    const part: Part = { kind, id: `${kind === 'say' ? 'msg' : 'rs'}_${this.#answer.record.id}_${at}`, at, text: '' }
    this.#part = part
    const item =
      kind === 'say'
        ? { type: 'message', id: part.id, role: 'assistant', status: 'in_progress', content: [] }
        : { type: 'reasoning', id: part.id, summary: [] }
    await this.#event('response.output_item.added', { output_index: at, item })
    const place = { item_id: part.id, output_index: at }
    await (kind === 'say'
      ? this.#event('response.content_part.added', {
          ...place,
          content_index: 0,
          part: { type: 'output_text', text: '' },
        })
      : this.#event('response.reasoning_summary_part.added', {
          ...place,
          summary_index: 0,
          part: { type: 'summary_text', text: '' },
        }))
    return part
  }

  async #endPart(): Promise<void> {
    const part = this.#part
    if (part === null) return
    this.#part = null
    const { id, at, text } = part
    const place = { item_id: id, output_index: at }
    if (part.kind === 'say') {
      const content = [{ type: 'output_text', text, annotations: [] }]
      const item = { type: 'message', id, role: 'assistant', status: 'completed', content }
      await this.#event('response.output_text.done', { ...place, content_index: 0, text })
      await this.#event('response.output_item.done', { output_index: at, item })
    } else {
      const item = { type: 'reasoning', id, summary: [{ type: 'summary_text', text }] }
      await this.#event('response.reasoning_summary_text.done', { ...place, summary_index: 0, text })
      await this.#event('response.output_item.done', { output_index: at, item })
    }
  }

  async #begin(): Promise<void> {
    if (this.#began) return
    this.#began = true
    await sendEvent(
      this.#answer,
      JSON.stringify({ type: 'response.created', response: { id: this.#id } }),
      'response.created',
    )
  }

  async #event(type: string, fields: object): Promise<void> {
    await this.#begin()
    await sendEvent(this.#answer, JSON.stringify({ type, ...fields }), type)
  }
}
