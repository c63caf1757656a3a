/** Token counts of an answer, with a simulated provider prefix cache: 4 bytes are a token, blocks of 64 tokens. */

import type { ChatRequest } from './wire.ts'

const BYTES_PER_TOKEN = 4
const BLOCK_BYTES = 64 * BYTES_PER_TOKEN
/** Remembered blocks, about 100 MB of requests; beyond that the oldest are forgotten. */
const MAX_BLOCKS = 400_000

export interface PromptTokens {
  prompt: number
  cached: number
}

/** Remembers what was asked before. A request hits as many whole blocks as its beginning (model, tools, then
 *  messages) shares with any earlier request. */
export class PrefixCache {
  readonly #blocks = new Set<number>()

  /** Counts a request of `bodyBytes` bytes, then remembers it. */
  count(request: ChatRequest, bodyBytes: number): PromptTokens {
    const keys = blockKeys(request)
    const miss = keys.findIndex((key) => !this.#blocks.has(key))
    const hits = miss === -1 ? keys.length : miss
    for (const key of keys) this.#blocks.add(key)
    for (const key of this.#blocks) {
      if (this.#blocks.size <= MAX_BLOCKS) break
      this.#blocks.delete(key)
    }
    const cached = (hits * BLOCK_BYTES) / BYTES_PER_TOKEN
    return { prompt: Math.max(Math.ceil(bodyBytes / BYTES_PER_TOKEN), cached), cached }
  }

  clear(): void {
    this.#blocks.clear()
  }
}

/** The `usage` object, in both spellings of the cache figures (DeepSeek's and OpenAI's). */
export function usageBody({ prompt, cached }: PromptTokens, text: string, reasoning: string): object {
  const thought = tokensIn(reasoning)
  const completion = tokensIn(text) + thought
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_cache_hit_tokens: cached,
    prompt_cache_miss_tokens: prompt - cached,
    prompt_tokens_details: { cached_tokens: cached },
    completion_tokens_details: { reasoning_tokens: thought },
  }
}

function tokensIn(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN)
}

/** One key per whole block. Each depends on every byte before it, so that equal keys mean equal beginnings. */
function blockKeys(request: ChatRequest): number[] {
  const bytes = Buffer.from(
    `${request.model}\n${JSON.stringify(request.tools ?? [])}\n${JSON.stringify(request.messages)}`,
  )
  const keys: number[] = []
  let high = 0x811c9dc5
  let low = 0x9747b28c
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0
    high = Math.imul(high ^ byte, 0x01000193)
    low = Math.imul(low ^ byte, 0x85ebca6b) ^ (low >>> 13)
    if ((at + 1) % BLOCK_BYTES === 0) keys.push((high >>> 0) * 0x200000 + (low & 0x1fffff))
  }
  return keys
}
