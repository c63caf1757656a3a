/** SideTransport over a DSH host: verbs ride the host's command transport, answers its follow stream.
 *  Owns the secret of every side that this page opened, and remembers ids and secrets over a reload (D7).
 *  Controls go through the parent, because hosts fence a child's commands off; so none is sent without a reason: one held
 *  command per page says that the page lives, and a hidden side is only told to the host when it stays hidden. */

import type {
  Capabilities,
  Control,
  ExpiryReason,
  FactsReply,
  HoldReply,
  ForkFacts,
  OpenSideRequest,
  ParentRef,
  RestoredSide,
  SideErrorCode,
  SideKind,
  SideTransport,
  StreamSignal,
} from '../../src/wire/index.ts'
import {
  encodeControl,
  NO_CAPABILITIES,
  parseErrorCode,
  parseReply,
  parseStartToken,
  SideError,
} from '../../src/wire/index.ts'
import type { ExecuteCommand } from './seams.ts'
import type { Follow } from './old-follow.ts'
import { followSide } from './stream.ts'

export interface DshTransportOptions {
  readonly execute: () => ExecuteCommand | null
  readonly follow: () => Follow | null
  /** Where ids and secrets outlive a reload of this page; never a question or an answer. */
  readonly memory: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null
  readonly wait: (ms: number, task: () => void) => () => void
}

interface OpenSide {
  readonly sideId: string
  readonly secret: string
  readonly kind: SideKind
  readonly parent: ParentRef
  from: number
  restored: boolean
}

const MEMORY_KEY = 'sidemind-sides'
const NEW_SIDE_MESSAGES = 4
const RESTORED_MESSAGES = 50
/** A side counts as parked for the host when it was hidden this long; switching back and forth tells nothing. */
const HIDDEN_MS = 60_000
const HOLD_RETRY_MS = 2_000

