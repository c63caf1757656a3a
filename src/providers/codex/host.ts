/** Runs Codex threads in one app-server: lists, starts and attaches them, and captures them for sides. Starts the app-server
 *  when it is first needed, and again after it was lost. */

import type { ModelRoute, SideEvent } from '../../core/contract.ts'
import { SideError } from '../../core/errors.ts'
import type { Clock } from '../../core/limits.ts'
import type { CodexConnection } from './connection.ts'
import { createMainThread, type MainThread } from './main-thread.ts'
import { fields, isRecent, list, MINIMUM_VERSION, readThreadFacts, text } from './protocol.ts'
import type { CodexProcess } from './process.ts'
import type { Records } from './records.ts'
import type { CodexMetadata, CodexSource } from './source.ts'

export interface CodexHostOptions {
  readonly clock: Clock
  /** Starts the app-server of the person's CODEX_HOME. */
  readonly start: () => Promise<CodexProcess>
  readonly records: Records
  readonly cwd: string
  /** Developer instructions of threads that are started here; '' for none. */
  readonly hostContext: string
  readonly isSide: (threadId: string) => boolean
}

interface View {
  readonly threadId: string
  readonly workspaceId: string
  readonly title: string
  readonly cwd: string
  readonly model: string
  readonly modelProvider: string
  readonly effort?: string
  readonly busy: boolean
}

interface Ref {
  readonly workspaceId: string
  readonly sourceSessionId: string
  readonly metadata?: (Omit<CodexMetadata, 'effort'> & { readonly effort?: string | undefined }) | undefined
}

const LISTED = 50
/** Stored turns that are read when a thread is attached, newest last. */
const TURNS = 200
const PAGE = 50

export type CodexHost = ReturnType<typeof createCodexHost>

