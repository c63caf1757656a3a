/** The command `sidemind-for-dsh`. Owns the process: what it prints, how it ends and with which code. */

import { readFile } from 'node:fs/promises'
import { openBrowser } from './cli/browser.ts'
import type { StartDemo } from './cli/demo.ts'
import { readFlags } from './cli/flags.ts'
import { startCommand, type Running } from './cli/start.ts'
import { Told, wordsOf } from './cli/words.ts'

const words = wordsOf(process.env)
const starting = new AbortController()
let running: Running | undefined
let ending = false
let endingSince = 0

for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(name, () => end(name))
process.on('exit', () => running?.drop())
followNpm()

try {
  await run()
} catch (error) {
  fail(error)
}

async function run(): Promise<void> {
  const flags = readFlags(process.argv.slice(2), words)
  if (flags === 'help') return void process.stdout.write(`${words.usage}\n`)
  const say = (line: string): void => void (flags.json ? process.stderr : process.stdout).write(`${line}\n`)
  running = await startCommand(flags, {
    version: await ownVersion(),
    words,
    env: process.env,
    demo: loadDemo,
    dist: import.meta.dirname,
    report: (line) => void process.stderr.write(`${line}\n`),
  })
  // A signal came while it started.
  if (starting.signal.aborted) return leave(running)
  for (const line of [...running.lines, words.running]) say(line)
  const { url, token, port, page } = running
  if (flags.json) process.stdout.write(`${JSON.stringify({ url, token, port })}\n`)
  if (flags.open) openBrowser(page, () => say(words.noBrowser(page)))
}

/** The first signal ends things in order, a second one at once; Codex ends with its input. A terminal's Ctrl+C can come
 *  twice, from the terminal and passed on by npx: that is one. */
function end(name: NodeJS.Signals): void {
  if (Date.now() - endingSince < 500) return
  endingSince = Date.now()
  if (ending) process.exit(name === 'SIGINT' ? 130 : 143)
  ending = true
  if (running === undefined) starting.abort()
  else leave(running)
}

function leave(started: Running): void {
  started.stop().then(() => process.exit(0), fail)
}

function fail(error: unknown): never {
  const sentence =
    error instanceof Told ? error.message : error instanceof Error ? (error.stack ?? error.message) : String(error)
  process.stderr.write(`${sentence}\n`)
  process.exit(starting.signal.aborted ? 130 : 1)
}

/** npx runs a command through a shell that a signal to npx ends without passing it on: when that shell is gone, so are we. */
function followNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && !ending && end('SIGTERM'), 500).unref()
}

async function ownVersion(): Promise<string> {
  const manifest = JSON.parse(await readFile(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string
  }
  return manifest.version
}

/** The demo is a file of its own beside this one, so that nobody else loads it. */
async function loadDemo(): ReturnType<StartDemo> {
  let demo: { readonly startDemo: StartDemo }
  try {
    demo = (await import(new URL('demo.js', import.meta.url).href)) as typeof demo
  } catch {
    throw new Told(words.noDemo)
  }
  return demo.startDemo()
}
