/** SideTransport over the service: one operation each, answers by its event streams. Remembers the names of its sides over a
 *  reload (D7). The identity of a side is its key: an id used again drives nobody else's side. */

import type {
  Capabilities,
  ExpiryReason,
  ForkFacts,
  ModelCatalog,
  OpenSideRequest,
  ParentRef,
  SideTransport,
  StreamSignal,
} from '../../src/wire/index.ts'
import { SideError } from '../../src/wire/index.ts'
import type { Output, SideClient, SideId } from '../../src/service/client.ts'
import { pageMemory, type Remembered } from './memory.ts'
import type { Line } from './line.ts'
import { followSide } from './streams.ts'

export interface WebTransportOptions {
  readonly client: SideClient
  /** Its owner's. */
  readonly line: Line
  readonly memory: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null
  /** False in a copy of a tab: what is remembered there are another page's sides. Never rejects. */
  readonly sole: Promise<boolean>
  readonly wait: (ms: number, task: () => void) => () => void
  /** The service did not answer. */
  readonly onTrouble: () => void
}

interface OpenSide extends Remembered {
  /** It was closed and may still be brought back (D6). */
  leaving: boolean
  /** Undoes what waits for the end of that window. */
  stay: () => void
}

/** The service's undo window began a little before the answer to the close came. */
const WINDOW_SLACK_MS = 1_000
/** The most that the service keeps a closed side. */
const KEEP_MOST_MS = 60_000
const NO_MODELS: ModelCatalog = { main: null, providers: [] }

export function createWebTransport(options: WebTransportOptions): SideTransport {
  const { client, line, wait } = options
  const sides = new Map<string, OpenSide>()
  const memory = pageMemory(options.memory)
  const before = new Map(memory.read().map((side) => [side.sideId, side]))

  function remember(): void {
    memory.write([...before.values(), ...[...sides.values()].filter((side) => !side.leaving)])
  }

  function forget(sideId: string): void {
    sides.get(sideId)?.stay()
    if (sides.delete(sideId)) remember()
  }

  function known(sideId: string): OpenSide {
    const side = sides.get(sideId)
    if (side === undefined) throw new SideError('expired', `no side ${sideId} in this page`)
    return side
  }

  /** Calls the service, and tells when it is not there. */
  async function reach<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      if (error instanceof SideError && error.code === 'stream_unavailable') options.onTrouble()
      throw error
    }
  }

  return {
    async capabilities(parent): Promise<Capabilities> {
      return (await reach(client.call('resolve', { body: { source: sourceOf(parent) } }))).capabilities
    },

    async open(request: OpenSideRequest) {
      const { parent, kind, sideId, requestId, turnId, route, signal } = request
      const text = textOf(request.content)
      const side = sideOf({ parent, sideId, requestId })
      const opened = await reach(
        client.call(
          'open',
          {
            body: {
              source: sourceOf(parent),
              sideSessionId: sideId,
              requestId,
              kind,
              ...(route === undefined ? {} : { route }),
            },
          },
          signal,
        ),
      )
      const facts = factsOf(opened, kind)
      sides.set(sideId, { sideId, requestId, kind, parent, facts, leaving: false, stay: () => {} })
      try {
        await reach(client.call('send', { body: { side, turnId, clientSubmitId: turnId, text } }, signal))
      } catch (error) {
        forget(sideId)
        client.call('close', { body: { side } }).catch(() => undefined)
        throw error
      }
      remember()
      return facts
    },

    async send(sideId, turnId, content) {
      const side = sideOf(known(sideId))
      await reach(client.call('send', { body: { side, turnId, clientSubmitId: turnId, text: textOf(content) } }))
      return {}
    },
    // The service tells no models: a side asks what its thread asks.
    models: async () => NO_MODELS,
    cancel: async (sideId, turnId) => reach(client.call('cancel', { body: { side: sideOf(known(sideId)), turnId } })),
    async respond(sideId, turnId, requestId, response) {
      await reach(client.call('respond', { body: { side: sideOf(known(sideId)), turnId, requestId, response } }))
    },

    /** A question had no environment and cannot get one here: what was said is quoted in a new side instead. */
    async promote() {
      throw new SideError('unsupported', 'a question of the service stays one')
    },

    async close(sideId, keepFor) {
      const side = sides.get(sideId)
      // A side that is gone is closed (T7).
      if (side === undefined) return
      side.leaving = true
      remember()
      const keepForMs = Math.min(keepFor, KEEP_MOST_MS)
      try {
        await reach(client.call('close', { body: { side: sideOf(side), ...(keepForMs > 0 ? { keepForMs } : {}) } }))
      } catch (error) {
        forget(sideId)
        if (error instanceof SideError && (error.code === 'expired' || error.code === 'not_found')) return
        throw error
      }
      if (keepForMs === 0) forget(sideId)
      else if (side.leaving) side.stay = wait(keepForMs + WINDOW_SLACK_MS, () => forget(sideId))
    },
    async reopen(sideId) {
      const side = known(sideId)
      side.stay()
      try {
        await reach(client.call('reopen', { body: { side: sideOf(side) } }))
      } catch (error) {
        forget(sideId)
        throw error
      }
      side.leaving = false
      remember()
    },
    async touch(sideId, visible) {
      await reach(client.call('touch', { body: { side: sideOf(known(sideId)), visible } }))
    },

    follow(sideId, onSignal: (signal: StreamSignal) => void) {
      const side = sides.get(sideId)
      if (side === undefined) {
        onSignal(expired('client_lost'))
        return () => {}
      }
      return followSide(line, sideOf(side), (signal) => {
        onSignal(signal)
        if (isOver(signal)) forget(sideId)
      })
    },

    /** Only names are checked here; whether a side still lives is what its stream says first. */
    async restore(parent) {
      if (!(await options.sole)) {
        before.clear()
        remember()
      }
      for (const side of before.values()) {
        if (side.parent.sessionId !== parent.sessionId) continue
        before.delete(side.sideId)
        sides.set(side.sideId, { ...side, leaving: false, stay: () => {} })
      }
      return [...sides.values()].flatMap(({ sideId, kind, parent: { sessionId }, facts, leaving }) =>
        sessionId !== parent.sessionId || leaving ? [] : [{ sideId, kind, title: '', facts }],
      )
    },

    dispose() {
      for (const { stay } of sides.values()) stay()
      sides.clear()
    },
  }
}