export function createCodexHost(options: CodexHostOptions) {
  const threads = new Map<string, { readonly thread: MainThread; readonly connection: CodexConnection }>()
  let running: Promise<CodexProcess> | null = null
  let version: string | null = null
  let started = false
  let connected = false
  let stopped = false

  function ensure(): Promise<CodexProcess> {
    if (stopped) return Promise.reject(new SideError('expired', 'the service is stopping'))
    running ??= start().catch((error: unknown) => {
      running = null
      throw error
    })
    return running
  }

  async function start(): Promise<CodexProcess> {
    const process = await options.start()
    version = process.connection.facts.version
    started = true
    if (!isRecent(version)) {
      await process.stop()
      throw new SideError('unsupported', `codex ${version ?? 'of an unknown version'} is older than ${MINIMUM_VERSION}`)
    }
    connected = true
    process.connection.onLost(() => {
      connected = false
      running = null
      for (const [id, { thread, connection }] of threads) {
        if (connection !== process.connection) continue
        thread.lost()
        threads.delete(id)
      }
    })
    return process
  }

  async function attach(made: unknown, title: string, turns: readonly unknown[], context: string): Promise<View> {
    const { connection } = await ensure()
    const facts = readThreadFacts(made)
    if (facts === null) throw new SideError('provider_error', 'the app-server answered without a thread')
    const metadata: CodexMetadata = {
      threadId: facts.id,
      codexHome: connection.facts.codexHome,
      model: facts.model,
      modelProvider: facts.modelProvider,
      ...(facts.effort === null ? {} : { effort: facts.effort }),
      cwd: facts.cwd,
      hostContext: context,
      codexVersion: connection.facts.version ?? '',
    }
    const thread = createMainThread({ clock: options.clock, connection, metadata, title, turns })
    threads.set(facts.id, { thread, connection })
    await options.records.put(metadata)
    return view(facts.id)
  }

  function one(threadId: string): MainThread {
    const found = threads.get(threadId)
    if (found === undefined) throw new SideError('not_found', `thread ${threadId} does not run here`)
    return found.thread
  }

  function view(threadId: string): View {
    const thread = one(threadId)
    const { cwd, model, modelProvider, effort } = thread.watched.metadata
    const { title, busy } = thread
    return {
      threadId,
      workspaceId: cwd,
      title,
      cwd,
      model,
      modelProvider,
      busy,
      ...(effort === undefined ? {} : { effort }),
    }
  }

  async function storedTurns(connection: CodexConnection, threadId: string): Promise<readonly unknown[]> {
    const turns: unknown[] = []
    let cursor: string | null = null
    while (turns.length < TURNS) {
      const page = fields(
        await connection.request('thread/turns/list', { threadId, limit: PAGE, itemsView: 'full', cursor }),
      )
      turns.push(...list(page?.['data']))
      cursor = text(page?.['nextCursor']) || null
      if (cursor === null) break
    }
    return turns.toReversed()
  }

  return {
    /** Whether Codex waits for a login before it can ask its model. Starts the app-server. */
    async needsLogin(): Promise<boolean> {
      const { connection } = await ensure()
      const answer = fields(await connection.request('account/read', { refreshToken: false }))
      return answer?.['requiresOpenaiAuth'] === true && fields(answer['account']) === null
    },
    async list() {
      const { connection } = await ensure()
      const answer = fields(await connection.request('thread/list', { limit: LISTED, sortKey: 'updated_at' }))
      return list(answer?.['data']).flatMap((raw) => {
        const thread = fields(raw)
        const threadId = text(thread?.['id'])
        if (thread === null || threadId === '' || thread['ephemeral'] === true) return []
        const updatedAt = typeof thread['updatedAt'] === 'number' ? thread['updatedAt'] * 1_000 : 0
        const title = text(thread['name']) || text(thread['preview'])
        return [{ threadId, title, cwd: text(thread['cwd']), updatedAt, attached: threads.has(threadId) }]
      })
    },
    async start(cwd: string | undefined): Promise<View> {
      const { connection } = await ensure()
      const made = await connection.request('thread/start', {
        cwd: cwd ?? options.cwd,
        ...(options.hostContext === '' ? {} : { developerInstructions: options.hostContext }),
      })
      return attach(made, '', [], options.hostContext)
    },
    async attach(threadId: string): Promise<View> {
      if (threads.has(threadId)) return view(threadId)
      const { connection } = await ensure()
      const known = await options.records.get(threadId)
      const made = await connection
        .request('thread/resume', { threadId, excludeTurns: true })
        .catch((error: unknown) => {
          throw /no rollout|invalid|archived/i.test(String(error))
            ? new SideError('not_found', `thread ${threadId} cannot be attached`, error)
            : error
        })
      const thread = fields(fields(made)?.['thread'])
      const title = text(thread?.['name']) || text(thread?.['preview'])
      return attach(made, title, await storedTurns(connection, threadId), known?.hostContext ?? '')
    },
    read: view,
    ask: (threadId: string, turnId: string, question: string) => one(threadId).ask(turnId, question),
    interrupt: (threadId: string, turnId: string) => one(threadId).interrupt(turnId),
    answer: (threadId: string, requestId: string, decision: 'accept' | 'decline') =>
      one(threadId).answer(requestId, decision),
    subscribe: (threadId: string, listener: (event: SideEvent) => void) => one(threadId).subscribe(listener),
    async capture(ref: Ref): Promise<CodexSource> {
      const live = threads.get(ref.sourceSessionId)
      const now = options.clock.now()
      if (live !== undefined) return live.thread.watched.capture(ref.workspaceId, now)
      const given = ref.metadata
      const metadata = given === undefined ? await options.records.get(ref.sourceSessionId) : plain(given)
      if (metadata === null) throw new SideError('not_found', `thread ${ref.sourceSessionId} is not known here`)
      return {
        workspaceId: ref.workspaceId,
        sessionId: ref.sourceSessionId,
        inheritedTurns: 0,
        inheritedTokens: 0,
        liveTurn: null,
        capturedAt: now,
        metadata,
        started: true,
        isSide: options.isSide(ref.sourceSessionId),
      }
    },
    routeOf({ metadata }: CodexSource): ModelRoute {
      return {
        provider: metadata?.modelProvider ?? '',
        model: metadata?.model ?? '',
        ...(metadata?.effort === undefined ? {} : { effort: metadata.effort }),
      }
    },
    /** The connection that runs this thread now. */
    live: (threadId: string): CodexConnection | undefined => threads.get(threadId)?.connection,
    get status() {
      return { codexVersion: version ?? '', connected, cwd: options.cwd }
    },
    /** Whether an app-server ever shook hands, of whatever version. */
    get started() {
      return started
    },
    /** Ends the app-server. Sides first, by their controller. */
    async stop(): Promise<void> {
      stopped = true
      await (await running?.catch(() => null))?.stop()
    },
  }
}

function plain({ effort, ...rest }: NonNullable<Ref['metadata']>): CodexMetadata {
  return effort === undefined ? rest : { ...rest, effort }
}
