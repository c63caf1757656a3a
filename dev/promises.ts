/** `npm run promises`: runs the tests behind the figures of the README and prints what they measured in this run.
 *  `npm run promises -- fuzz sigkill` runs only those. */
import { existsSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'

import { drawn, figuresFile, type Measured } from './figures.ts'
import { ROOT, runTool } from './run-tool.ts'

/** What leaves figures under its name, and about how long it takes. */
const SOURCES: readonly { name: string; command: readonly string[]; minutes: number }[] = [
  { name: 'fuzz', command: full('test/commands/fuzz.full.spec.ts'), minutes: 5 },
  { name: 'model-core', command: full('test/core/model.full.spec.ts'), minutes: 2 },
  { name: 'model-page', command: full('test/ui/model.full.spec.ts'), minutes: 2 },
  { name: 'mutations', command: ['dev/mutate.ts'], minutes: 10 },
  { name: 'sigkill', command: full('test/e2e/sigkill.full.spec.ts'), minutes: 3 },
  { name: 'leaks-host', command: full('test/e2e/leaks.full.spec.ts'), minutes: 3 },
  { name: 'leaks-page', command: full('test/e2e/page-leaks.full.spec.ts'), minutes: 8 },
]

const wanted = process.argv.slice(2)
const unknown = wanted.filter((name) => !SOURCES.some((one) => one.name === name))
if (unknown.length > 0) {
  note(`There is no ${unknown.join(', ')}. There is: ${SOURCES.map(({ name }) => name).join(', ')}.`)
  process.exit(1)
}

const figures: Measured[] = []
const broken: string[] = []
for (const { name, command, minutes } of SOURCES) {
  if (wanted.length > 0 && !wanted.includes(name)) continue
  note(`Measuring: ${name}, about ${minutes} minutes.`)
  const file = figuresFile(name)
  // What an earlier run left says nothing about this one.
  await rm(file, { force: true })
  const { code, output } = await runTool(process.execPath, [...command], {
    cwd: ROOT,
    env: { SIDEMIND_FULL: '1', SIDEMIND_PROMISES: '1', NO_COLOR: '1' },
  })
  if (code !== 0) note(output)
  if (code !== 0 || !existsSync(file)) broken.push(name)
  if (existsSync(file)) figures.push(...(JSON.parse(await readFile(file, 'utf8')) as Measured[]))
}
if (figures.length > 0) process.stdout.write(`${drawn(figures)}\n`)
if (broken.length > 0) note(`Not kept, or not measured: ${broken.join(', ')}.`)
process.exitCode = broken.length === 0 ? 0 : 1

function full(spec: string): string[] {
  return ['node_modules/vitest/vitest.mjs', 'run', '--project', 'full', spec]
}

function note(line: string): void {
  process.stderr.write(`${line}\n`)
}