export function createDshTransport(
  options: DshTransportOptions,
): SideTransport & { claim(parent: ParentRef, kind: SideKind, sideId: string): Promise<ForkFacts> } {
  const sides = new Map<string, OpenSide>()
  const stops = new Set<() => void>()
  const sinks = new Map<string, (signal: StreamSignal) => void>()
  const visibility = new Map<string, { told: boolean; cancel: () => void }>()
  const page = crypto.getRandomValues(new Uint32Array(4)).join('-')
  let held: AbortController | null = null

  function remember(): void {
    if (options.memory === null) return
    if (sides.size === 0) options.memory.removeItem(MEMORY_KEY)
    else
      options.memory.setItem(
        MEMORY_KEY,
        JSON.stringify(
          [...sides.values()].map(({ sideId, secret, kind, parent, from }) => ({ sideId, secret, kind, parent, from })),
        ),
      )
  }

  function forget(sideId: string): void {
    visibility.get(sideId)?.cancel()
    visibility.delete(sideId)
    if (!sides.delete(sideId)) return
    remember()
    if (sides.size === 0) held?.abort()
  }

  /** Keeps one command open for as long as this page has sides. */
  function holdPage(): void {
    if (held !== null || sides.size === 0) return
    const abort = (held = new AbortController())
    keepHeld(abort)
      .catch(() => {})
      .finally(() => {
        held = null
        if (!abort.signal.aborted) options.wait(HOLD_RETRY_MS, holdPage)
      })
  }

  async function keepHeld(abort: AbortController): Promise<void> {
    for (let side = lastSide(); side !== undefined && !abort.signal.aborted; side = lastSide()) {
      const { sideId, secret, parent } = side
      const line = `/side${encodeControl({ op: 'hold', side: sideId, secret, page })}`
      const { gone } = reply(await run(parent.sessionId, line, abort.signal)) as HoldReply
      for (const ended of gone) {
        sinks.get(ended.side)?.(expired(ended.reason as ExpiryReason))
        forget(ended.side)
      }
    }
  }

  function lastSide(): OpenSide | undefined {
    return [...sides.values()].at(-1)
  }

  /** Runs one command and hands back its result text; every failure is a SideError. */
  async function run(agentId: string, line: string, signal?: AbortSignal): Promise<string | undefined> {
    const execute = options.execute()
    if (execute === null) throw new SideError('unsupported', 'this host has no command transport')
    let answer: Awaited<ReturnType<ExecuteCommand>>
    try {
      answer = await execute(agentId, line, [], signal)
    } catch (error) {
      throw new SideError('stream_unavailable', 'the host could not be reached', error)
    }
    if (!answer.ok)
      throw new SideError(transportCode(answer.error?.code), answer.error?.message ?? 'the host refused the command')
    if (answer.value === undefined) throw new SideError('unsupported', 'the host half is not running')
    const { result } = answer.value
    if (result.kind === 'error') throw new SideError(parseErrorCode(result.text) ?? 'provider_error', result.text)
    return result.text
  }

  async function control(sideId: string, message: (side: OpenSide) => Control): Promise<unknown> {
    const side = sides.get(sideId)
    if (side === undefined) throw new SideError('expired', `no side ${sideId} in this page`)
    return reply(await run(side.parent.sessionId, `/side${encodeControl(message(side))}`))
  }

  function reply(text: string | undefined): unknown {
    const value = parseReply(text)
    if (value === undefined) throw new SideError('provider_error', 'the host answered something else')
    return value
  }

  async function facts(side: OpenSide): Promise<ForkFacts> {
    const value = (await control(side.sideId, ({ sideId, secret }) => ({
      op: 'facts',
      side: sideId,
      secret,
      page,
    }))) as FactsReply
    side.from = value.from
    remember()
    return {
      inheritedTurns: value.inheritedTurns,
      inheritedTokens: value.inheritedTokens,
      liveDigest: value.liveDigest,
      forkedAt: value.forkedAt,
      ...(value.route === null ? {} : { route: value.route }),
      tools: value.tools,
      toolSurface: value.toolSurface,
      ephemeral: value.ephemeral,
    }
  }

  return {
    async capabilities(): Promise<Capabilities> {
      const able = options.execute() !== null && options.follow() !== null
      return able
        ? {
            supported: true,
            activeSourceTurn: true,
            ephemeral: true,
            hideInheritedTurns: true,
            modelBoundaryInjected: true,
          }
        : NO_CAPABILITIES
    },

    async open(request: OpenSideRequest) {
      if (options.follow() === null) throw new SideError('unsupported', 'this host streams no sessions')
      const side: OpenSide = {
        sideId: request.sideId,
        secret: newSecret(),
        kind: request.kind,
        parent: request.parent,
        from: 0,
        restored: false,
      }
      const line = encodeControl({
        op: 'open',
        side: side.sideId,
        secret: side.secret,
        request: request.requestId,
        turn: request.turnId,
        kind: request.kind,
        page,
        ...(request.route === undefined ? {} : { route: request.route }),
        text: textOf(request.content),
      })
      const token = parseStartToken(await run(request.parent.sessionId, `/${request.kind}${line}`, request.signal))
      if (token?.sideId !== side.sideId) throw new SideError('provider_error', 'the host opened another side')
      sides.set(side.sideId, side)
      const known = await facts(side)
      holdPage()
      return known
    },

    /** Takes over a side that this page's plain command opened (second path of D2). */
    async claim(parent, kind, sideId) {
      const side: OpenSide = { sideId, secret: newSecret(), kind, parent, from: 0, restored: true }
      sides.set(sideId, side)
      try {
        await control(sideId, ({ secret }) => ({ op: 'claim', side: sideId, secret }))
        const known = await facts(side)
        holdPage()
        return known
      } catch (error) {
        forget(sideId)
        throw error
      }
    },

    async send(sideId, turnId, content) {
      await control(sideId, ({ secret }) => ({ op: 'send', side: sideId, secret, turn: turnId, text: textOf(content) }))
    },
    async cancel(sideId, turnId) {
      return (await control(sideId, ({ secret }) => ({ op: 'cancel', side: sideId, secret, turn: turnId }))) as {
        canceled: boolean
        targetAbsent: boolean
      }
    },
    async respond(sideId, turnId, requestId, response) {
      await control(sideId, ({ secret }) => ({
        op: 'respond',
        side: sideId,
        secret,
        turn: turnId,
        request: requestId,
        response,
      }))
    },
    async close(sideId, keepFor) {
      try {
        await control(sideId, ({ secret }) => ({ op: 'close', side: sideId, secret, keep: keepFor }))
      } catch (error) {
        // A side that is gone is closed (T7).
        if (!(error instanceof SideError) || (error.code !== 'expired' && error.code !== 'not_found')) throw error
        forget(sideId)
      }
      if (keepFor === 0) forget(sideId)
    },
    async reopen(sideId) {
      await control(sideId, ({ secret }) => ({ op: 'reopen', side: sideId, secret }))
    },
    async touch(sideId, visible) {
      const known = visibility.get(sideId) ?? { told: true, cancel: () => {} }
      visibility.set(sideId, known)
      known.cancel()
      known.cancel = () => {}
      if (!sides.has(sideId)) throw new SideError('expired', `no side ${sideId} in this page`)
      if (known.told === visible) return
      const tell = async (): Promise<void> => {
        await control(sideId, ({ secret }) => ({ op: 'touch', side: sideId, secret, visible }))
        known.told = visible
      }
      if (visible) await tell()
      else known.cancel = options.wait(HIDDEN_MS, () => void tell().catch(() => {}))
    },

    follow(sideId, onSignal: (signal: StreamSignal) => void) {
      const side = sides.get(sideId)
      const follow = options.follow()
      if (side === undefined || follow === null) {
        onSignal(expired(follow === null ? 'stream_lost' : 'client_lost'))
        return () => {}
      }
      const stop = followSide({
        follow,
        address: {
          kind: 'subagent',
          parentSessionId: side.parent.sessionId,
          childSessionId: side.sideId,
          mode: 'one-shot',
        },
        from: side.from,
        maxMessages: side.restored ? RESTORED_MESSAGES : NEW_SIDE_MESSAGES,
        wait: options.wait,
        onSignal,
      })
      side.restored = true
      stops.add(stop)
      sinks.set(sideId, onSignal)
      return () => {
        sinks.delete(sideId)
        if (stops.delete(stop)) stop()
      }
    },

    async restore(parent) {
      const restored: RestoredSide[] = []
      for (const remembered of recall(options.memory)) {
        if (remembered.parent.sessionId !== parent.sessionId) continue
        if (!sides.has(remembered.sideId)) sides.set(remembered.sideId, { ...remembered, parent, restored: true })
        const side = sides.get(remembered.sideId) as OpenSide
        try {
          restored.push({ sideId: side.sideId, kind: side.kind, title: '', facts: await facts(side) })
        } catch {
          forget(remembered.sideId)
        }
      }
      holdPage()
      return restored
    },

    dispose() {
      for (const stop of stops) stop()
      stops.clear()
      sides.clear()
      held?.abort()
    },
  }
}

