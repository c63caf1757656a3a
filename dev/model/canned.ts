/** Ready-made texts: the slow one, the long one, titles, checkpoints, and a report of what tools answered. Pure. */

import { readMarkers } from './markers.ts'
import { titledMessages } from './question.ts'
import type { Question } from './question.ts'

const REPORT_CHARS = 600

const SENTENCES = [
  'I begin with what is known and write it down before I change anything.',
  'The first part reads the input and splits it into pieces that can be looked at one by one.',
  'The second part compares each piece with the one before it and keeps only what differs.',
  'Where two pieces disagree, the newer one wins and the older one is kept as a note.',
  'Then I check the edges: an empty input, a single piece, and one that is far too large.',
  'None of these needs a special case once the order of the steps is right.',
  'What remains is to name things well, so that the next reader does not have to ask.',
  'I go through the names once more and replace two that promised too much.',
  'The last step is a test that fails without the change and passes with it.',
  'With that in place the rest follows, and nothing else had to be touched.',
]

/** A few paragraphs about a task, to be streamed slowly. */
export function slowText(asked: string): string {
  const body = [SENTENCES.slice(0, 4), SENTENCES.slice(4, 7), SENTENCES.slice(7)]
    .map((part) => part.join(' '))
    .join('\n\n')
  return `Working on: ${asked}\n\n${body}\n\nDone.`
}

/** Markdown of about `bytes` bytes (ASCII): headings, prose, lists, tables and code, ending with a last line that
 *  a test can look for. */
export function longText(bytes: number): string {
  const ending = '\n\nEnd of the long answer.'
  let text = '# A long answer\n\n'
  for (let part = 1; text.length < bytes - ending.length; part++) text += section(part)
  text = text.slice(0, Math.max(0, bytes - ending.length))
  const openFence = (text.match(/^```/gm)?.length ?? 0) % 2 === 1
  return `${text}${openFence ? '\n```' : ''}${ending}`
}

/** A title of a few words out of a title request; never empty, one line, no markup. */
export function titleOf(question: Question): string {
  const first = readMarkers(titledMessages(question)[0] ?? '')
    .rest.replace(/[`*_#[\]<>|"]/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const short = /[\u3400-\u9fff]/.test(first)
    ? Array.from(first).slice(0, 14).join('')
    : first.split(' ').slice(0, 6).join(' ')
  return short.slice(0, 60) || 'Scripted conversation'
}

/** The checkpoint a compaction request gets: what was asked so far, in the headings the host wants. */
export function checkpoint({ earlier }: Question): string {
  const asked =
    earlier
      .slice(-5)
      .map((text) => `- ${oneLine(text, 120)}`)
      .join('\n') || '- (none)'
  const rest = [
    'Key Technical Concepts',
    'Files and Code',
    'Errors and Fixes',
    'Pending Jobs',
    'Current Work',
    'Next Step',
    'Critical Context',
  ]
  return [`## Primary Request and Intent\n${asked}`, ...rest.map((heading) => `## ${heading}\n- (none)`)].join('\n\n')
}

/** What the tools of the newest round said, quoted. */
export function reportOf({ rounds }: Question): string {
  const results = rounds.at(-1)?.results ?? []
  if (results.length === 0) return 'No tool has answered.'
  return results
    .map(({ name, text }) => `The tool \`${name}\` answered:\n\n${fenced(text.slice(0, REPORT_CHARS))}`)
    .join('\n\n')
}

/** A code block that its own content cannot close. */
export function fenced(text: string, language = 'text'): string {
  const longest = Math.max(2, ...(text.match(/`+/g) ?? []).map((run) => run.length))
  const fence = '`'.repeat(longest + 1)
  return `${fence}${language}\n${text}\n${fence}`
}

/** White space folded, cut at `limit` characters. */
export function oneLine(text: string, limit: number): string {
  const chars = Array.from(text.replace(/\s+/g, ' ').trim())
  return chars.length <= limit ? chars.join('') : `${chars.slice(0, limit - 1).join('')}…`
}

function section(part: number): string {
  const prose = [0, 1, 2].map((shift) => SENTENCES[(part + shift * 3) % SENTENCES.length]).join(' ')
  const list = `- **first**: ${SENTENCES[part % SENTENCES.length]}\n- *second*: see section ${part}\n  1. inner one\n  2. inner two`
  const table = `| step | takes | result |\n|---|---:|---|\n| read | ${part} ms | ok |\n| compare | ${part * 2} ms | ok |`
  const code = `\`\`\`ts\nexport function step${part}(input: string): number {\n  return input.length * ${part}\n}\n\`\`\``
  return `## Section ${part}\n\n${prose}\n\n${[list, table, code][part % 3]}\n\n`
}
