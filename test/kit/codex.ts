/** A real Codex app-server over a throwaway CODEX_HOME and the scripted model, and a source thread in it. */
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { KEY_VARIABLE, writeCodexHome, type CodexHomeOptions } from '../../dev/codex/home.ts'
import { ensureCodex } from '../../dev/codex/install.ts'
import { startModel, type ScriptedModel } from '../../dev/model/server.ts'
import type { Clock } from '../../src/core/limits.ts'
import type { CodexConnection } from '../../src/providers/codex/connection.ts'
import { startCodex, type CodexProcess } from '../../src/providers/codex/process.ts'
import { readThreadFacts, turnIdOf, type Fields } from '../../src/providers/codex/protocol.ts'
import { refusalOf } from '../../src/providers/codex/refusal.ts'
import type { Incoming } from '../../src/providers/codex/router.ts'
import type { CodexMetadata } from '../../src/providers/codex/source.ts'
import { watchThread, type WatchedThread } from '../../src/providers/codex/thread.ts'

export const CLIENT = { name: 'sidemind_test', title: 'SideMind test', version: '0.0.0' }

export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** A CODEX_HOME with the scripted model behind it, and where it works. */
export interface CodexLab {
  readonly binary: string
  readonly model: ScriptedModel
  readonly home: string
  readonly work: string
  /** Starts an app-server over this home, or over another one. */
  start(home?: string): Promise<CodexProcess>
  /** Processes started here that were not stopped are stopped, then the folders go. */
  end(): Promise<void>
}

export async function startLab(options: Omit<CodexHomeOptions, 'modelUrl'> = {}): Promise<CodexLab> {
  const binary = await ensureCodex((line) => process.stderr.write(`${line}\n`))
  const folder = await realpath(await mkdtemp(join(tmpdir(), 'sidemind-codex-')))
  const [home, work] = [join(folder, 'home'), join(folder, 'work')]
  await mkdir(work)
  const model = await startModel({ chunkMs: 1 })
  await writeCodexHome(home, { modelUrl: model.url, ...options })
  const started: CodexProcess[] = []
  return {
    binary,
    model,
    home,
    work,
    async start(codexHome = home) {
      const running = await startCodex({
        binary,
        codexHome,
        cwd: work,
        client: CLIENT,
        refuse: refusalOf,
        clock: realClock,
        env: { [KEY_VARIABLE]: 'any', HOME: folder },
      })
      started.push(running)
      return running
    },
    async end() {
      await Promise.all(started.map((one) => one.stop()))
      await model.close()
      await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}

/** A thread of the person, as a host would run it. */
export interface SourceThread {
  readonly connection: CodexConnection
  readonly metadata: CodexMetadata
  readonly watched: WatchedThread
  /** Every message about it. */
  readonly heard: readonly Incoming[]
  /** Starts a turn; resolves with its id when it was accepted. */
  ask(text: string): Promise<string>
  /** Resolves with how the turn ended. */
  ended(turnId: string): Promise<Fields>
  /** Asks and waits for the end. */
  turn(text: string): Promise<Fields>
}

export const HOST_CONTEXT = 'HOST-CONTEXT: you run inside a test host.'

export async function startThread(
  { connection, facts }: { connection: CodexConnection; facts?: Fields },
  work: string,
): Promise<SourceThread> {
  const made = readThreadFacts(
    await connection.request('thread/start', { cwd: work, developerInstructions: HOST_CONTEXT, ...facts }),
  )
  if (made === null) throw new Error('no thread was started')
  const metadata: CodexMetadata = {
    threadId: made.id,
    codexHome: connection.facts.codexHome,
    model: made.model,
    modelProvider: made.modelProvider,
    ...(made.effort === null ? {} : { effort: made.effort }),
    cwd: made.cwd,
    hostContext: HOST_CONTEXT,
    codexVersion: connection.facts.version ?? '',
  }
  const heard: Incoming[] = []
  connection.listen(made.id, (message) => heard.push(message))
  const watched = watchThread(connection, metadata, { turns: 0, tokens: 0 })
  const settings = { model: made.model, reasoning_effort: made.effort, developer_instructions: HOST_CONTEXT }
  const thread: SourceThread = {
    connection,
    metadata,
    watched,
    heard,
    async ask(text) {
      return turnIdOf(
        await connection.request('turn/start', {
          threadId: made.id,
          input: [{ type: 'text', text }],
          collaborationMode: { mode: 'default', settings },
        }),
      )
    },
    async ended(turnId) {
      let found: Incoming | undefined
      await waitUntil(`turn ${turnId} ends`, () => {
        found = heard.find(({ method, params }) => method === 'turn/completed' && turnIdOf(params) === turnId)
        return found !== undefined
      })
      return found?.params['turn'] as Fields
    },
    turn: async (text) => thread.ended(await thread.ask(text)),
  }
  return thread
}

export async function waitUntil(what: string, isSo: () => boolean | Promise<boolean>, ms = 20_000): Promise<void> {
  for (const until = Date.now() + ms; Date.now() < until; await sleep(10)) if (await isSo()) return
  throw new Error(`waited in vain until ${what}`)
}
