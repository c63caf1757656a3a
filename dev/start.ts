/** `npm start`: shows SideMind inside the real DeepSeek Harness, or beside the real Codex. Owns the command line and the way it ends. */
import { spawn } from 'node:child_process'
import { parseArgs } from 'node:util'

import { Sentence, wordsFor } from './sentence.ts'
import { startStage } from './stage.ts'
import { startCodexDemo } from './codex/start.ts'

const USAGE = `Usage: npm start -- [flags]

  --no-open       do not open the browser
  --port <n>      the page's port (a free one otherwise)
  --home <dir>    use and keep this DSH_HOME (a throwaway one otherwise)
  --stock         the host as published, without the development seams adapter
  --codex         the service beside the real Codex instead, with the scripted model
  --json          when ready, print one line {"url","home","modelUrl","sessionUrl"} on stdout
                  ({"url","token","port"} with --codex); everything else goes to stderr (npm -s start -- --json leaves out npm's own lines)
  --help          this text

With DEEPSEEK_API_KEY set the real model answers (DEEPSEEK_BASE_URL is honoured), otherwise a scripted one.`

interface Flags {
  open: boolean
  port?: number
  home?: string
  stock: boolean
  codex: boolean
  json: boolean
  help: boolean
}

let stage: { stop(): Promise<unknown> } | undefined
let ending: Promise<void> | undefined
let endingSince = 0
process.on('SIGINT', () => end('SIGINT'))
process.on('SIGTERM', () => end('SIGTERM'))
process.on('SIGHUP', () => end('SIGHUP'))
followNpm()

try {
  await run(readFlags(process.argv.slice(2)))
} catch (error) {
  process.stderr.write(`${wordsFor(error)}\n`)
  await stage?.stop()
  process.exit(1)
}

async function run(flags: Flags): Promise<void> {
  const say = (line: string): void => void (flags.json ? process.stderr : process.stdout).write(`${line}\n`)
  if (flags.help) return void process.stdout.write(`${USAGE}\n`)
  if (flags.codex) return runCodex(flags, say)
  const apiKey = process.env['DEEPSEEK_API_KEY'] || undefined
  const baseUrl = process.env['DEEPSEEK_BASE_URL'] || undefined
  const running = await startStage({
    stock: flags.stock,
    report: say,
    ...(flags.port === undefined ? {} : { port: flags.port }),
    ...(flags.home === undefined ? {} : { home: flags.home }),
    ...(apiKey === undefined ? {} : { apiKey }),
    ...(apiKey === undefined || baseUrl === undefined ? {} : { modelUrl: baseUrl }),
  })
  stage = running
  if (ending) return
  say(`
SideMind runs in DeepSeek Harness:  ${running.url}
Model:      ${running.model ? `scripted, at ${running.modelUrl} (set DEEPSEEK_API_KEY for the real one)` : running.modelUrl}
DSH_HOME:   ${running.home}${flags.home === undefined ? ' (removed at the end; --home <dir> keeps one)' : ''}
Workspace:  ${running.workspace}

Type /btw what is 2+2 or /side in the page. Ctrl+C ends everything.`)
  const { url, home, modelUrl, sessionUrl } = running
  if (flags.json) process.stdout.write(`${JSON.stringify({ url, home, modelUrl, sessionUrl })}\n`)
  if (flags.open) openBrowser(sessionUrl, say)

  await running.host.exited
  if (ending) return
  throw new Sentence(
    `The host has ended by itself. Its last lines:\n${running.host.logs().trim().split('\n').slice(-15).join('\n')}`,
  )
}

async function runCodex(flags: Flags, say: (line: string) => void): Promise<void> {
  const running = await startCodexDemo(flags.port, say)
  stage = running
  const { url, token, port, page, lines } = running
  say(`\nSideMind runs beside Codex:\n${lines.join('\n')}\n\nCtrl+C ends everything.`)
  if (flags.json) process.stdout.write(`${JSON.stringify({ url, token, port })}\n`)
  if (flags.open && page !== null) openBrowser(page, say)
}

/** The first signal ends things in order; while they are still being built, or at a second one, at once.
 *  A terminal's Ctrl+C comes twice, from the terminal and passed on by npm: that is one. */
function end(name: NodeJS.Signals): void {
  if (Date.now() - endingSince < 500) return
  endingSince = Date.now()
  if (stage === undefined || ending !== undefined) process.exit(name === 'SIGINT' ? 130 : 143)
  ending = stage.stop().then(
    () => process.exit(0),
    (error: unknown) => {
      process.stderr.write(`${wordsFor(error)}\n`)
      process.exit(1)
    },
  )
}

/** npm runs us through a shell that a signal to npm ends without passing it on: when that shell is gone, so are we. */
function followNpm(): void {
  if (process.env['npm_lifecycle_event'] === undefined) return
  const parent = process.ppid
  setInterval(() => process.ppid !== parent && ending === undefined && end('SIGTERM'), 500).unref()
}

function readFlags(args: string[]): Flags {
  try {
    const { values } = parseArgs({
      args,
      allowNegative: false,
      options: {
        'no-open': { type: 'boolean' },
        port: { type: 'string' },
        home: { type: 'string' },
        stock: { type: 'boolean' },
        codex: { type: 'boolean' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    })
    const port = values.port === undefined ? undefined : Number(values.port)
    if (values.codex && (values.home !== undefined || values.stock))
      throw new Sentence('--home and --stock are about DSH: leave them out with --codex.')
    if (port !== undefined && (!Number.isInteger(port) || port < 1 || port > 65535)) {
      throw new Sentence(`--port takes a number from 1 to 65535, not "${values.port}".`)
    }
    return {
      open: !values['no-open'],
      stock: values.stock ?? false,
      codex: values.codex ?? false,
      json: values.json ?? false,
      help: values.help ?? false,
      ...(port === undefined ? {} : { port }),
      ...(values.home === undefined ? {} : { home: values.home }),
    }
  } catch (error) {
    const why = error instanceof Error ? error.message.split('. To specify')[0] : String(error)
    throw new Sentence(`${why}\n\n${USAGE}`)
  }
}

function openBrowser(url: string, say: (line: string) => void): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url]
  const failed = (): void => say(`No browser could be opened: open ${url} yourself.`)
  const opener = spawn(command ?? '', args, { stdio: 'ignore', detached: true })
  opener.once('error', failed)
  opener.once('exit', (code) => code !== 0 && failed())
  opener.unref()
}
