/** The one error class that crosses rooms, and its closed set of codes.
 *  A code is a promise to clients and a key in ui/locales.ts; `detail` is log text and never shown. */

export const SIDE_ERROR_CODES = [
  'unsupported',
  'conflict',
  'in_progress',
  'turn_active',
  'expired',
  'limit_reached',
  'interaction_not_live',
  'interaction_already_answered',
  'interaction_invalid_response',
  'invalid_request',
  'not_found',
  'stream_unavailable',
  'provider_error',
] as const

export type SideErrorCode = (typeof SIDE_ERROR_CODES)[number]

/** A failure of a side, safe to hand to a client: `code` is closed, `message` holds no user text. */
export class SideError extends Error {
  readonly code: SideErrorCode
  readonly detail: string

  constructor(code: SideErrorCode, detail: string, cause?: unknown) {
    super(`${code}: ${detail}`, cause === undefined ? undefined : { cause })
    this.name = 'SideError'
    this.code = code
    this.detail = detail
  }
}

/** Whether a string is one of the closed codes (values from the wire are untrusted). */
export function isSideErrorCode(value: unknown): value is SideErrorCode {
  return typeof value === 'string' && (SIDE_ERROR_CODES as readonly string[]).includes(value)
}

/** Any thrown value as a SideError; what is not one already becomes `provider_error`. */
export function toSideError(error: unknown): SideError {
  if (error instanceof SideError) return error
  return new SideError('provider_error', error instanceof Error ? error.message : String(error), error)
}

/** Ends a switch over a closed union; reaching it is a bug. */
export function assertNever(value: never): never {
  throw new Error(`unexpected value: ${JSON.stringify(value)}`)
}
