/** Owns one app-server process: starts it in a CODEX_HOME that must exist, speaks lines with it, and ends it for sure. */

import { spawn, type ChildProcess } from 'node:child_process'
import { realpath, stat } from 'node:fs/promises'
import { SideError } from '../../core/errors.ts'
import type { Clock } from '../../core/limits.ts'
import { connect, type CodexConnection, type ConnectOptions } from './connection.ts'
import type { LineStream } from './rpc.ts'

export interface CodexProcessOptions {
  /** The native `codex` binary. */
  readonly binary: string
  /** CODEX_HOME. Empty would silently mean the person's own, so it is refused. */
  readonly codexHome: string
  readonly cwd: string
  readonly client: ConnectOptions['client']
  readonly refuse: ConnectOptions['refuse']
  readonly clock: Clock
  /** Added to this process's environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal
}

export interface CodexProcess {
  readonly pid: number
  readonly connection: CodexConnection
  /** Ends the process and resolves when it is gone; rejects when it is still there. Idempotent. */
  stop(): Promise<void>
}

const STEP_MS = 2_000
const COMPLAINT_CHARS = 4_000
/** A line longer than this is no message of a side (a whole history would be); the process is given up. */
const LINE_BYTES = 64 * 1024 * 1024

/** Starts an app-server and shakes hands. Rejects with SideError and leaves no process when that fails, `unsupported`
 *  before anything is started when the home is not there. */
export async function startCodex(options: CodexProcessOptions): Promise<CodexProcess> {
  const home = await existingHome(options.codexHome)
  options.signal?.throwIfAborted()
  const child = spawn(options.binary, ['app-server'], {
    cwd: options.cwd,
    env: { ...process.env, ...options.env, CODEX_HOME: home },
    stdio: ['pipe', 'pipe', 'pipe'],
  })
  const lines = linesOf(child)
  const stop = stopper(child, options.clock)
  try {
    const connection = await connect(lines, {
      clock: options.clock,
      client: options.client,
      refuse: options.refuse,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    })
    if (connection.facts.codexHome !== home)
      throw new SideError('unsupported', 'the app-server runs in another CODEX_HOME than it was told')
    return { pid: child.pid ?? 0, connection, stop }
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }
}

/** The real path of a CODEX_HOME. Throws `unsupported` for an empty, missing or wrong one. */
export async function existingHome(codexHome: string): Promise<string> {
  if (codexHome.trim() === '') throw new SideError('unsupported', 'the CODEX_HOME of this conversation is not known')
  try {
    const home = await realpath(codexHome)
    if ((await stat(home)).isDirectory()) return home
  } catch (error) {
    throw new SideError('unsupported', 'the CODEX_HOME of this conversation is not there', error)
  }
  throw new SideError('unsupported', 'the CODEX_HOME of this conversation is no folder')
}

function linesOf(child: ChildProcess): LineStream {
  const { stdin, stdout, stderr } = child
  if (stdin === null || stdout === null) throw new SideError('provider_error', 'the app-server has no pipes')
  let onLine: (line: string) => void = () => undefined
  const losses: ((reason: string) => void)[] = []
  let lost: string | null = null
  let parts: string[] = []
  let held = 0
  // What it complained of last is the reason when it ends.
  let complaint = ''
  stderr?.setEncoding('utf8')
  stderr?.on('data', (chunk: string) => {
    complaint = (complaint + chunk).slice(-COMPLAINT_CHARS)
  })
  const lose = (why: string): void => {
    if (lost !== null) return
    const error = /^Error: .*$/m.exec(complaint)?.[0]
    const reason = error === undefined ? why : `${why}; ${error}`
    lost = reason
    for (const listener of losses) listener(reason)
  }
  stdout.setEncoding('utf8')
  stdout.on('data', (chunk: string) => {
    let from = 0
    for (let at = chunk.indexOf('\n'); at >= 0; at = chunk.indexOf('\n', from)) {
      parts.push(chunk.slice(from, at))
      const line = parts.join('')
      parts = []
      held = 0
      from = at + 1
      if (line.trim() !== '') onLine(line)
    }
    if (from === chunk.length) return
    parts.push(chunk.slice(from))
    held += chunk.length - from
    if (held > LINE_BYTES) child.kill('SIGKILL')
  })
  // Its exit says more when it comes in the same moment.
  stdout.on('close', () => setImmediate(() => lose('its output ended')))
  stdout.on('error', (error) => lose(error.message))
  stdin.on('error', (error) => lose(error.message))
  child.on('error', (error) => lose(error.message))
  child.on('exit', (code, signal) => lose(`it exited (${signal ?? code ?? 'unknown'})`))
  return {
    write: (line) => {
      if (lost === null) stdin.write(`${line}\n`)
    },
    onLine(listener) {
      onLine = listener
    },
    onClose(listener) {
      if (lost === null) losses.push(listener)
      else listener(lost)
    },
  }
}

/** End of input first, then SIGTERM, then SIGKILL, each with two seconds. */
function stopper(child: ChildProcess, clock: Clock): () => Promise<void> {
  let gone = false
  const exited = new Promise<void>((resolve) => {
    const done = (): void => {
      gone = true
      resolve()
    }
    child.once('exit', done)
    // It never ran.
    child.once('error', () => (child.pid === undefined ? done() : undefined))
  })
  const within = async (): Promise<boolean> => {
    let cancel = (): void => {}
    const late = new Promise<void>((resolve) => {
      cancel = clock.after(STEP_MS, resolve)
    })
    await Promise.race([exited, late])
    cancel()
    return gone
  }
  let stopping: Promise<void> | null = null
  return () => {
    stopping ??= (async () => {
      if (!gone) child.stdin?.end()
      if (gone || (await within())) return
      child.kill('SIGTERM')
      if (await within()) return
      child.kill('SIGKILL')
      if (await within()) return
      stopping = null
      throw new SideError('provider_error', `app-server ${child.pid ?? ''} is still there`)
    })()
    return stopping
  }
}
