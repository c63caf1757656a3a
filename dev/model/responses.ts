/** Reads a request of the Responses API as the chat request that it amounts to, so that questions, rules and play
 *  are the same for both. Pure. */

import { Problem } from './http.ts'
import { isRecord } from './wire.ts'
import type { ChatRequest, WireMessage } from './wire.ts'

/** The request with `messages` and chat-shaped `tools` beside its own fields (`input` stays as it was sent). */
export function readResponsesRequest(value: unknown): ChatRequest {
  if (!isRecord(value)) throw new Problem(400, 'the body must be a JSON object')
  if (typeof value['model'] !== 'string') throw new Problem(400, '"model" must be a string')
  if (value['stream'] !== true) throw new Problem(400, 'this server only streams: send "stream": true')
  const input = value['input']
  if (!Array.isArray(input) || !input.every(isRecord)) throw new Problem(400, '"input" must be an array of items')
  return { ...value, model: value['model'], messages: messagesOf(input), tools: toolsOf(value['tools']) }
}

function messagesOf(input: readonly Record<string, unknown>[]): WireMessage[] {
  const messages: WireMessage[] = []
  for (const item of input) {
    const type = item['type']
    if (type === 'message' || (type === undefined && typeof item['role'] === 'string')) {
      messages.push({ role: String(item['role']), content: textIn(item['content']) })
    } else if (type === 'function_call' || type === 'custom_tool_call') {
      const args = item['arguments'] ?? item['input']
      const call = {
        id: String(item['call_id']),
        function: { name: String(item['name']), arguments: typeof args === 'string' ? args : '' },
      }
      messages.push({ role: 'assistant', content: null, tool_calls: [call] })
    } else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
      messages.push({ role: 'tool', tool_call_id: String(item['call_id']), content: textIn(item['output']) })
    }
  }
  return messages
}

function textIn(content: unknown): string {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return content === undefined ? '' : JSON.stringify(content)
  return content
    .map((part: unknown) => (isRecord(part) && typeof part['text'] === 'string' ? part['text'] : ''))
    .join('')
}

function toolsOf(tools: unknown): { function: { name: string } }[] {
  if (!Array.isArray(tools)) return []
  return tools.flatMap((tool: unknown) => {
    if (!isRecord(tool)) return []
    const inner = toolsOf(tool['tools'])
    const name = String(tool['name'] ?? tool['type'])
    return inner.length === 0
      ? [{ function: { name } }]
      : inner.map((one) => ({ function: { name: `${name}/${one.function.name}` } }))
  })
}
