/** What a block of Markdown is by its looks: code, a formula, link targets. Pure. Cutting a text into blocks is markdown-cutter.ts. */

export const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/

/** Characters of a displayed formula. */
export const FORMULA_MOST = 4_000

/** What the line looks like that closes the fence `run`. */
export function closerOf(run: string): RegExp {
  return new RegExp(`^ {0,3}${run[0] ?? ''}{${run.length},}[ \\t]*$`)
}

/** The language that the words behind a fence name; escapes count in them. */
export function languageOf(info: string): string {
  return (info.trim().split(/\s/)[0] ?? '').replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
}

/** A block of nothing but link targets, one a line. */
const DEFINITION = /^ {0,3}\[(?!\s*\])(?:[^\]\\\n]|\\.){1,200}\]:[ \t]*\S[^\n]*$/

/** The link targets that `block` gives to the others, one a line; of a line that is still coming nothing. */
export function definitionsIn(block: string): readonly string[] {
  const found: string[] = []
  if (!/^ {0,3}\[/.test(block)) return found
  // What stands behind the last line's end is not all of it.
  for (const line of block.split('\n').slice(0, -1)) {
    if (!DEFINITION.test(line.replace(/\r$/, ''))) break
    found.push(line)
  }
  return found
}
