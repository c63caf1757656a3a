/** Orders inside a question: `[[slow 5]]`, `[[tool:read {"file_path":"README.md"}]]`. Pure.
 *  Double brackets that name no known order are ordinary text. */

import { checkBehaviour } from './behaviours.ts'
import type { Behaviour, ToolOrder } from './behaviours.ts'
import { isRecord } from './wire.ts'

export interface Marked {
  behaviour?: Behaviour
  /** Written `[[!…]]`: wins over the rules too. */
  forced: boolean
  /** The text without its markers. */
  rest: string
}

interface Marker {
  forced: boolean
  name: string
  sub: string
  word: string
  json?: unknown
}

/** A marker's plain argument, as fields. `{…}` arguments give the fields themselves. */
const POSITIONAL: Record<string, (word: string) => Record<string, unknown>> = {
  plain: (word) => (word === '' ? {} : { text: word }),
  slow: (word) => (word === '' ? {} : { totalMs: Number(word) * 1000 }),
  reasoning: () => ({}),
  'write-tool': (word) => (word === '' ? {} : { path: word }),
  'unknown-tool': (word) => (word === '' ? {} : { name: word }),
  nested: (word) => (word === '' ? {} : { via: word }),
  long: (word) => (word === '' ? {} : { kB: Number(word) }),
  stall: () => ({}),
  reset: () => ({}),
  cut: () => ({}),
  malformed: () => ({}),
  status: (word) => ({ status: Number(word) }),
  overflow: (word) => (word === '' ? {} : { dialect: word }),
  gate: (word) => ({ name: word }),
}

const ALIAS: Record<string, string> = { write: 'write-tool', unknown: 'unknown-tool' }

/** Reads the markers of a text. Several `tool:` markers are one step with several calls; otherwise the first
 *  marker counts. A known marker that cannot be understood becomes an answer that says why. */
export function readMarkers(text: string): Marked {
  const { markers, rest } = scan(text)
  const first = markers[0]
  if (first === undefined) return { forced: false, rest }
  try {
    return { behaviour: toBehaviour(first, markers), forced: first.forced, rest }
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error)
    return {
      behaviour: { kind: 'plain', text: `I could not read the marker \`[[${first.name}]]\`: ${why}.` },
      forced: first.forced,
      rest,
    }
  }
}

function toBehaviour(first: Marker, markers: Marker[]): Behaviour {
  if (first.name === 'tool')
    return { kind: 'tool', calls: markers.filter(({ name }) => name === 'tool').map(toolOrder) }
  const fields = first.json ?? POSITIONAL[first.name]?.(first.word)
  if (!isRecord(fields)) throw new Error('its argument must be a JSON object')
  const behaviour = { ...fields, kind: first.name }
  const complaint = checkBehaviour(behaviour, first.name)
  if (complaint !== undefined) throw new Error(complaint)
  return behaviour as Behaviour
}

function toolOrder({ sub, word, json }: Marker): ToolOrder {
  if (sub === '') throw new Error('name the tool, as in [[tool:read {"file_path":"README.md"}]]')
  if (json === undefined) return { name: sub, arguments: word === '' ? {} : word }
  if (!isRecord(json)) throw new Error('tool arguments must be a JSON object')
  return { name: sub, arguments: json }
}

function scan(text: string): { markers: Marker[]; rest: string } {
  const markers: Marker[] = []
  let rest = ''
  let from = 0
  for (const match of text.matchAll(/\[\[(!?)([a-z][a-z-]*|\d{3})(?::([\w.-]+))?(?=[\s{\]])\s*/g)) {
    const name = /^\d/.test(match[2] ?? '') ? 'status' : (ALIAS[match[2] ?? ''] ?? match[2] ?? '')
    if (match.index < from || (name !== 'tool' && !Object.hasOwn(POSITIONAL, name))) continue
    const start = match.index + match[0].length
    const end = argumentEnd(text, start)
    if (end === -1) continue
    const argument = text.slice(start, end).trim()
    const marker: Marker = { forced: match[1] === '!', name, sub: match[3] ?? '', word: argument }
    if (/^\d/.test(match[2] ?? '')) marker.word = match[2] ?? ''
    if (argument.startsWith('{')) marker.json = parseOrUndefined(argument)
    markers.push(marker)
    rest += text.slice(from, match.index)
    from = end + 2
  }
  if (markers.length === 0) return { markers, rest: text }
  return { markers, rest: (rest + text.slice(from)).replace(/ {2,}/g, ' ').trim() }
}

/** Where the closing `]]` begins; brackets inside a JSON argument do not close it. -1 when nothing does. */
function argumentEnd(text: string, start: number): number {
  if (text[start] !== '{') return text.indexOf(']]', start)
  for (let at = text.indexOf('}', start); at !== -1; at = text.indexOf('}', at + 1)) {
    if (/^\s*\]\]/.test(text.slice(at + 1, at + 20)) && parseOrUndefined(text.slice(start, at + 1)) !== undefined) {
      return text.indexOf(']]', at + 1)
    }
  }
  return text.indexOf(']]', start)
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
