/** OpenAI Codex as a SideProvider: each side is an ephemeral fork in an app-server, the source's own while that runs (shared
 *  by reference and never closed), else a process of the side's own over the same CODEX_HOME. */

import type {
  Capabilities,
  ExecRequest,
  OpenRequest,
  OpenResult,
  OpenSide,
  SideProvider,
  SideSink,
} from '../../core/contract.ts'
import { isSupported, NO_CAPABILITIES } from '../../core/contract.ts'
import { SideError, toSideError } from '../../core/errors.ts'
import type { Clock } from '../../core/limits.ts'
import { boundaryItems, developerText } from './brief.ts'
import { createChild, type Child } from './child.ts'
import type { CodexConnection } from './connection.ts'
import { forkParams, lineageOf, modelOf, weakness } from './fork.ts'
import { fields, hostContextOf, isRecent, readThreadFacts } from './protocol.ts'
import { existingHome, type CodexProcess } from './process.ts'
import type { Incoming, Provisional } from './router.ts'
import type { CodexMetadata, CodexSource } from './source.ts'

export interface CodexProviderOptions {
  readonly clock: Clock
  /** The connection that runs this thread now, if any. Shared: never closed here. */
  readonly live: (threadId: string) => CodexConnection | undefined
  /** Starts an app-server over the metadata's CODEX_HOME for one side of a thread that runs nowhere. */
  readonly start: (
    metadata: CodexMetadata,
    side: { readonly sideSessionId: string; readonly signal: AbortSignal },
  ) => Promise<CodexProcess>
}

export interface CodexProvider extends SideProvider<CodexSource> {
  /** Whether this thread id is a side of ours. */
  isSide(threadId: string): boolean
}

/** A source's developer instructions, as its live connection last told. */
interface HostContext {
  current(): string
  stop(): void
}

