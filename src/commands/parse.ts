/** Reads the raw input of `/btw` and `/side`: a control message with its text, or a literal question (I8). */

import { decodeControl, type Control } from '../wire/control.ts'

export type ParsedInput =
  | { readonly kind: 'control'; readonly control: Control }
  /** `text` is everything after the one separator behind the command's name, untouched. */
  | { readonly kind: 'question'; readonly text: string }

/** Parses `rawInput`. `admits` decides whether a well-formed control message is a genuine one; if not it is a question. */
export function parseInput(rawInput: string, admits: (control: Control) => boolean): ParsedInput {
  const control = decodeControl(rawInput)
  if (control !== null && admits(control)) return { kind: 'control', control }
  return { kind: 'question', text: rawInput.slice(1) }
}

/** Whether a question asks anything: something other than white space and format characters is in it. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cf}\p{Cc}]/u.test(text)
}

/** Bytes of `text` in UTF-8. */
export function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length
}
