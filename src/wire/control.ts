/** Control messages of a client to the host half, as they ride inside the input of our own commands (I8, D3).
 *  Shape: one separator, PREFIX, one line of JSON, and for open and send a newline and the literal text.
 *  A message counts as control only when it is exactly of this shape and its secret is right; everything else,
 *  this prefix included, is a question. */

import type { ModelRoute, SideKind } from '../core/contract.ts'
import type { Scope } from '../core/ladder.ts'

/** Invisible separators that no keyboard types; not a secret. */
export const PREFIX = '\u2063\u2062sidemind\u2062\u2063'

type Message =
  | {
      readonly op: 'open'
      readonly side: string
      readonly secret: string
      readonly request: string
      readonly turn: string
      readonly kind: SideKind
      readonly page: string
      readonly route?: ModelRoute
      /** How much of main to take along at most; left out, as much as fits. */
      readonly scope?: Scope
      readonly text: string
    }
  | {
      readonly op: 'send'
      readonly side: string
      readonly secret: string
      readonly turn: string
      readonly route?: ModelRoute
      /** The turn of which this is another attempt. */
      readonly instead?: string
      /** Main's turns since are told beside it. */
      readonly catchUp?: true
      readonly text: string
    }
  | { readonly op: 'cancel'; readonly side: string; readonly secret: string; readonly turn: string }
  | {
      readonly op: 'respond'
      readonly side: string
      readonly secret: string
      readonly turn: string
      readonly request: string
      readonly response: unknown
    }
  /** A `/btw` goes on as a `/side`. */
  | { readonly op: 'promote'; readonly side: string; readonly secret: string }
  | { readonly op: 'close'; readonly side: string; readonly secret: string; readonly keep: number }
  | { readonly op: 'reopen'; readonly side: string; readonly secret: string }
  | { readonly op: 'touch'; readonly side: string; readonly secret: string; readonly visible: boolean }
  /** Facts of a side; binds it to the page that asks, which is the one to live for from now on. */
  | { readonly op: 'facts'; readonly side: string; readonly secret: string; readonly page: string }
  /** Held open by the page for as long as it lives: answered only when a side of it ends, or to be renewed (D7). */
  | { readonly op: 'hold'; readonly side: string; readonly secret: string; readonly page: string }
  /** Takes over a side that a plain command opened, once, by the client that sent it. */
  | { readonly op: 'claim'; readonly side: string; readonly secret: string }

/** `boot` names the life of the host half that the client knows the side from. A message from another life (the host was
 *  restarted since) is late, and is answered as late without a look at its secret: it must not become a question. */
export type Control = Message & { readonly boot?: string }

type Op = Control['op']
type Check = (value: unknown) => boolean

const ID = /^[A-Za-z0-9-]{8,64}$/
/** 256 random bits in base64url. */
const SECRET = /^[A-Za-z0-9_-]{43}$/
/** A longer line of JSON is no control message: it would be taken for a question. */
export const CONTROL_CHARS = 16_384

const isId: Check = (value) => typeof value === 'string' && ID.test(value)
const isSecret: Check = (value) => typeof value === 'string' && SECRET.test(value)
const isKind: Check = (value) => value === 'btw' || value === 'side'
const isBoolean: Check = (value) => typeof value === 'boolean'
const isMs: Check = (value) => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0
const isAny: Check = (value) => value !== undefined
const isName: Check = (value) => typeof value === 'string' && value.length > 0 && value.length <= 256
const isRoute: Check = (value) =>
  value === undefined ||
  (isObject(value) &&
    isName(value['provider']) &&
    isName(value['model']) &&
    (value['effort'] === undefined || isName(value['effort'])) &&
    Object.keys(value).every((key) => key === 'provider' || key === 'model' || key === 'effort'))

const isScope: Check = (value) => {
  if (value === undefined) return true
  if (!isObject(value)) return false
  const { kind, turns, ...more } = value
  if (Object.keys(more).length > 0) return false
  if (kind === 'turns') return typeof turns === 'number' && Number.isSafeInteger(turns) && turns > 0
  return (kind === 'all' || kind === 'compaction' || kind === 'digest') && !Object.hasOwn(value, 'turns')
}

/** Every field of every operation besides `op`, `side` and `secret`; a message with another field is a question. */
const FIELDS: Record<Op, Readonly<Record<string, Check>>> = {
  open: { request: isId, turn: isId, kind: isKind, page: isId, route: isRoute, scope: isScope },
  send: {
    turn: isId,
    route: isRoute,
    instead: (value) => value === undefined || isId(value),
    catchUp: (value) => value === undefined || value === true,
  },
  cancel: { turn: isId },
  respond: { turn: isId, request: isName, response: isAny },
  promote: {},
  close: { keep: isMs },
  reopen: {},
  touch: { visible: isBoolean },
  facts: { page: isId },
  hold: { page: isId },
  claim: {},
}
const CARRIES_TEXT: ReadonlySet<Op> = new Set(['open', 'send'])
const COMMON: ReadonlySet<string> = new Set(['op', 'side', 'secret'])
/** Operations that introduce a side: nothing of it can be late. */
const INTRODUCES: ReadonlySet<Op> = new Set(['open', 'claim'])

/** The input of a command that carries `control`, with its leading separator. */
export function encodeControl(control: Control): string {
  if (control.op === 'open' || control.op === 'send') {
    const { text, ...header } = control
    return ` ${PREFIX}${JSON.stringify(header)}\n${text}`
  }
  return ` ${PREFIX}${JSON.stringify(control)}`
}

/** The control message in a command's raw input, or null when it is anything else. Never throws. */
export function decodeControl(rawInput: string): Control | null {
  const body = rawInput.slice(1)
  if (!body.startsWith(PREFIX)) return null
  const rest = body.slice(PREFIX.length)
  const newline = rest.indexOf('\n')
  const line = newline < 0 ? rest : rest.slice(0, newline)
  if (line.length > CONTROL_CHARS) return null
  let header: unknown
  try {
    header = JSON.parse(line)
  } catch {
    return null
  }
  if (!isObject(header) || !isOp(header['op']) || !isId(header['side']) || !isSecret(header['secret'])) return null
  const op = header['op']
  const fields = FIELDS[op]
  for (const key of Object.keys(header)) {
    if (!(COMMON.has(key) || (key === 'boot' && !INTRODUCES.has(op)) || Object.hasOwn(fields, key))) return null
  }
  for (const [key, check] of Object.entries(fields)) if (!check(header[key])) return null
  if (header['boot'] !== undefined && !isId(header['boot'])) return null
  if (CARRIES_TEXT.has(op) !== newline >= 0) return null
  return (newline < 0 ? header : { ...header, text: rest.slice(newline + 1) }) as Control
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOp(value: unknown): value is Op {
  return typeof value === 'string' && Object.hasOwn(FIELDS, value)
}