function sourceOf({ workspaceId, sessionId }: ParentRef): { workspaceId: string; sourceSessionId: string } {
  return { workspaceId, sourceSessionId: sessionId }
}

function sideOf({ parent, sideId, requestId }: Pick<Remembered, 'parent' | 'sideId' | 'requestId'>): SideId {
  return { ...sourceOf(parent), sideSessionId: sideId, requestId }
}

function factsOf({ facts }: Output<'open'>, kind: OpenSideRequest['kind']): ForkFacts {
  const { inheritedTurns, inheritedTokens, liveDigest, forkedAt, route } = facts
  const { provider, model, effort } = route
  return {
    inheritedTurns,
    inheritedTokens,
    mainTurn: inheritedTurns,
    liveDigest,
    forkedAt,
    route: { provider, model, ...(effort === undefined ? {} : { effort }) },
    // A side reads through the shell in the read-only sandbox, a question has no environment (D16).
    tools: kind === 'side' ? ['shell'] : [],
    toolSurface: 'restrict',
    ephemeral: true,
  }
}

function textOf(content: OpenSideRequest['content']): string {
  return content
    .map((part) => {
      if (part.type !== 'text') throw new SideError('invalid_request', 'images are not forwarded here')
      return part.text
    })
    .join('')
}

function isOver(signal: StreamSignal): boolean {
  return (
    signal.kind === 'events' &&
    signal.events.some(
      ({ eventType, data }) =>
        eventType === 'state_patch' && (data.lifecycleStatus === 'expired' || data.lifecycleStatus === 'closed'),
    )
  )
}

function expired(reason: ExpiryReason): StreamSignal {
  return { kind: 'events', events: [{ eventType: 'state_patch', data: { lifecycleStatus: 'expired', reason } }] }
}
