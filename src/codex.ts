/** The service over Codex: connects the provider, the threads of the person, the controller and the server. */

import { randomBytes } from 'node:crypto'
import type { MiddlewareHandler } from 'hono'
import { boundaryText } from './core/brief.ts'
import { createController, type SideController } from './core/controller.ts'
import type { Clock, Limits } from './core/limits.ts'
import { logLine } from './core/report.ts'
import { createCodexHost, type CodexHost } from './providers/codex/host.ts'
import { existingHome, startCodex, type CodexProcess } from './providers/codex/process.ts'
import { createCodexProvider } from './providers/codex/provider.ts'
import { createRecords } from './providers/codex/records.ts'
import { refusalOf } from './providers/codex/refusal.ts'
import type { CodexSource } from './providers/codex/source.ts'
import { listen } from './service/listen.ts'
import { createService } from './service/server.ts'

export interface CodexServiceOptions {
  /** The native Codex binary. */
  readonly binary: string
  readonly codexHome: string
  /** Folder for threads that name none. */
  readonly cwd: string
  /** Own state folder: metadata of threads, nothing else. */
  readonly state: string
  /** 0 picks a free port. */
  readonly port: number
  readonly version: string
  /** Added to the app-server's environment. */
  readonly env?: Readonly<Record<string, string>>
  readonly limits?: Partial<Limits>
  readonly hostContext?: string
  readonly token?: string
  readonly page?: (token: string) => MiddlewareHandler
  /** One line for the log. */
  readonly report: (line: string) => void
}

export interface CodexService {
  readonly port: number
  readonly token: string
  readonly url: string
  readonly controller: SideController<CodexSource>
  readonly host: CodexHost
  /** Ends sides, streams, the server and the app-server, in this order. Idempotent. */
  close(): Promise<void>
}

/** Starts the service on 127.0.0.1. The app-server starts with the first thing that needs it. */
export async function startCodexService(options: CodexServiceOptions): Promise<CodexService> {
  const { version } = options
  const codexHome = await existingHome(options.codexHome)
  const token = options.token ?? randomBytes(32).toString('base64url')
  const start = (
    home: string,
    cwd: string,
    side?: { sideSessionId: string; signal: AbortSignal },
  ): Promise<CodexProcess> =>
    startCodex({
      binary: options.binary,
      codexHome: home,
      cwd,
      client: { name: side === undefined ? 'sidemind' : 'sidemind_side', title: 'SideMind', version },
      refuse: refusalOf,
      clock,
      env: { ...options.env, ...(side === undefined ? {} : { SIDEMIND_SIDE_ID: side.sideSessionId }) },
      ...(side === undefined ? {} : { signal: side.signal }),
    })
  const provider = createCodexProvider({
    clock,
    live: (threadId) => host.live(threadId),
    start: (metadata, side) => start(metadata.codexHome, metadata.cwd, side),
  })
  const host = createCodexHost({
    clock,
    start: () => start(codexHome, options.cwd),
    records: createRecords(options.state),
    cwd: options.cwd,
    hostContext: options.hostContext ?? '',
    isSide: provider.isSide,
  })
  const controller = createController<CodexSource>({
    provider,
    clock,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    brief: ({ kind, source }) =>
      boundaryText({
        kind,
        liveTurn: source.liveTurn,
        tools: kind === 'side' ? ['shell commands that only read'] : [],
        ephemeral: true,
      }),
    isCanonical: (_workspaceId, id) => host.live(id) !== undefined,
    report: (report) => options.report(logLine(report)),
  })
  const bound = { port: 0 }
  const service = createService<CodexSource>(
    { controller, threads: host, clock, version },
    {
      token,
      port: () => bound.port,
      ...(options.page === undefined ? {} : { page: options.page(token) }),
    },
  )
  const listening = await listen(service, options.port)
  bound.port = listening.port

  let closing: Promise<void> | null = null
  return {
    port: bound.port,
    token,
    url: `http://127.0.0.1:${bound.port}`,
    controller,
    host,
    close() {
      closing ??= (async () => {
        for (const side of await controller.shutdown()) options.report(`side ${side.sideSessionId} may still be there`)
        await listening.close()
        await host.stop()
      })()
      return closing
    },
  }
}

const clock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
