/** Starts the real host as a child process and guarantees its end. Owns its environment, its logs and its process group.
 *  Installing it is install.ts; the plugins in its DSH_HOME are home.ts. */
import { spawn, type ChildProcess } from 'node:child_process'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'

import { toolPath } from '../run-tool.ts'
import { Sentence } from '../sentence.ts'
import { hostBin, prepareHome } from './home.ts'
import { ensureHost } from './install.ts'
import { requireFreePort } from './port.ts'

const READY_WITHIN_MS = 60_000
const STOP_WITHIN_MS = 8_000

/** What to start, and which model it asks: with a key the real one, otherwise whatever listens at `modelUrl`. */
export interface LaunchOptions {
  /** DSH_HOME; created, and brought to the state "exactly these plugins are mounted". */
  home: string
  /** The folder that the host is started in. */
  workspace: string
  /** Tarball paths, in mounting order. */
  plugins: string[]
  /** A free one is taken when left out. */
  port?: number
  /** An OpenAI-compatible server; left out, the official one. */
  modelUrl?: string
  /** Sent to the model. Left out, a made-up one is, and the host sees no proxies. */
  apiKey?: string
  /** Further environment of the host process. */
  env?: Record<string, string>
  /** Called with each line that the host prints. */
  log?: (line: string) => void
}

/** A running host. */
export interface RunningHost {
  /** `http://127.0.0.1:<port>`, no slash at the end. */
  url: string
  home: string
  pid: number
  /** Settles when the process is gone, for whatever reason. */
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null }>
  /** Everything printed so far. */
  logs(): string
  /** Asks it to end, and ends it by force after eight seconds. Settles when nothing of it runs. */
  stop(): Promise<void>
  /** SIGKILL to it and all it started, as a crash would. */
  kill(): Promise<void>
  /** Ends it when it still runs and starts it again: same home, same port. */
  restart(): Promise<RunningHost>
}

/**
 * Starts the host and waits until its page answers.
 * @throws {Sentence} when the port is taken or the host ends before it is ready.
 */
export async function launchHost(options: LaunchOptions): Promise<RunningHost> {
  if (options.port !== undefined) await requireFreePort(options.port)
  const host = await ensureHost(options.log ?? (() => undefined))
  await prepareHome(host, options.home, options.plugins)
  await mkdir(join(options.home, 'person'), { recursive: true })
  await mkdir(options.workspace, { recursive: true })

  const child = spawn(
    process.execPath,
    [
      '--import',
      new URL('./leash.mjs', import.meta.url).href,
      hostBin(host),
      'web',
      '--no-open',
      '--host',
      '127.0.0.1',
      '--port',
      String(options.port ?? 0),
    ],
    {
      cwd: options.workspace,
      env: hostEnvironment(options),
      // A group of its own: a terminal's Ctrl+C reaches only us, and one signal reaches all that it starts.
      detached: process.platform !== 'win32',
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    },
  )
  const running = watch(child, options.log)
  const url = await ready(running)
  const port = Number(new URL(url).port)
  const restart = async (): Promise<RunningHost> => {
    await running.stop()
    return launchHost({ ...options, port })
  }
  return { ...running, url, home: options.home, restart }
}

type Watched = Pick<RunningHost, 'pid' | 'exited' | 'logs' | 'stop' | 'kill'>

function watch(child: ChildProcess, log: LaunchOptions['log']): Watched {
  let text = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8')
    stream?.on('data', (chunk: string) => {
      text += chunk
      for (const line of chunk.split('\n')) if (line.trim()) log?.(line)
    })
  }
  // The leash's other end: nothing is sent; it closes when this process ends.
  child.stdio[3]?.on('error', () => undefined)
  const endWithUs = (): void => signal(child, 'SIGKILL')
  process.on('exit', endWithUs)
  const exited = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once('error', (error) => {
      text += error.message
      resolve({ code: 127, signal: null })
    })
    child.once('exit', (code, by) => {
      // What it started and left behind goes with it.
      signal(child, 'SIGKILL')
      process.off('exit', endWithUs)
      resolve({ code, signal: by })
    })
  })
  return {
    pid: child.pid ?? -1,
    exited,
    logs: () => text,
    async stop() {
      signal(child, 'SIGTERM')
      const force = setTimeout(() => signal(child, 'SIGKILL'), STOP_WITHIN_MS)
      await exited
      clearTimeout(force)
    },
    async kill() {
      signal(child, 'SIGKILL')
      await exited
    },
  }
}

/** Signals the whole group; a group that is gone is no error. */
function signal(child: ChildProcess, name: NodeJS.Signals): void {
  if (child.pid === undefined) return
  try {
    if (process.platform === 'win32') child.kill(name)
    else process.kill(-child.pid, name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

async function ready(running: Watched): Promise<string> {
  const until = Date.now() + READY_WITHIN_MS
  let over = false
  void running.exited.then(() => (over = true))
  for (;;) {
    const url = /^dsh web: (http:\/\/127\.0\.0\.1:\d+)/m.exec(running.logs())?.[1]
    if (url !== undefined) return url
    if (over || Date.now() > until) {
      await running.kill()
      const last = running.logs().trim().split('\n').slice(-15).join('\n')
      throw new Sentence(
        `The host ${over ? 'ended while it was starting' : 'was not ready within a minute'}. Its last words:\n${last}`,
      )
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Only what the host needs: no proxies, tokens or settings of whoever runs this. Proxies are for the real model only. */
function hostEnvironment(options: LaunchOptions): NodeJS.ProcessEnv {
  const kept = [
    'LANG',
    'LC_ALL',
    'LC_CTYPE',
    'TZ',
    'TERM',
    'SHELL',
    'USER',
    'LOGNAME',
    'TMPDIR',
    'TEMP',
    'TMP',
    'SystemRoot',
    'ComSpec',
    'PATHEXT',
  ]
  const forNetwork =
    options.apiKey !== undefined
      ? ['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY', 'http_proxy', 'https_proxy', 'no_proxy', 'NODE_EXTRA_CA_CERTS']
      : []
  const environment: NodeJS.ProcessEnv = {}
  for (const name of [...kept, ...forNetwork])
    if (process.env[name] !== undefined) environment[name] = process.env[name]
  return {
    ...environment,
    PATH: toolPath(),
    // Its own, so that no skill or setting of the person's is mixed in.
    HOME: join(options.home, 'person'),
    USERPROFILE: join(options.home, 'person'),
    DSH_HOME: options.home,
    DSH_TELEMETRY_MODE: 'DISABLED',
    DSH_TELEMETRY_DISABLED: '1',
    DEEPSEEK_API_KEY: options.apiKey ?? 'scripted',
    ...(options.modelUrl === undefined ? {} : { DEEPSEEK_BASE_URL: options.modelUrl }),
    SIDEMIND_LEASH: '1',
    ...options.env,
  }
}
