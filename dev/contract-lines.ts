/** Which tests show which line of the side contract. A test shows the lines that its name begins with (`T1 T2 takes …`).
 *  `npm run check` fails for a line without a test and for a test of a line that does not exist; run alone, this prints
 *  the table. A line that no provider of this repository can raise may be exempt, with its reason. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import ts from 'typescript'

import { ROOT } from './run-tool.ts'

interface Line {
  readonly says: string
  /** Why no test can show it. */
  readonly exempt?: string
}

interface Shown {
  readonly line: string
  /** `file: name of the test`. */
  readonly test: string
}

/** Functions that declare a test; `line` is the provider suite's own. */
const DECLARES = new Set(['it', 'test', 'line'])
const NUMBER = /^[POTEU][1-9]\d?$/

/** Complaints in words for a person; empty when every line is shown. */
export async function contractComplaints(): Promise<string[]> {
  const lines = await contract()
  const shown = await shownLines()
  const known = new Set(Object.keys(lines))
  const unknown = shown.filter(({ line }) => !known.has(line))
  const missing = Object.entries(lines).filter(
    ([line, { exempt }]) => exempt === undefined && !shown.some((one) => one.line === line),
  )
  const needless = Object.entries(lines).filter(
    ([line, { exempt }]) => exempt !== undefined && (exempt.trim() === '' || shown.some((one) => one.line === line)),
  )
  return [
    ...missing.map(([line, { says }]) => `No test shows ${line}: ${says}`),
    ...unknown.map(({ line, test }) => `There is no line ${line}: ${test}`),
    ...needless.map(([line]) => `The exemption of ${line} has no reason, or the line has a test.`),
  ]
}

async function contract(): Promise<Readonly<Record<string, Line>>> {
  return JSON.parse(await readFile(join(import.meta.dirname, 'contract-lines.json'), 'utf8'))
}

async function shownLines(): Promise<readonly Shown[]> {
  const names = await readdir(join(ROOT, 'test'), { recursive: true })
  const files = names.filter((name) => /\.tsx?$/.test(name) && !name.includes('fixture')).toSorted()
  const shown: Shown[] = []
  for (const file of files) {
    const text = await readFile(join(ROOT, 'test', file), 'utf8')
    for (const name of testNames(ts.createSourceFile(file, text, ts.ScriptTarget.Latest))) {
      for (const word of name.split(/[\s,]+/)) {
        if (!NUMBER.test(word)) break
        shown.push({ line: word, test: `test/${file}: ${name}` })
      }
    }
  }
  return shown
}

/** The literal names of the tests that run; skipped ones show nothing. */
function testNames(file: ts.SourceFile): readonly string[] {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isCallExpression(node)) {
      const [name] = node.arguments
      const words = calleeOf(node.expression)
      if (DECLARES.has(words[0] ?? '') && !words.some((word) => word === 'skip' || word === 'todo')) {
        if (name !== undefined && ts.isStringLiteralLike(name)) names.push(name.text)
        else if (name !== undefined && ts.isTemplateExpression(name)) names.push(name.head.text)
      }
    }
    ts.forEachChild(node, visit)
  }
  visit(file)
  return names
}

/** `it.each(table)` reads `['it', 'each']`. */
function calleeOf(expression: ts.Expression): readonly string[] {
  if (ts.isIdentifier(expression)) return [expression.text]
  if (ts.isPropertyAccessExpression(expression)) return [...calleeOf(expression.expression), expression.name.text]
  return ts.isCallExpression(expression) ? calleeOf(expression.expression) : []
}

if (import.meta.main) {
  const shown = await shownLines()
  for (const [line, { says, exempt }] of Object.entries(await contract())) {
    const tests = shown.filter((one) => one.line === line)
    process.stdout.write(`${line}  ${says}\n`)
    if (exempt !== undefined) process.stdout.write(`      exempt: ${exempt}\n`)
    for (const { test } of tests) process.stdout.write(`      ${test}\n`)
  }
  const complaints = await contractComplaints()
  for (const complaint of complaints) process.stdout.write(`${complaint}\n`)
  process.exitCode = complaints.length === 0 ? 0 : 1
}
