/** What our commands answer with. Results are stored in the parent's log and shown to every tab, so they hold ids,
 *  codes and counts, never a question, an answer or a secret (I4, D3). */

import type { SideKind } from '../core/contract.ts'
import { DEFAULT_LIMITS, type Limits } from '../core/limits.ts'
import { isSideErrorCode, type SideErrorCode } from '../core/errors.ts'
import type { Rung, Scope } from '../core/ladder.ts'

const START = /^sidemind:(btw|side):([A-Za-z0-9-]{8,64})$/
const REPLY = 'sidemind:reply:'
const CODE = /\(([a-z_]+)\)$/

/** Text of the result of a command that opened a side. */
export function startToken(kind: SideKind, sideId: string): string {
  return `sidemind:${kind}:${sideId}`
}

/** The side that a result names, or null for any other text. */
export function parseStartToken(text: string | undefined): { readonly kind: SideKind; readonly sideId: string } | null {
  const match = text === undefined ? null : START.exec(text)
  return match === null ? null : { kind: match[1] as SideKind, sideId: match[2] as string }
}

/** Text of the result of a control message. */
export function replyToken(value: unknown): string {
  return `${REPLY}${JSON.stringify(value)}`
}

/** The value of a control message's result, or undefined for any other text. */
export function parseReply(text: string | undefined): unknown {
  if (text === undefined || !text.startsWith(REPLY)) return undefined
  try {
    return JSON.parse(text.slice(REPLY.length)) as unknown
  } catch {
    return undefined
  }
}

/** Text of a refused command: a sentence that stands on its own, and the code for clients that translate it. */
export function errorText(code: SideErrorCode, sentence: string): string {
  return `${sentence} (${code})`
}

/** The code at the end of an error text, or null. */
export function parseErrorCode(text: string): SideErrorCode | null {
  const code = CODE.exec(text)?.[1]
  return isSideErrorCode(code) ? code : null
}

/** Facts about a fork, as the reply to `facts`. */
export interface FactsReply {
  readonly kind: SideKind
  /** The life of the host half, for later messages about the side. */
  readonly boot: string
  readonly from: number
  readonly inheritedTurns: number
  /** The number of main's last whole turn that the side knows of. */
  readonly mainTurn: number
  readonly inheritedTokens: number
  readonly scope: Scope
  /** The rung to ask again with when the model refuses this one as too long. */
  readonly smaller: Rung | null
  /** Context window of the route, tokens. */
  readonly window: number | null
  readonly liveDigest: boolean
  readonly forkedAt: number
  readonly route: { readonly provider: string; readonly model: string; readonly effort?: string } | null
  readonly tools: readonly string[]
  readonly toolSurface: 'restrict' | 'inherit'
  readonly ephemeral: boolean
  /** Windows that the configuration set otherwise than the page takes them to be; absent where it did not. */
  readonly windows?: Windows
}

/** The windows of a side that its page counts down (D6, D10). */
export type Windows = Partial<Pick<Limits, 'undoMs' | 'parkedMs' | 'lostClientMs'>>

/** What of `limits` a page has to be told. */
export function windowsOf({ undoMs, parkedMs, lostClientMs }: Limits): Windows {
  return {
    ...(undoMs === DEFAULT_LIMITS.undoMs ? {} : { undoMs }),
    ...(parkedMs === DEFAULT_LIMITS.parkedMs ? {} : { parkedMs }),
    ...(lostClientMs === DEFAULT_LIMITS.lostClientMs ? {} : { lostClientMs }),
  }
}

/** The reply to `touch`: milliseconds until a side that is parked now ends by itself; absent while it is not parked. */
export interface TouchReply {
  readonly endsIn?: number
}

/** The reply to `hold`: sides of the page that ended on the host since; empty = hold again. */
export interface HoldReply {
  readonly gone: readonly { readonly side: string; readonly reason: string }[]
}
