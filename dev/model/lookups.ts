/** How free play uses the host's read-only file tools: which one a question wants, which one comes next, and how
 *  their results read (formats of DSH's read, grep and glob). Pure. */

import type { ToolOrder } from './behaviours.ts'
import type { ToolRound } from './question.ts'

const MAX_ROUNDS = 3
const EXTENSION = 'md|tsx?|jsx?|mjs|cjs|json|ya?ml|txt|py|css|html|toml|sh|rs|go|lock'
const PATH = new RegExp(String.raw`(?:^|[\s\`"'(“：，])((?:[\w@.-]+/)*[\w@.-]+\.(?:${EXTENSION}))(?![\w/])`, 'i')
const SEARCH =
  /\b(?:grep|search|find|look for)\b|\bwhere(?:'s| is| are| does| do)\b|\bwho (?:calls|uses)\b|\buses? of\b|搜索|查找|在哪|哪里/i
const LIST =
  /\b(?:list|which|what|show|how many)\b.{0,40}\bfiles?\b|\bfiles?\b.{0,20}\b(?:here|there|workspace|project|repo)|有哪些文件|列出.*文件|文件列表/i
const PROJECT = /\b(?:this|the) (?:project|repo|repository|workspace|codebase)\b|这个(?:项目|仓库|工程)/i

/** One look into a result: what kind it was and its parts. */
export type Found =
  | { tool: 'read'; path: string; lines: string[] }
  | { tool: 'grep'; matches: { path: string; line: number; text: string }[] }
  | { tool: 'glob'; paths: string[] }
  | { tool: 'other'; name: string; text: string }

/** The call a question about files wants, among the tools the request offers. Undefined when it wants none. */
export function firstLookup(asked: string, offered: Set<string>): ToolOrder | undefined {
  const path = PATH.exec(asked)?.[1] ?? (/\bREADME\b/i.test(asked) ? 'README.md' : undefined)
  const term = SEARCH.test(asked) ? searchTerm(asked, path) : undefined
  if (term !== undefined && offered.has('grep'))
    return { name: 'grep', arguments: { pattern: escapeRegExp(term), ...(path === undefined ? {} : { path }) } }
  if (path !== undefined && offered.has('read')) return { name: 'read', arguments: { file_path: path } }
  if (LIST.test(asked) && offered.has('glob')) {
    const extension = /\*?\.(\w{1,5})\b/.exec(asked)?.[1]
    return { name: 'glob', arguments: { pattern: extension === undefined ? '*' : `*.${extension}` } }
  }
  if (PROJECT.test(asked) && offered.has('read')) return { name: 'read', arguments: { file_path: 'README.md' } }
  return undefined
}

/** The call after these rounds: the place a search found, or the file a read missed. Undefined: answer now. */
export function nextLookup(rounds: ToolRound[], offered: Set<string>): ToolOrder | undefined {
  const found = readResult(rounds)
  const last = rounds.at(-1)?.calls[0]
  if (rounds.length >= MAX_ROUNDS || last === undefined) return undefined
  if (found.tool === 'grep' && found.matches[0] !== undefined && offered.has('read')) {
    const { path, line } = found.matches[0]
    return { name: 'read', arguments: { file_path: path, offset: Math.max(1, line - 3), limit: 12 } }
  }
  const missed =
    found.tool === 'other' && found.name === 'read' && /not found|no such|does not exist|ENOENT/i.test(found.text)
  const wanted = /"file_path":\s*"(?:[^"]*\/)?([^"/]+)"/.exec(last.function.arguments)?.[1]
  if (missed && wanted !== undefined && offered.has('glob')) return { name: 'glob', arguments: { pattern: wanted } }
  const path = found.tool === 'glob' ? found.paths[0] : undefined
  if (path !== undefined && rounds.length === 2 && offered.has('read'))
    return { name: 'read', arguments: { file_path: path } }
  return undefined
}

/** Reads the newest result. */
export function readResult(rounds: ToolRound[]): Found {
  const { name, text } = rounds.at(-1)?.results[0] ?? { name: 'tool', text: '' }
  if (name === 'read') {
    const path = /<path>(.*?)<\/path>/.exec(text)?.[1]
    if (path !== undefined)
      return { tool: 'read', path, lines: [...text.matchAll(/^\d+: (.*)$/gm)].map((line) => line[1] ?? '') }
  }
  if (name === 'grep' && /^(?:Found \d+|No matches)/.test(text)) return { tool: 'grep', matches: grepMatches(text) }
  if (name === 'glob')
    return { tool: 'glob', paths: text.split('\n').filter((line) => line !== '' && !/^\(|^No files found/.test(line)) }
  return { tool: 'other', name, text }
}

function grepMatches(text: string): { path: string; line: number; text: string }[] {
  const matches: { path: string; line: number; text: string }[] = []
  let path = ''
  for (const row of text.split('\n').slice(1)) {
    const hit = /^Line (\d+): (.*)$/.exec(row)
    if (hit !== null) matches.push({ path, line: Number(hit[1]), text: hit[2] ?? '' })
    else if (row !== '' && !row.startsWith('(')) path = row
  }
  return matches
}

/** Something quoted, else something that looks like a name in code, else the word after "for". */
function searchTerm(asked: string, path: string | undefined): string | undefined {
  const quoted = /[`"“'「]([^`"”'」\n]{1,80})[`"”'」]/.exec(asked)?.[1]
  const named = /\b(?:[a-z]+[A-Z]\w*|[A-Z][a-z]+[A-Z]\w*|\w+_\w+|[A-Z]{3,})\b/.exec(asked.replace(path ?? '', ''))?.[0]
  const after = /\b(?:for|of|grep)\s+(?:the\s+)?([\w-]{3,})/i.exec(asked)?.[1]
  return [quoted, named, after].find((term) => term !== undefined && term !== path)
}

function escapeRegExp(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}
