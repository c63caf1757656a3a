/** Text as answers have it, of any length: paragraphs, lists, code and tables in turn, headings between them. Pure. */

const PARTS = [
  'A paragraph with *stress*, `code` and a [link](https://a.test/), as answers have them. '.repeat(3),
  '- one point\n- another **point**, which takes somewhat more words than the first\n- a third one',
  '```ts\nexport const answer: number = 42 // of course\nexport function ask(): number {\n  return answer\n}\n```',
  '1. first this is done\n2. then that, with `options`\n3. and at last the rest',
  '| what | how much |\n|---|---|\n| one | 1 |\n| two | 2 |',
  'Where two pieces disagree, the newer one wins and the older one is kept as a note. '.repeat(4),
]

/** Exactly `chars` characters of it (at least 100), whole parts and a paragraph that fills up, from part number `from`. */
export function answerText(chars: number, from = 0): string {
  const parts: string[] = []
  let length = 0
  for (let at = from; ; at += 1) {
    const part = `## Part ${at}\n\n${PARTS[at % PARTS.length] ?? ''}\n\n`
    if (length + part.length > chars) break
    parts.push(part)
    length += part.length
  }
  return (
    `${parts.join('')}${'and so on '.repeat(100)}`
      .slice(0, chars - 2)
      .trimEnd()
      .padEnd(chars - 2, '.') + '\n\n'
  )
}
