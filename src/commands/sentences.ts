/** One English sentence per error code, for clients that show a command's error text as it is.
 *  Our own client half translates the code instead (ui/locales.ts). No sentence holds anything that a person typed. */

import type { SideErrorCode } from '../core/errors.ts'

const SENTENCES: Record<SideErrorCode, string> = {
  unsupported: 'This conversation cannot host a side conversation.',
  conflict: 'A side with this name already exists. Try again.',
  in_progress: 'This side is still opening. Try again in a moment.',
  turn_active: 'The side is still answering. Wait for it or stop it first.',
  expired: 'This side has ended. Start a new one.',
  limit_reached: 'Too many sides are open or answering. Close one or wait, then try again.',
  interaction_not_live: 'This prompt is no longer waiting for an answer.',
  interaction_already_answered: 'This prompt was already answered.',
  interaction_invalid_response: 'This answer does not fit the prompt.',
  invalid_request: 'Type a question of at most 100 kB after the command.',
  not_found: 'There is no such side.',
  stream_unavailable: 'The connection to the side was lost. Try again.',
  provider_error: 'The side could not be opened. Try again.',
}

/** The sentence for `code`. `detail` is for logs and only chooses between sentences. */
export function sentenceOf(code: SideErrorCode, detail: string): string {
  if (code === 'invalid_request' && detail === 'empty question') return 'Type a question after the command.'
  return SENTENCES[code]
}
