/** `npm run bench`: measures, and prints every figure beside its baseline. Owns the command line; figures are files of their own. */
import { mkdir, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { resolve } from 'node:path'
import { parseArgs } from 'node:util'

import { ensureHost } from '../dev/host/install.ts'
import { Sentence, wordsFor } from '../dev/sentence.ts'
import { eightStreams, longAnswer } from './beside-empty.ts'
import { bytesWritten } from './bytes-written.ts'
import { clientBundle } from './client-bundle.ts'
import { codexTurn } from './codex-turn.ts'
import { coldStart } from './cold-start.ts'
import { drawing } from './drawing.ts'
import { forks } from './forks.ts'
import { ratioOf, table, type Figure } from './figure.ts'
import { startBenchHost, type BenchHost } from './host.ts'
import { paneBytes } from './pane-bytes.ts'
import { FULL, QUICK, type Plan } from './plan.ts'
import { scripting } from './scripting.ts'
import { tokens } from './tokens.ts'

const USAGE = `Usage: npm run bench -- [flags]

  --quick         few samples and no long conversation: does everything still run?
  --only <name>   one part: forks, tokens, pane-bytes, bytes-written, bundle, cold-start, codex,
                  scripting, drawing, long-answer, eight-streams
  --json <file>   also writes the figures there
  --profiles <folder>   also keeps profiles of the host while it forks there, for a browser's developer tools
  --help          this text`

const PARTS: readonly { name: string; measure: (plan: Plan) => Promise<Figure[]> }[] = [
  { name: 'forks', measure: onHost(forks) },
  { name: 'tokens', measure: onHost(tokens) },
  { name: 'pane-bytes', measure: onHost(paneBytes) },
  { name: 'bytes-written', measure: onHost(bytesWritten) },
  { name: 'bundle', measure: clientBundle },
  { name: 'cold-start', measure: coldStart },
  { name: 'scripting', measure: scripting },
  { name: 'drawing', measure: drawing },
  { name: 'long-answer', measure: longAnswer },
  { name: 'eight-streams', measure: eightStreams },
  { name: 'codex', measure: (plan) => codexTurn(plan, note) },
]

/** Each on a host of its own: what one leaves in memory is not measured by the next. */
function onHost(measure: (host: BenchHost, plan: Plan) => Promise<Figure[]>): (plan: Plan) => Promise<Figure[]> {
  return async (plan) => {
    const host = await startBenchHost()
    try {
      return await measure(host, plan)
    } finally {
      await host.stop()
    }
  }
}

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
  const plan: Plan = {
    ...(values.quick ? QUICK : FULL),
    ...(values.profiles === undefined ? {} : { profiles: resolve(values.profiles) }),
  }
  if (plan.profiles !== undefined) await mkdir(plan.profiles, { recursive: true })
  const chosen = PARTS.filter(({ name }) => values.only === undefined || values.only === name)
  if (chosen.length === 0) throw new Sentence(`There is no ${values.only}.\n\n${USAGE}`)
  const from = Date.now()
  await ensureHost(note)
  const figures: Figure[] = []
  for (const { name, measure } of chosen) {
    note(`Measuring: ${name}.`)
    figures.push(...(await measure(plan)))
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

function readFlags(): { quick?: boolean; json?: string; profiles?: string; only?: string; help?: boolean } {
  try {
    return parseArgs({
      options: {
        quick: { type: 'boolean' },
        json: { type: 'string' },
        profiles: { type: 'string' },
        only: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
      },
    }).values
  } catch (error) {
    throw new Sentence(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
  }
}

function note(line: string): void {
  process.stderr.write(`${line}\n`)
}
