/** What the scripted model can be told to do, and the check of such an order when it arrives as JSON.
 *  Owns the shapes. How each one becomes an answer is plan.ts. */

import { isRecord } from './wire.ts'

/** How text is dealt out: milliseconds per piece (default 25), characters per piece (default a few words), and
 *  milliseconds of silence before the first byte. */
export interface Pace {
  chunkMs?: number
  chunkChars?: number
  delayMs?: number
}

export interface ToolOrder {
  name: string
  /** An object, or a raw string to send arguments that are not JSON. Default {}. */
  arguments?: Record<string, unknown> | string
}

/** What follows: a text, or any behaviour. */
export type Next = string | Behaviour

export type Step =
  | { do: 'say' | 'think'; text: string; chunkMs?: number; chunkChars?: number }
  | { do: 'call'; name: string; arguments?: Record<string, unknown> | string }
  | { do: 'wait'; ms: number }
  | { do: 'gate'; name: string }
  | { do: 'raw'; data: string }
  | { do: 'refuse'; status: number; message: string; type: string; code: string | null; retryAfter?: number }
  | { do: 'finish'; reason: string }
  | { do: 'hang' }
  | { do: 'reset' }
  | { do: 'cut' }

export type Behaviour =
  | ({ kind: 'plain'; text?: string; finish?: string } & Pace)
  | { kind: 'slow'; text?: string; totalMs?: number }
  | ({ kind: 'reasoning'; reasoning?: string; text?: string } & Pace)
  | ({ kind: 'tool'; calls: ToolOrder[]; reasoning?: string; text?: string; insist?: boolean; after?: Next } & Pace)
  | { kind: 'write-tool'; path?: string; content?: string; after?: Next }
  | { kind: 'unknown-tool'; name?: string; after?: Next }
  | { kind: 'nested'; via?: 'run_code' | 'workflow' | 'subagent'; inner?: ToolOrder; after?: Next }
  | ({ kind: 'long'; kB?: number } & Pace)
  | { kind: 'stall'; text?: string }
  | { kind: 'reset'; text?: string }
  | { kind: 'cut'; text?: string }
  | { kind: 'malformed'; text?: string }
  | { kind: 'status'; status: number; message?: string; type?: string; code?: string; retryAfter?: number }
  | { kind: 'overflow'; dialect?: 'deepseek' | 'openai' }
  | { kind: 'gate'; name: string; before?: string; after?: Next }
  | { kind: 'steps'; steps: Step[]; after?: Next }
  | { kind: 'report' }
  | { kind: 'play' }

/** A complaint in words, or undefined when the value is fine. */
type Check = (value: unknown, path: string) => string | undefined
type Fields = Record<string, Check | [Check]>

const text: Check = (value, path) => (typeof value === 'string' ? undefined : `${path} must be a string`)
const count: Check = (value, path) =>
  typeof value === 'number' && Number.isFinite(value) && value >= 0
    ? undefined
    : `${path} must be a number of at least 0`
const pieces: Check = (value, path) =>
  Number.isInteger(value) && (value as number) > 0 ? undefined : `${path} must be a whole number above 0`
const status: Check = (value, path) =>
  Number.isInteger(value) && (value as number) >= 400 && (value as number) < 600
    ? undefined
    : `${path} must be a status from 400 to 599`
const args: Check = (value, path) =>
  isRecord(value) || typeof value === 'string' ? undefined : `${path} must be an object or a string`
const flag: Check = (value, path) => (typeof value === 'boolean' ? undefined : `${path} must be true or false`)
const orNull: Check = (value, path) => (value === null ? undefined : text(value, path))
const next: Check = (value, path) => (typeof value === 'string' ? undefined : checkBehaviour(value, path))
const order: Check = (value, path) => checkFields(value, path, { name: [text], arguments: args })
const oneOf =
  (...words: string[]): Check =>
  (value, path) =>
    words.includes(value as string) ? undefined : `${path} must be one of ${words.join(', ')}`
const listOf =
  (check: Check): Check =>
  (value, path) => {
    if (!Array.isArray(value) || value.length === 0) return `${path} must be a non-empty array`
    return value.map((entry, at) => check(entry, `${path}[${at}]`)).find((complaint) => complaint !== undefined)
  }

const pace: Fields = { chunkMs: count, chunkChars: pieces, delayMs: count }

/** Fields by `do`. A check in brackets is required. */
const STEPS: Record<Step['do'], Fields> = {
  say: { text: [text], chunkMs: count, chunkChars: pieces },
  think: { text: [text], chunkMs: count, chunkChars: pieces },
  call: { name: [text], arguments: args },
  wait: { ms: [count] },
  gate: { name: [text] },
  raw: { data: [text] },
  refuse: { status: [status], message: [text], type: [text], code: [orNull], retryAfter: count },
  finish: { reason: [text] },
  hang: {},
  reset: {},
  cut: {},
}

const step: Check = (value, path) => checkUnion(value, path, 'do', STEPS)

/** Fields by `kind`. A check in brackets is required. */
const BEHAVIOURS: Record<Behaviour['kind'], Fields> = {
  plain: { text, finish: text, ...pace },
  slow: { text, totalMs: count },
  reasoning: { reasoning: text, text, ...pace },
  tool: { calls: [listOf(order)], reasoning: text, text, insist: flag, after: next, ...pace },
  'write-tool': { path: text, content: text, after: next },
  'unknown-tool': { name: text, after: next },
  nested: { via: oneOf('run_code', 'workflow', 'subagent'), inner: order, after: next },
  long: { kB: count, ...pace },
  stall: { text },
  reset: { text },
  cut: { text },
  malformed: { text },
  status: { status: [status], message: text, type: text, code: text, retryAfter: count },
  overflow: { dialect: oneOf('deepseek', 'openai') },
  gate: { name: [text], before: text, after: next },
  steps: { steps: [listOf(step)], after: next },
  report: {},
  play: {},
}

/** Checks a behaviour from outside. Returns the first complaint in words, or undefined: then it is a Behaviour. */
export function checkBehaviour(value: unknown, path: string): string | undefined {
  return checkUnion(value, path, 'kind', BEHAVIOURS)
}

function checkUnion(value: unknown, path: string, tag: string, table: Record<string, Fields>): string | undefined {
  if (!isRecord(value)) return `${path} must be an object`
  const name = value[tag]
  const fields = typeof name === 'string' && Object.hasOwn(table, name) ? table[name] : undefined
  if (fields === undefined) return `${path}.${tag} must be one of ${Object.keys(table).join(', ')}`
  return checkFields(value, path, { ...fields, [tag]: text })
}

/** Unknown fields are a complaint too: a misspelt option that does nothing costs an afternoon. */
function checkFields(value: unknown, path: string, fields: Fields): string | undefined {
  if (!isRecord(value)) return `${path} must be an object`
  const stranger = Object.keys(value).find((key) => !Object.hasOwn(fields, key))
  if (stranger !== undefined) return `${path} has no field "${stranger}" (it has ${Object.keys(fields).join(', ')})`
  for (const [key, field] of Object.entries(fields)) {
    const required = Array.isArray(field)
    if (value[key] === undefined && !required) continue
    const complaint = (required ? field[0] : field)(value[key], `${path}.${key}`)
    if (complaint !== undefined) return complaint
  }
  return undefined
}
