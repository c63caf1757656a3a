/** `npm run check`: everything about the code that needs no host to run. Every step runs, whatever the one before said. */
import { readFile } from 'node:fs/promises'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'

import { caseComplaints } from './cases.ts'
import { contractComplaints } from './contract-lines.ts'
import { ensureHost } from './host/install.ts'
import { packPlugin } from './pack.ts'
import { ROOT, runTool } from './run-tool.ts'
import { ensureSeamsPackages } from './seams/install.ts'
import { wordsFor } from './sentence.ts'

/** What a step found: nothing, or words for a person. */
type Complaints = string[]

const steps: [name: string, run: () => Promise<Complaints>][] = [
  ['format', () => tool('oxfmt', '--check', '.')],
  ['lint', () => tool('oxlint', '--type-aware', '--deny-warnings')],
  ['types', types],
  ['dead code', () => tool('knip', '--no-progress', '--no-config-hints')],
  ['contract lines', contractComplaints],
  ['reported cases', caseComplaints],
  ['package', packageLint],
  [
    'import table and manifests',
    () => tool('vitest', 'run', '--project', 'unit', 'test/architecture.spec.ts', 'test/build'),
  ],
]

// The code is typed against the host's own packages, and so is the linter's view of it.
await ensureHost(say)
await ensureSeamsPackages(say)

let failures = 0
for (const [name, run] of steps) {
  const from = performance.now()
  const complaints = await run().catch((error: unknown) => [wordsFor(error)])
  const seconds = ((performance.now() - from) / 1000).toFixed(1)
  say(`${complaints.length === 0 ? 'ok    ' : 'FAILED'}  ${name} (${seconds} s)`)
  for (const complaint of complaints) say(complaint.trimEnd().replaceAll(/^/gm, '        '))
  if (complaints.length > 0) failures += 1
}
say(failures === 0 ? '\nEverything is in order.' : `\n${failures} of ${steps.length} steps failed.`)
process.exitCode = failures === 0 ? 0 : 1

async function tool(command: string, ...args: string[]): Promise<Complaints> {
  const { code, output } = await runTool(command, args, { cwd: ROOT, env: { NO_COLOR: '1' } })
  return code === 0 ? [] : [output.trim() || `${command} ended with ${code}.`]
}

async function types(): Promise<Complaints> {
  const found: Complaints = []
  for (const part of ['src', 'ui', 'dev']) found.push(...(await tool('tsc', '-p', `tsconfig.${part}.json`)))
  return found
}

/** Looks at the tarball as npm would publish it. The client half is a call of the page's module loader, which is neither a
 *  module nor CommonJS: a remark on the format of exactly that file is expected. */
async function packageLint(): Promise<Complaints> {
  const { buffer, byteOffset, byteLength } = await readFile(await packPlugin(say))
  const tarball = buffer.slice(byteOffset, byteOffset + byteLength)
  const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
  return messages
    .filter(({ code, path }) => !(code === 'FILE_INVALID_FORMAT' && path.join(' ') === 'exports ./client'))
    .map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}
