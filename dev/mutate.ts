/** `npm run mutate`: breaks one contract-bearing line at a time (test/mutations.json) in a copy of the tree and runs the
 *  unit and interface tests on it. Every mutation must turn at least one test red. `npm run mutate -- T8` runs those
 *  of one line; the tree itself is never touched. */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, sep } from 'node:path'

import { recordFigures } from './figures.ts'
import { ROOT, runTool } from './run-tool.ts'

interface Mutation {
  /** Line of the side contract that stands on it. */
  readonly line: string
  readonly file: string
  /** Occurs exactly once in the file. */
  readonly find: string
  readonly replace: string
  /** What a person would meet. */
  readonly why: string
}

/** What looks at which room; nothing here needs a running host. */
const SPECS: readonly (readonly [room: string, project: string, specs: readonly string[]])[] = [
  ['src/core', 'unit', ['test/core', 'test/providers/fake']],
  ['ui/data', 'ui', ['test/ui/runtime.spec', 'test/ui/model.spec']],
]
const COPIED = ['src', 'ui', 'test', 'dev', 'bench', 'package.json', 'vitest.config.ts', 'tsconfig.base.json']
const PACKAGES = ['node_modules', 'dev/host/node_modules', 'dev/seams/node_modules']

const only = process.argv.slice(2)
const all: readonly Mutation[] = JSON.parse(await readFile(join(ROOT, 'test/mutations.json'), 'utf8'))
const mutations = all.filter(({ line }) => only.length === 0 || only.includes(line))
const copy = await mkdtemp(join(tmpdir(), 'sidemind-mutate-'))
let missed = 0
try {
  await copyTree()
  for (const [room, project, specs] of SPECS) {
    if (!mutations.some(({ file }) => file.startsWith(room))) continue
    const { code, output } = await test(project, specs)
    if (code !== 0) throw new Error(`The tests of ${room} fail without any mutation:\n${output}`)
  }
  for (const mutation of mutations) {
    const verdict = await tried(mutation)
    if (!verdict.caught) missed += 1
    say(`${verdict.caught ? 'caught' : 'MISSED'}  ${mutation.line.padEnd(3)} ${mutation.file}: ${mutation.why}`)
    if (verdict.by !== '') say(`            ${verdict.by}`)
  }
} finally {
  await rm(copy, { recursive: true, force: true })
}
if (only.length === 0)
  recordFigures('mutations', [
    {
      what: 'broken lines that turn a test red',
      measured: `${mutations.length - missed} of ${mutations.length}`,
      beside: `in ${new Set(mutations.map(({ line }) => line)).size} lines of the contract`,
    },
  ])
say(`\n${mutations.length - missed} of ${mutations.length} mutations were caught.`)
process.exitCode = missed === 0 ? 0 : 1

async function copyTree(): Promise<void> {
  for (const name of COPIED) {
    await cp(join(ROOT, name), join(copy, name), {
      recursive: true,
      filter: (path) => !path.split(sep).includes('node_modules'),
    })
  }
  for (const name of PACKAGES) await symlink(join(ROOT, name), join(copy, name)).catch(() => undefined)
}

async function tried({ file, find, replace }: Mutation): Promise<{ readonly caught: boolean; readonly by: string }> {
  const path = join(copy, file)
  const text = await readFile(path, 'utf8')
  if (text.split(find).length !== 2) return { caught: false, by: 'its line is not in the file exactly once' }
  const room = SPECS.find(([prefix]) => file.startsWith(prefix))
  if (room === undefined) return { caught: false, by: 'no tests are named for this room (dev/mutate.ts)' }
  await writeFile(
    path,
    text.replace(find, () => replace),
  )
  try {
    const { code, output } = await test(room[1], room[2])
    return { caught: code !== 0, by: code === 0 ? '' : (/FAIL\s+(.*)/.exec(output)?.[1]?.trim() ?? 'a run that broke') }
  } finally {
    await writeFile(path, text)
  }
}

function test(project: string, specs: readonly string[]): Promise<{ code: number; output: string }> {
  const vitest = join(ROOT, 'node_modules/vitest/vitest.mjs')
  const args = [vitest, 'run', '--project', project, '--bail', '1', '--testTimeout', '20000', ...specs]
  return runTool(process.execPath, args, { cwd: copy, env: { NO_COLOR: '1' } })
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
