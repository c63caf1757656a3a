/** Compares two requests as a provider's prompt cache does: from the first byte on, parameters, then tools, then messages.
 *  Says how much is equal and, where it stops, at what. Pure. */

/** A chat request as it was on the wire. */
export interface WireRequest {
  readonly tools?: readonly { readonly function: { readonly name: string } }[]
  readonly messages: readonly { readonly role: string; readonly content?: unknown }[]
}

export interface Prefix {
  /** Bytes that both begin with, of the `of` bytes of the first request. */
  readonly common: number
  readonly of: number
  /** Null when all of the first request is at the beginning of the second, else where the two part. */
  readonly difference: string | null
}

interface Part {
  readonly name: string
  readonly text: string
}

const EXCERPT = 40

/** How much of `first`, up to its message `until` (all of them by default), is the beginning of `second`. */
export function commonPrefix(first: WireRequest, second: WireRequest, until = first.messages.length): Prefix {
  const parts = partsOf(first).slice(0, 2 + (first.tools?.length ?? 0) + until)
  const others = partsOf(second)
  const of = parts.reduce((sum, { text }) => sum + Buffer.byteLength(text), 0)
  let common = 0
  for (const [at, part] of parts.entries()) {
    const other = others[at] ?? { name: 'nothing', text: '' }
    if (part.text === other.text) {
      common += Buffer.byteLength(part.text)
      continue
    }
    const index = firstDifference(part.text, other.text)
    common += Buffer.byteLength(part.text.slice(0, index))
    return {
      common,
      of,
      difference: `${part.name}, byte ${common} of ${of}: ${around(part, index)} | ${around(other, index)}`,
    }
  }
  return { common, of, difference: null }
}

/** What the cache is keyed by, in the order of a provider: whatever differs in a part makes everything behind it new. */
function partsOf({ messages, tools = [], ...parameters }: WireRequest): Part[] {
  return [
    { name: 'parameters', text: JSON.stringify(parameters) },
    ...tools.map((tool) => ({ name: `tool ${tool.function.name}`, text: JSON.stringify(tool) })),
    { name: 'the end of the tools', text: `${tools.length} tools` },
    ...messages.map((message, at) => ({ name: `message ${at} (${message.role})`, text: JSON.stringify(message) })),
  ]
}

function firstDifference(one: string, other: string): number {
  const end = Math.min(one.length, other.length)
  for (let at = 0; at < end; at += 1) if (one[at] !== other[at]) return at
  return end
}

function around({ text }: Part, at: number): string {
  return JSON.stringify(text.slice(Math.max(0, at - EXCERPT), at + EXCERPT))
}
