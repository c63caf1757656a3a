/** What arrives on the wire: the shape of a chat-completions request, as far as this server looks at it.
 *  Owns checking an unknown JSON value. What the request asks for is question.ts. */

import { Problem } from './http.ts'

export interface WireToolCall {
  id: string
  function: { name: string; arguments: string }
}

export interface WireMessage {
  role: string
  content?: string | { type: string; text?: string }[] | null
  tool_calls?: WireToolCall[]
  tool_call_id?: string
}

/** A request body. Fields this server never reads stay in it untouched, so that tests can look at them. */
export interface ChatRequest {
  model: string
  messages: WireMessage[]
  stream?: boolean
  stream_options?: { include_usage?: boolean }
  thinking?: { type?: string }
  tools?: { function: { name: string } }[]
  [field: string]: unknown
}

/** Narrows to a JSON object (not an array, not null). */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Checks a parsed body. Throws a 400 Problem that names the first wrong field. */
export function checkChatRequest(value: unknown): ChatRequest {
  if (!isRecord(value)) throw new Problem(400, 'the body must be a JSON object')
  if (typeof value['model'] !== 'string') throw new Problem(400, '"model" must be a string')
  if (value['stream'] !== true) throw new Problem(400, 'this server only streams: send "stream": true')
  const messages = value['messages']
  if (!Array.isArray(messages) || messages.length === 0) throw new Problem(400, '"messages" must be a non-empty array')
  messages.forEach((message: unknown, at) => checkMessage(message, `messages[${at}]`))
  const tools = value['tools'] ?? []
  if (!Array.isArray(tools)) throw new Problem(400, '"tools" must be an array')
  tools.forEach((tool: unknown, at) => {
    if (!isRecord(tool) || !isRecord(tool['function']) || typeof tool['function']['name'] !== 'string') {
      throw new Problem(400, `tools[${at}].function.name must be a string`)
    }
  })
  return value as ChatRequest
}

/** The text of a message; image and other parts count as nothing. */
export function textOf(message: WireMessage): string {
  const { content } = message
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => (part.type === 'text' ? (part.text ?? '') : '')).join('')
}

function checkMessage(message: unknown, path: string): void {
  if (!isRecord(message) || typeof message['role'] !== 'string') throw new Problem(400, `${path}.role must be a string`)
  const content = message['content']
  const readable = content == null || typeof content === 'string' || (Array.isArray(content) && content.every(isRecord))
  if (!readable) throw new Problem(400, `${path}.content must be a string or an array of parts`)
  const calls = message['tool_calls'] ?? []
  if (!Array.isArray(calls)) throw new Problem(400, `${path}.tool_calls must be an array`)
  for (const call of calls as unknown[]) {
    if (!isRecord(call) || typeof call['id'] !== 'string' || !isRecord(call['function'])) {
      throw new Problem(400, `${path}.tool_calls needs { id, function } entries`)
    }
  }
}
