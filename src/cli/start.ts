/** Starts the service over Codex for a person at a terminal: finds what it needs, and says what is missing. */

import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { startCodexService, type CodexService } from '../codex.ts'
import { SideError } from '../core/errors.ts'
import { findCodex } from '../providers/codex/find.ts'
import { isRecent, MINIMUM_VERSION } from '../providers/codex/protocol.ts'
import { pageFor } from '../service/page.ts'
import { codexHomeOf, stateOf, type Machine } from './folders.ts'
import type { Flags } from './flags.ts'
import type { Demo, StartDemo } from './demo.ts'
import { Told, type Words } from './words.ts'

export interface Parts {
  readonly version: string
  readonly words: Words
  readonly env: Readonly<Record<string, string | undefined>>
  readonly demo: StartDemo
  /** Folder of the built package's files, with those of the page. */
  readonly dist: string
  /** One line for the log. */
  readonly report: (line: string) => void
}

export interface Running {
  readonly url: string
  readonly token: string
  readonly port: number
  /** Lines for the person. */
  readonly lines: readonly string[]
  /** What a browser opens. */
  readonly page: string
  /** Ends sides, streams, server, app-server and demo, in this order. Idempotent. */
  stop(): Promise<void>
  /** Drops what an end that cannot wait must not leave behind. */
  drop(): void
}

/** Resolves when Codex answers. Rejects with Told, and leaves nothing behind. */
export async function startCommand(flags: Flags, parts: Parts): Promise<Running> {
  const { words } = parts
  const binary = await findCodex(flags.codex, parts.env['PATH'] ?? '')
  if (binary === null) throw new Told(flags.codex === undefined ? words.noCodex : words.noCodexAt(flags.codex))
  const machine: Machine = { platform: process.platform, env: parts.env, home: homedir() }
  const cwd = resolve(flags.cwd ?? '.')
  if (!(await isFolder(cwd))) throw new Told(words.noFolder(cwd))
  const codexHome = flags.demo ? null : resolve(codexHomeOf(flags.codexHome, machine, words))
  if (codexHome !== null && !(await isFolder(codexHome))) throw new Told(words.noHome(codexHome))

  const demo = flags.demo ? await parts.demo() : null
  let service: CodexService | undefined
  let stopping: Promise<void> | null = null
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      try {
        await service?.close()
      } finally {
        await demo?.end()
      }
    })()
    return stopping
  }
  try {
    service = await serve(binary, codexHome, cwd, demo)
    await check(service, words)
    const { url, token, port } = service
    const page = `${url}/t/${token}/`
    const home = demo?.codexHome ?? codexHome ?? ''
    return {
      url,
      token,
      port,
      page,
      lines: [
        words.page(page),
        words.api(url),
        words.token(token),
        `${words.codex(service.host.status.codexVersion, home)}${demo === null ? '' : ` ${words.demoNote}`}`,
      ],
      stop,
      drop: () => demo?.drop(),
    }
  } catch (error) {
    await stop().catch(() => undefined)
    throw error
  }

  async function serve(
    binaryPath: string,
    personHome: string | null,
    folder: string,
    shown: Demo | null,
  ): Promise<CodexService> {
    try {
      return await startCodexService({
        binary: binaryPath,
        codexHome: shown?.codexHome ?? personHome ?? '',
        cwd: flags.cwd === undefined ? (shown?.cwd ?? folder) : folder,
        state: flags.state === undefined ? (shown?.state ?? stateOf(machine)) : resolve(flags.state),
        port: flags.port,
        version: parts.version,
        report: parts.report,
        page: pageFor(parts.dist),
        ...(shown === null ? {} : { env: shown.env }),
      })
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code
      if (code === 'EADDRINUSE') throw new Told(words.portTaken(flags.port))
      if (code === 'EACCES') throw new Told(words.portRefused(flags.port))
      throw error
    }
  }
}

/** Starts the app-server, so that what is wrong with it is said now and not with the first question. */
async function check({ host }: CodexService, words: Words): Promise<void> {
  let needsLogin: boolean
  try {
    needsLogin = await host.needsLogin()
  } catch (error) {
    const { codexVersion } = host.status
    if (host.started && !isRecent(codexVersion || null))
      throw new Told(
        codexVersion === '' ? words.unknownCodex(MINIMUM_VERSION) : words.oldCodex(codexVersion, MINIMUM_VERSION),
      )
    throw new Told(words.badCodex(error instanceof SideError ? error.detail : String(error)))
  }
  if (needsLogin) throw new Told(words.noLogin)
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  )
}
