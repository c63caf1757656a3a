/** Cuts text into the pieces a model streams. Never inside a surrogate pair. Pure. */

/** Pieces of exactly `size` characters, or without a size of a few words (about three, or six Chinese characters). */
export function pieces(text: string, size?: number): string[] {
  const found: string[] = []
  let piece = ''
  let weight = 0
  for (const char of text) {
    piece += char
    weight += size === undefined && char > '\u2e7f' ? 3 : 1
    const whole =
      size === undefined ? weight >= 34 || (weight >= 14 && (/\s/.test(char) || char > '\u2e7f')) : weight >= size
    if (!whole) continue
    found.push(piece)
    piece = ''
    weight = 0
  }
  if (piece !== '') found.push(piece)
  return found
}
