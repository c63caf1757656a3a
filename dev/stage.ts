/** Everything `npm start` shows and every browser test needs, as one thing: a model, the real host with the packed plugin,
 *  a workspace and a conversation. Owns their order and their common end. */
import { existsSync, rmSync } from 'node:fs'
import { cp, mkdir, realpath } from 'node:fs/promises'
import { join, resolve } from 'node:path'

import { ensureHost } from './host/install.ts'
import { launchHost, type RunningHost } from './host/launch.ts'
import { requireFreePort } from './host/port.ts'
import { connectRpc, newSession, openWorkspace, type Rpc } from './host/rpc.ts'
import { startModel, type ScriptedModel } from './model/server.ts'
import { makeThrowaway, removeOrphans } from './orphans.ts'
import { packPlugin } from './pack.ts'
import { packSeams } from './seams/pack.ts'

const OFFICIAL_MODEL = 'https://api.deepseek.com'

/** What to build. All of it has a default. */
export interface StageOptions {
  /** DSH_HOME to use and keep. Left out, a throwaway one. */
  home?: string
  /** The host's port; left out, a free one. */
  port?: number
  /** Without the seams adapter: the host as it is published. */
  stock?: boolean
  /** Plugins to mount in place of the packed one (tarball paths); the seams adapter still comes after them. */
  plugins?: string[]
  /** A key for the real model; left out, the scripted model answers. */
  apiKey?: string
  /** The real model's address, only with a key. */
  modelUrl?: string
  /** Words for a person, one line each. */
  report?: (line: string) => void
  /** Each line that the host prints. */
  log?: (line: string) => void
}

/** A running stage. */
export interface Stage {
  /** The page, no slash at the end. */
  url: string
  /** The page with the new conversation in front. */
  sessionUrl: string
  sessionId: string
  workspaceId: string
  home: string
  workspace: string
  modelUrl: string
  /** Absent when the real model is used. */
  model: ScriptedModel | undefined
  host: RunningHost
  rpc: Rpc
  /** Starts the host again, after a crash too: same home, same address. */
  restartHost(): Promise<void>
  /** Ends every process and removes what was throwaway. May be called more than once. */
  stop(): Promise<void>
}

/**
 * Builds a stage, and takes down what stood already when something fails.
 * @throws {Sentence} for what a person can mend: a taken port, no network, a plugin that does not build.
 */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const report = options.report ?? (() => undefined)
  const ends: (() => unknown)[] = []
  const stop = async (): Promise<void> => {
    for (let end = ends.pop(); end !== undefined; end = ends.pop()) await end()
  }
  try {
    if (options.port !== undefined) await requireFreePort(options.port)
    await ensureHost(report)
    const plugins = [...(options.plugins ?? [await packPlugin(report)])]
    if (!options.stock) plugins.push(await packSeams(report))

    const place = await makePlace(options.home)
    ends.push(place.remove)
    const model = options.apiKey === undefined ? await startModel() : undefined
    if (model) ends.push(() => model.close())
    const modelUrl = model?.url ?? options.modelUrl

    report('Starting DeepSeek Harness.')
    const host = await launchHost({
      home: place.home,
      workspace: place.workspace,
      plugins,
      ...(options.port === undefined ? {} : { port: options.port }),
      ...(modelUrl === undefined ? {} : { modelUrl }),
      ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
      ...(options.log === undefined ? {} : { log: options.log }),
    })
    ends.push(() => stage.host.stop())

    const rpc = connectRpc(host.url)
    const stage: Stage = {
      url: host.url,
      sessionUrl: host.url,
      sessionId: '',
      workspaceId: '',
      home: place.home,
      workspace: place.workspace,
      modelUrl: modelUrl ?? OFFICIAL_MODEL,
      model,
      host,
      rpc,
      async restartHost() {
        stage.host = await stage.host.restart()
      },
      stop,
    }
    stage.workspaceId = await openWorkspace(rpc, place.workspace)
    stage.sessionId = await newSession(rpc, stage.workspaceId)
    // The page has no address per conversation: without a choice of its own it opens the newest empty one, which is this.
    stage.sessionUrl = `${host.url}/#session=${stage.sessionId}`
    return stage
  } catch (error) {
    await stop()
    throw error
  }
}

/** Where the stage stands: a home, and the sample project as the workspace. */
async function makePlace(kept: string | undefined): Promise<{ home: string; workspace: string; remove: () => void }> {
  await removeOrphans('sidemind')
  const temporary = kept === undefined ? await makeThrowaway('sidemind') : undefined
  const remove = (): void => {
    process.off('exit', remove)
    if (temporary !== undefined) rmSync(temporary, { recursive: true, force: true, maxRetries: 5 })
  }
  process.on('exit', remove)
  const home = temporary === undefined ? resolve(kept ?? '') : join(temporary, 'home')
  await mkdir(home, { recursive: true })
  const workspace = join(await realpath(temporary ?? home), 'tideline')
  // A kept one is left as the person last had it.
  if (!existsSync(workspace)) await cp(join(import.meta.dirname, 'sample'), workspace, { recursive: true })
  return { home, workspace, remove }
}