export function createCodexProvider(options: CodexProviderOptions): CodexProvider {
  const { clock } = options
  const children = new Map<string, Child>()

  async function capabilities(source: CodexSource): Promise<Capabilities> {
    const { metadata } = source
    if (source.isSide || children.has(source.sessionId) || metadata === null || !source.started) return NO_CAPABILITIES
    if (metadata.model === '' || metadata.modelProvider === '' || metadata.cwd === '') return NO_CAPABILITIES
    const connection = options.live(source.sessionId)
    const version = connection === undefined ? metadata.codexVersion : connection.facts.version
    const recent = isRecent(version) && (connection?.experimental ?? true)
    const reachable = connection === undefined ? await isThere(metadata.codexHome) : !connection.closed
    return {
      supported: recent && reachable,
      activeSourceTurn: recent,
      ephemeral: recent,
      hideInheritedTurns: recent,
      modelBoundaryInjected: recent,
    }
  }

  async function open(request: OpenRequest<CodexSource>, sink: SideSink): Promise<OpenResult> {
    const { source, signal } = request
    const { metadata } = source
    signal.throwIfAborted()
    const shown = await capabilities(source)
    if (metadata === null || !isSupported(shown))
      throw new SideError('unsupported', `thread ${source.sessionId} cannot have a side`)
    const live = options.live(source.sessionId)
    if (live !== undefined) return fork(request, sink, metadata, shown, live, null)
    const own = await options.start(metadata, { sideSessionId: request.side.sideSessionId, signal })
    try {
      if (!isRecent(own.connection.facts.version))
        throw new SideError(
          'unsupported',
          `codex ${own.connection.facts.version ?? 'of an unknown version'} is too old`,
        )
      return await fork(request, sink, metadata, shown, own.connection, own)
    } catch (error) {
      // Nobody but this side uses the process; what could not be ended is told with the failure.
      await own.stop()
      throw error
    }
  }

  async function fork(
    request: OpenRequest<CodexSource>,
    sink: SideSink,
    metadata: CodexMetadata,
    shown: Capabilities,
    connection: CodexConnection,
    own: CodexProcess | null,
  ): Promise<OpenResult> {
    const { kind, signal } = request
    const model = modelOf(metadata, request.route)
    const context = hostContext(connection, metadata)
    const provisional = connection.expectFork()
    try {
      const silenced = kind === 'btw' ? await mcpServers(connection, signal) : []
      const developer = developerText(context.current(), kind)
      const result = await connection.request('thread/fork', forkParams(metadata, kind, model, developer, silenced), {
        signal,
        timeoutMs: FORK_MS,
        late: (late) => releaseLate(connection, late, metadata.threadId),
      })
      const made = readThreadFacts(result)
      if (made === null || lineageOf(made, metadata.threadId) === 'foreign')
        throw new SideError('provider_error', 'the app-server answered with another thread')
      const forked = createChild({
        clock,
        connection,
        own,
        threadId: made.id,
        kind,
        model,
        developer: () => developerText(context.current(), kind),
        sink,
        onEnd: () => {
          children.delete(made.id)
          context.stop()
        },
      })
      children.set(made.id, forked)
      try {
        forked.hear((listener) => adopt(provisional, made.id, listener))
        const wrong = weakness(made, metadata, model)
        if (wrong !== null) throw new SideError('unsupported', wrong)
        await connection.request(
          'thread/inject_items',
          { threadId: made.id, items: boundaryItems(developer, request.boundary) },
          { signal },
        )
        signal.throwIfAborted()
      } catch (error) {
        forked.mute()
        const kept = await forked.close().then(
          () => false,
          () => true,
        )
        // Whoever gets this result closes it again, and tries until it is gone (P4, T8).
        if (!kept || !signal.aborted) throw error
      }
      return {
        providerSessionId: made.id,
        sourceSessionId: request.source.sessionId,
        sideSessionId: request.side.sideSessionId,
        capabilities: shown,
      }
    } catch (error) {
      context.stop()
      throw toSideError(error)
    } finally {
      provisional.end()
    }
  }

  function child(side: OpenSide): Child {
    const found = children.get(side.providerSessionId)
    if (found === undefined) throw new SideError('expired', `no child ${side.providerSessionId}`)
    return found
  }

  return {
    id: 'codex',
    capabilities,
    open,
    async exec(side: OpenSide, request: ExecRequest) {
      await child(side).exec(request)
    },
    async cancel(side, turnId) {
      await child(side).cancel(turnId)
    },
    async respond() {
      throw new SideError('interaction_not_live', 'a Codex side never asks: it runs with approvals never')
    },
    async promote(side) {
      // Its MCP servers and its web search were turned off when it was forked.
      throw new SideError('unsupported', `thread ${side.providerSessionId} stays without tools`)
    },
    async close(side) {
      await children.get(side.providerSessionId)?.close()
    },
    isSide: (threadId) => children.has(threadId),
  }
}

/** A fork waits for the MCP servers of its configuration. The open's own deadline is shorter or longer. */
const FORK_MS = 60_000

function adopt(provisional: Provisional, threadId: string, listener: (message: Incoming) => void): () => void {
  try {
    return provisional.adopt(threadId, listener)
  } catch (error) {
    throw new SideError('provider_error', 'the app-server said too much before the side was open', error)
  }
}

/** Names of the MCP servers of the app-server's configuration; a `/btw` turns each of them off. */
async function mcpServers(connection: CodexConnection, signal: AbortSignal): Promise<readonly string[]> {
  const answer = fields(await connection.request('config/read', { includeLayers: false }, { signal }))
  const servers = fields(fields(answer?.['config'])?.['mcp_servers'])
  return Object.keys(servers ?? {})
}

/** The child of a fork that nobody waits for any more. */
function releaseLate(connection: CodexConnection, result: unknown, sourceThreadId: string): void {
  const made = readThreadFacts(result)
  if (made === null || lineageOf(made, sourceThreadId) === 'foreign') return
  connection.request('thread/unsubscribe', { threadId: made.id }).catch(() => undefined)
}

function hostContext(connection: CodexConnection, metadata: CodexMetadata): HostContext {
  let said = metadata.hostContext
  const stop = connection.listen(metadata.threadId, (message) => {
    if (message.method === 'thread/settings/updated') said = hostContextOf(message.params) ?? said
  })
  return { current: () => said, stop }
}

async function isThere(codexHome: string): Promise<boolean> {
  return existingHome(codexHome).then(
    () => true,
    () => false,
  )
}
