/** Free play: what the model answers when nobody told it what to do. Looks at files with the tools it is offered,
 *  does sums, shows tables and code, says what context it sees. Pure; the wording is words.ts. */

import { findSum } from './arithmetic.ts'
import type { Step } from './behaviours.ts'
import { fenced, longText, oneLine, slowText } from './canned.ts'
import { firstLookup, nextLookup, readResult } from './lookups.ts'
import type { Found } from './lookups.ts'
import { pieces } from './pieces.ts'
import type { Scene } from './question.ts'
import { wordsFor } from './words.ts'
import type { Seen, Words } from './words.ts'

const SLOW_MS = 20_000
const LONG_BYTES = 6 * 1024
/** Only the beginning of a question is looked at. */
const MAX_ASKED = 4000

const SLOW = /\bslow(?:ly)?\b|\blong[ -]task\b|\btake your time\b|慢慢|慢任务|长任务/i
const ABOUT_SLOWNESS = /\bwhy\b|\bhow come\b|\b(?:so|too|this|it|that|very) slow\b|为什么|太慢|很慢/i
const LONG = /\blong\b|\bin detail\b|详细|长文|很长/i
const TABLE = /\btables?\b|\bcompare\b|\bversus\b|\bvs\b|表格|比较|对比/i
const CODE = /\bcode\b|\bfunction\b|\bsnippet\b|\bexample\b|代码|函数|示例|例子/i
const CONTEXT =
  /\bcontext\b|\bturns?\b|\bearlier\b|\bso far\b|\brecap\b|\bdid i\b|\bwhat do you (?:see|know)\b|上下文|之前|刚才|多少轮/i
const SMALL_WORDS = new Set(
  'a an and are about as at be can could do does did for from give has have how i in into is it its me my of on or our please should show some so tell than that the their them then there these they this to us was we were what when where which who why will with would you your'.split(
    ' ',
  ),
)

const EXAMPLE = `export function greet(name: string): string {
  return \`Hello, \${name}!\`
}`

/** The steps of a free answer. */
export function play(scene: Scene): Step[] {
  const asked = scene.asked.slice(0, MAX_ASKED)
  const words = wordsFor(asked)
  const { rounds } = scene.question
  const offered = new Set((scene.request.tools ?? []).map((tool) => tool.function.name))
  const thinks = scene.request.thinking?.type !== 'disabled'
  const think = (text: string): Step[] => (thinks ? [{ do: 'think', text }] : [])

  const order = rounds.length > 0 ? nextLookup(rounds, offered) : firstLookup(asked, offered)
  if (order !== undefined) {
    const { name, arguments: args = {} } = order
    const target = typeof args === 'string' ? args : (args['file_path'] ?? args['pattern'])
    return [
      ...think(words.thinksAboutTool(name)),
      { do: 'say', text: words.looks(name, typeof target === 'string' ? target : '') },
      { do: 'call', name, arguments: args },
    ]
  }
  if (rounds.length > 0)
    return [...think(words.thinksAboutResult), { do: 'say', text: fromResult(readResult(rounds), words) }]

  const seen = seenIn(scene)
  const keys = keyWords(asked)
  const before = think(words.thinks(keys.slice(0, 3).join(', ') || oneLine(asked, 30) || '…', seen))
  if (SLOW.test(asked) && !ABOUT_SLOWNESS.test(asked)) {
    const text = slowText(asked)
    return [...before, { do: 'say', text, chunkMs: SLOW_MS / pieces(text).length }]
  }
  return [...before, { do: 'say', text: answer(asked, keys, scene, seen, words) }]
}

function answer(asked: string, keys: string[], scene: Scene, seen: Seen, words: Words): string {
  const sum = findSum(asked)
  if (sum !== undefined) return words.sum(sum.sum, sum.result)
  const footer = words.footer(seen)
  if (LONG.test(asked)) return `${words.echo(keys)}\n\n${longText(LONG_BYTES)}\n\n${footer}`
  if (CONTEXT.test(asked)) {
    const earlier = scene.question.earlier.slice(-5).map((text) => oneLine(text, 100))
    return earlier.length === 0 ? `${words.noContext}\n\n${footer}` : words.context(seen, earlier)
  }
  const parts = [words.echo(keys)]
  if (TABLE.test(asked)) parts.push(words.table(keys.filter((key) => !TABLE.test(key))))
  if (CODE.test(asked)) parts.push(words.code, fenced(EXAMPLE, 'ts'))
  if (parts.length === 1) parts.push(words.canDo)
  return [...parts, footer].join('\n\n')
}

function fromResult(found: Found, words: Words): string {
  switch (found.tool) {
    case 'read': {
      const language = /\.(\w+)$/.exec(found.path)?.[1] ?? 'text'
      const shown = `${words.read(found.path, found.lines.length)}\n\n${fenced(found.lines.slice(0, 14).join('\n'), language)}`
      const headings = language === 'md' ? found.lines.filter((line) => /^#{1,3} /.test(line)) : []
      if (headings.length < 2) return shown
      return `${shown}\n\n${words.headings}\n\n${headings
        .slice(0, 12)
        .map((line) => `- ${line.replace(/^#+ /, '')}`)
        .join('\n')}`
    }
    case 'grep': {
      if (found.matches.length === 0) return words.nothing
      const rows = found.matches
        .slice(0, 15)
        .map(({ path, line, text }) => `| \`${path}\` | ${line} | \`${oneLine(text, 80).replace(/[`|]/g, ' ')}\` |`)
      return `${words.matches(found.matches.length)}\n\n| | # | |\n|---|---:|---|\n${rows.join('\n')}`
    }
    case 'glob':
      if (found.paths.length === 0) return words.nothing
      return `${words.files(found.paths.length)}\n\n${found.paths
        .slice(0, 20)
        .map((path) => `- \`${path}\``)
        .join('\n')}`
    case 'other':
      return `${words.toolSaid(found.name)}\n\n${fenced(found.text.slice(0, 600))}`
    default:
      return found satisfies never
  }
}

function seenIn({ request, question }: Scene): Seen {
  const tokens = Math.ceil(Buffer.byteLength(JSON.stringify([request.tools ?? [], request.messages])) / 4)
  return { turns: question.earlier.length, tools: request.tools?.length ?? 0, tokens }
}

/** The words a question is about, in its order; for Chinese the phrases between particles. At most five. */
function keyWords(asked: string): string[] {
  const latin = asked.match(/[\p{Script=Latin}\p{Script=Cyrillic}\d][\w'./-]*/gu) ?? []
  const han = (asked.match(/\p{Script=Han}+/gu) ?? []).flatMap((run) =>
    run.split(/[的了吗呢是在和请给我你用把一个什么怎么]+/),
  )
  const all = [
    ...latin
      .map((word) => word.replace(/[./'-]+$/, ''))
      .filter((word) => word.length > 1 && !SMALL_WORDS.has(word.toLowerCase())),
    ...han.filter((word) => word.length > 1),
  ]
  return [...new Set(all)].slice(0, 5)
}