/** The sides that this page remembers from before a reload; whatever is not of our shape is ignored. */
function recall(memory: DshTransportOptions['memory']): Omit<OpenSide, 'restored'>[] {
  try {
    const value: unknown = JSON.parse(memory?.getItem(MEMORY_KEY) ?? '[]')
    return Array.isArray(value) ? value.filter(isRemembered) : []
  } catch {
    return []
  }
}

function isRemembered(value: unknown): value is Omit<OpenSide, 'restored'> {
  const side = value as Partial<OpenSide> | null
  return (
    typeof side?.sideId === 'string' &&
    typeof side.secret === 'string' &&
    (side.kind === 'btw' || side.kind === 'side') &&
    typeof side.from === 'number' &&
    typeof side.parent?.sessionId === 'string'
  )
}

/** 256 random bits in base64url; works on pages without a secure context too. */
function newSecret(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function textOf(content: OpenSideRequest['content']): string {
  return content
    .map((part) => {
      if (part.type !== 'text') throw new SideError('invalid_request', 'images are not forwarded on this host')
      return part.text
    })
    .join('')
}

function transportCode(code: string | undefined): SideErrorCode {
  return code !== undefined && /not-found|unknown-agent|lookup/.test(code) ? 'not_found' : 'stream_unavailable'
}

function expired(reason: ExpiryReason): StreamSignal {
  return { kind: 'events', events: [{ eventType: 'state_patch', data: { lifecycleStatus: 'expired', reason } }] }
}
