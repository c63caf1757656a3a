/** `npm run bench`: measures, and prints every figure beside its baseline. Owns the command line; figures are files of their own. */
import { writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { parseArgs } from 'node:util'

import { ensureHost } from '../dev/host/install.ts'
import { Sentence, wordsFor } from '../dev/sentence.ts'
import { bytesWritten } from './bytes-written.ts'
import { childCreation } from './child-creation.ts'
import { clientBundle } from './client-bundle.ts'
import { codexTurn } from './codex-turn.ts'
import { ratioOf, table, type Figure } from './figure.ts'
import { startBenchHost } from './host.ts'
import { FULL, QUICK } from './plan.ts'
import { submitToRequest } from './submit-to-request.ts'

const USAGE = `Usage: npm run bench -- [flags]

  --quick         few samples and no parent of 1,000 turns: does everything still run?
  --json <file>   also writes the figures there
  --help          this text`

// Leaving through `exit` takes the host and its folder along.
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => process.exit(1))

try {
  await run()
  process.exit(0)
} catch (error) {
  process.stderr.write(`${wordsFor(error)}\n`)
  process.exit(1)
}

async function run(): Promise<void> {
  const values = readFlags()
  if (values.help) return void process.stdout.write(`${USAGE}\n`)
  const plan = values.quick ? QUICK : FULL
  const from = Date.now()
  await ensureHost(note)
  note('Starting a host.')
  const host = await startBenchHost()
  const figures: Figure[] = []
  try {
    for (const [name, measure] of [
      ['child creation', () => childCreation(host, plan)],
      ['submit to request', () => submitToRequest(host, plan)],
      ['bytes written', () => bytesWritten(host, plan)],
      ['client bundle', () => clientBundle()],
      ['Codex', () => codexTurn(plan, note)],
    ] as const) {
      note(`Measuring: ${name}.`)
      figures.push(...(await measure()))
    }
  } finally {
    await host.stop()
  }
  note(`Done in ${Math.round((Date.now() - from) / 1_000)} s.\n`)
  process.stdout.write(`${table(figures)}\n`)
  if (values.json !== undefined) {
    const { platform, arch, version: node } = process
    const machine = { platform, arch, node, cores: availableParallelism() }
    const report = {
      machine,
      quick: values.quick ?? false,
      figures: figures.map((one) => ({ ...one, ratio: ratioOf(one) })),
    }
    await writeFile(values.json, `${JSON.stringify(report, null, 2)}\n`)
  }
}

function readFlags(): { quick?: boolean; json?: string; help?: boolean } {
  try {
    return parseArgs({
      options: { quick: { type: 'boolean' }, json: { type: 'string' }, help: { type: 'boolean', short: 'h' } },
    }).values
  } catch (error) {
    throw new Sentence(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  }
}

function note(line: string): void {
  process.stderr.write(`${line}\n`)
}
