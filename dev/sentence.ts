/** A failure that a person can act on. Commands print its message alone, without a stack trace, and exit with 1. */
export class Sentence extends Error {
  override name = 'Sentence'
}

/** @returns what to print for any failure: the sentence alone, or the whole error when nobody foresaw it. */
export function wordsFor(error: unknown): string {
  if (error instanceof Sentence) return error.message
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
