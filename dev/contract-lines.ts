/** Which tests show which line of the side contract. A test shows the lines that its name begins with (`T1 T2 takes …`).
 *  `npm run check` fails for a line without a test and for a test of a line that does not exist; run alone, this prints
 *  the table. A line that no provider of this repository can raise may be exempt, with its reason. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { testNames } from './test-names.ts'

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
  const shown: Shown[] = []
  for (const { file, name } of await testNames(DECLARES)) {
    for (const word of name.split(/[\s,]+/)) {
      if (!NUMBER.test(word)) break
      shown.push({ line: word, test: `${file}: ${name}` })
    }
  }
  return shown
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
