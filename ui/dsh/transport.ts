/** SideTransport over a DSH host: verbs ride the host's command transport, answers its follow stream.
 *  Owns the secret of every side that this page opened, and remembers ids and secrets over a reload (D7).
 *  Controls go through the parent, because hosts fence a child's commands off; so none is sent without a reason: one held
 *  command per page says that the page lives, and a hidden side is only told to the host when it stays hidden. */

import type {
  Capabilities,
  CommandNames,
  Control,
  ExpiryReason,
  FactsReply,
  HoldReply,
  ForkFacts,
  ModelCatalog,
  OpenSideRequest,
  ParentRef,
  SideErrorCode,
  SideKind,
  SideTransport,
  StreamSignal,
  TouchReply,
  Windows,
} from '../../src/wire/index.ts'
import {
  CONTROL_CHARS,
  encodeControl,
  NO_CAPABILITIES,
  parseErrorCode,
  parseReply,
  parseStartToken,
  SideError,
  toSideError,
} from '../../src/wire/index.ts'
import type { ExecuteCommand } from './seams.ts'
import type { Expected, Follow, SessionAddress } from './old-follow.ts'
import { pageMemory, type Remembered } from './page-memory.ts'
import { ALL_MESSAGES, followSide, type Connected } from './stream.ts'

export interface DshTransportOptions {
  readonly execute: () => ExecuteCommand | null
  readonly follow: () => Follow | null
  readonly models: (sessionId: string) => Promise<ModelCatalog>
  /** Whether the page reaches its host, where somebody knows. */
  readonly connected?: () => Connected | null
  /** Where ids and secrets outlive a reload of this page; never a question or an answer. */
  readonly memory: Pick<Storage, 'getItem' | 'setItem' | 'removeItem'> | null
  readonly wait: (ms: number, task: () => void) => () => void
  /** What the host calls our commands, for a conversation; default their first names. Never rejects. */
  readonly names?: (sessionId: string) => Promise<CommandNames>
  /** False in a copy of a tab: what is remembered there are another page's sides. Never rejects; default true. */
  readonly sole?: Promise<boolean>
  /** Hears the windows that this host was configured with, whenever it tells them. */
  readonly onWindows?: (windows: Windows) => void
  /** Hears how long a side that the host has just parked has left. */
  readonly onEndsIn?: (sideId: string, ms: number) => void
}

interface OpenSide extends Remembered {
  kind: SideKind
  boot: string
  from: number
  restored: boolean
  /** Null until the host told them. */
  facts: ForkFacts | null
  /** It was closed and may still be brought back (D6). */
  leaving: boolean
  /** Undoes what waits for the end of that window. */
  stay: () => void
  /** What was heard of it since before it existed, until it is followed. */
  expected?: Expected | undefined
}

/** Enough for a first turn with tools that was over before its page could follow it. */
const NEW_SIDE_MESSAGES = 20
/** A side counts as parked for the host when it was hidden this long; switching back and forth tells nothing. */
const HIDDEN_MS = 60_000
/** A host that could not be reached is tried again after this long. */
const AGAIN_MS = 2_000
/** So often for a restore; a side that could not be brought back in this time is given up by its host soon (D7). */
const RESTORE_TRIES = 20
/** The host's undo window began a little before the answer to the close came. */
const WINDOW_SLACK_MS = 1_000
const GONE = /not-found$/

export function createDshTransport(
  options: DshTransportOptions,
): SideTransport & { claim(parent: ParentRef, kind: SideKind, sideId: string): Promise<ForkFacts> } {
  const sides = new Map<string, OpenSide>()
  const stops = new Set<() => void>()
  const sinks = new Map<string, (signal: StreamSignal) => void>()
  /** Per side: what the host heard last (null = unknown), and the undo of what it will hear. */
  const visibility = new Map<string, { told: boolean | null; cancel: () => void }>()
  const page = crypto.getRandomValues(new Uint32Array(4)).join('-')
  /** Sides from before a reload that were not brought back yet. */
  const memory = pageMemory(options.memory)
  const before = new Map(memory.read().map((side) => [side.sideId, side]))
  let restoring: Promise<void> | null = null
  let held: AbortController | null = null
  let disposed = false

  /** Forgets what was remembered when it is not this page's. */
  async function mine(): Promise<void> {
    if ((await options.sole) !== false || before.size === 0) return
    before.clear()
    remember()
  }

  function remember(): void {
    memory.write([...before.values(), ...[...sides.values()].filter((side) => !side.leaving)])
  }

  function forget(sideId: string): void {
    visibility.get(sideId)?.cancel()
    visibility.delete(sideId)
    sides.get(sideId)?.stay()
    sides.get(sideId)?.expected?.drop()
    if (!sides.delete(sideId)) return
    remember()
    letGo()
  }

  function end(sideId: string, reason: ExpiryReason): void {
    sinks.get(sideId)?.(expired(reason))
    forget(sideId)
  }

  /** Keeps one command open for as long as this page has sides. */
  function holdPage(): void {
    if (held !== null || lastSide() === undefined) return
    const abort = (held = new AbortController())
    keepHeld(abort)
      .catch(() => {})
      .finally(() => {
        held = null
        // A side may have come while the last hold was being given up.
        if (abort.signal.aborted) holdPage()
        else options.wait(AGAIN_MS, holdPage)
      })
  }

  function letGo(): void {
    if (lastSide() === undefined) held?.abort()
  }

  /** Rejects when the host could not be reached; a side that turns out to be gone makes room for the next. */
  async function keepHeld(abort: AbortController): Promise<void> {
    for (let side = lastSide(); side !== undefined && !abort.signal.aborted; side = lastSide()) {
      const { sideId, secret } = side
      try {
        const message = { op: 'hold', side: sideId, secret, page } as const
        const { gone } = (await tell(side, message, abort.signal)) as HoldReply
        for (const ended of gone) end(ended.side, ended.reason as ExpiryReason)
      } catch (error) {
        if (abort.signal.aborted) return
        if (isUnreachable(error) || options.execute() === null) throw error
        end(sideId, toSideError(error).code === 'not_found' ? 'source_gone' : 'provider_lost')
      }
    }
  }

  function lastSide(): OpenSide | undefined {
    return [...sides.values()].findLast((side) => !side.leaving)
  }

  /** Whether the child is there to be followed. Asked where the life of the host is not known: one that does not know
   *  the secret would take a message for a question (I8). */
  async function lives(side: OpenSide): Promise<boolean> {
    const follow = options.follow()
    if (follow === null) throw new SideError('stream_unavailable', 'nothing can be followed now')
    const abort = new AbortController()
    try {
      for await (const _frame of follow({ address: addressOf(side), maxMessages: 1 }, abort.signal)) return true
    } catch (error) {
      const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''
      if (GONE.test(code)) return false
      throw new SideError('stream_unavailable', 'the host could not be reached', error)
    } finally {
      abort.abort()
    }
    throw new SideError('stream_unavailable', 'the stream ended before it began')
  }

  /** Ends a side of which it is not known whether the host has it. */
  async function endLate(side: OpenSide): Promise<void> {
    try {
      if (await lives(side)) await tell(side, { op: 'close', side: side.sideId, secret: side.secret, keep: 0 })
    } catch (error) {
      if (isUnreachable(error) && !disposed) return void options.wait(AGAIN_MS, () => void endLate(side))
    }
    forget(side.sideId)
  }

  /** Runs one command and hands back its result text; every failure is a SideError. */
  async function run(
    agentId: string,
    kind: SideKind,
    input: string,
    signal?: AbortSignal,
  ): Promise<string | undefined> {
    const execute = options.execute()
    if (execute === null) throw new SideError('unsupported', 'this host has no command transport')
    const name = options.names === undefined ? kind : (await options.names(agentId))[kind]
    const line = `/${name}${input}`
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
    return tell(side, message(side))
  }

  /** Says one control message; the value of the host's reply. It names the life of the host that it is meant for, so that
   *  another one answers it as late. */
  async function tell(
    side: Pick<OpenSide, 'parent' | 'boot'>,
    message: Control,
    signal?: AbortSignal,
  ): Promise<unknown> {
    const dated = side.boot === '' ? message : { ...message, boot: side.boot }
    const line = encodeControl(dated)
    // The only message whose length a person decides; too long, the host would ask it as a question.
    if (dated.op === 'respond' && line.length > CONTROL_CHARS)
      throw new SideError('interaction_invalid_response', 'the answer is too long')
    const value = parseReply(await run(side.parent.sessionId, 'side', line, signal))
    if (value === undefined) throw new SideError('provider_error', 'the host answered something else')
    return value
  }

  async function facts(side: OpenSide): Promise<ForkFacts> {
    const { sideId, secret } = side
    const value = (await tell(side, { op: 'facts', side: sideId, secret, page })) as FactsReply
    side.from = value.from
    side.kind = value.kind
    side.boot = value.boot
    options.onWindows?.(value.windows ?? {})
    remember()
    return (side.facts = {
      inheritedTurns: value.inheritedTurns,
      mainTurn: value.mainTurn,
      inheritedTokens: value.inheritedTokens,
      scope: value.scope,
      ...(value.smaller === null ? {} : { smaller: value.smaller }),
      ...(value.window === null ? {} : { window: value.window }),
      liveDigest: value.liveDigest,
      forkedAt: value.forkedAt,
      ...(value.route === null ? {} : { route: value.route }),
      tools: value.tools,
      toolSurface: value.toolSurface,
      ephemeral: value.ephemeral,
    })
  }

  /** Brings a side from before a reload back, or finds that it is gone. */
  async function bringBack(remembered: Remembered): Promise<void> {
    const side = newSide(remembered, true)
    for (let tries = RESTORE_TRIES; tries > 0; tries -= 1) {
      if (disposed) return
      try {
        if (await lives(side)) {
          await facts(side)
          sides.set(side.sideId, side)
          // Nobody knows whether the host has it as seen or as parked.
          visibility.set(side.sideId, { told: null, cancel: tellHiddenLater(side.sideId) })
        }
        break
      } catch (error) {
        if (!isUnreachable(error)) break
        await new Promise<void>((resolve) => options.wait(AGAIN_MS, resolve))
      }
    }
    before.delete(side.sideId)
    remember()
  }

  async function bringAllBack(): Promise<void> {
    for (const side of before.values()) await bringBack(side)
    holdPage()
  }

  async function tellVisible(sideId: string, visible: boolean): Promise<void> {
    const known = visibility.get(sideId)
    if (known === undefined) return
    known.told = visible
    try {
      const { endsIn } = (await control(sideId, ({ secret }) => ({
        op: 'touch',
        side: sideId,
        secret,
        visible,
      }))) as TouchReply
      if (endsIn !== undefined && !visible) options.onEndsIn?.(sideId, endsIn)
    } catch (error) {
      if (known.told === visible) known.told = null
      throw error
    }
  }

  function tellHiddenLater(sideId: string): () => void {
    return options.wait(HIDDEN_MS, () => void tellVisible(sideId, false).catch(() => {}))
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
      const follow = options.follow()
      if (follow === null) throw new SideError('unsupported', 'this host streams no sessions')
      const { sideId, kind, parent } = request
      const side = newSide({ boot: '', sideId, secret: newSecret(), kind, parent, from: 0 }, false)
      const line = encodeControl({
        op: 'open',
        side: side.sideId,
        secret: side.secret,
        request: request.requestId,
        turn: request.turnId,
        kind: request.kind,
        page,
        ...(request.route === undefined ? {} : { route: request.route }),
        ...(request.scope === undefined ? {} : { scope: request.scope }),
        text: textOf(request.content),
      })
      side.expected = follow.expect?.(sideId)
      try {
        const token = parseStartToken(await run(parent.sessionId, kind, line, request.signal))
        if (token?.sideId !== sideId) throw new SideError('provider_error', 'the host opened another side')
        sides.set(sideId, side)
        const known = await facts(side)
        holdPage()
        return known
      } catch (error) {
        side.expected?.drop()
        // The host may have opened it all the same, and would keep it for as long as this page lives.
        if (isUnreachable(error)) endLate(side).catch(() => {})
        else forget(sideId)
        throw error
      }
    },

    /** Takes over a side that this page's plain command opened (second path of D2). */
    async claim(parent, kind, sideId) {
      const side = newSide({ boot: '', sideId, secret: newSecret(), kind, parent, from: 0 }, true)
      sides.set(sideId, side)
      try {
        await control(sideId, ({ secret }) => ({ op: 'claim', side: sideId, secret }))
        const known = await facts(side)
        holdPage()
        return known
      } catch (error) {
        if (isUnreachable(error)) endLate(side).catch(() => {})
        else forget(sideId)
        throw error
      }
    },

    async send(sideId, turnId, content, { route, instead, catchUp } = {}) {
      return (await control(sideId, ({ secret }) => ({
        op: 'send',
        side: sideId,
        secret,
        turn: turnId,
        ...(route === undefined ? {} : { route }),
        ...(instead === undefined ? {} : { instead }),
        ...(catchUp === undefined ? {} : { catchUp }),
        text: textOf(content),
      }))) as { mainTurn?: number }
    },
    async models(parent) {
      try {
        return await options.models(parent.sessionId)
      } catch (error) {
        throw new SideError('stream_unavailable', 'the host told no models', error)
      }
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
    async promote(sideId) {
      await control(sideId, ({ secret }) => ({ op: 'promote', side: sideId, secret }))
      const side = sides.get(sideId)
      if (side === undefined) throw new SideError('expired', `no side ${sideId} in this page`)
      return facts(side)
    },
    async close(sideId, keepFor) {
      const side = sides.get(sideId)
      // A side that is gone is closed (T7).
      if (side === undefined) return
      side.leaving = true
      remember()
      letGo()
      try {
        await control(sideId, ({ secret }) => ({ op: 'close', side: sideId, secret, keep: keepFor }))
      } catch (error) {
        if (isUnreachable(error)) endLate(side).catch(() => {})
        else forget(sideId)
        if (isGone(error)) return
        throw error
      }
      if (keepFor === 0) forget(sideId)
      else if (side.leaving) side.stay = options.wait(keepFor + WINDOW_SLACK_MS, () => forget(sideId))
    },
    async reopen(sideId) {
      const side = sides.get(sideId)
      if (side === undefined) throw new SideError('expired', `no side ${sideId} in this page`)
      side.stay()
      try {
        await control(sideId, ({ secret }) => ({ op: 'reopen', side: sideId, secret }))
      } catch (error) {
        // Not brought back, it ends with its window.
        forget(sideId)
        throw error
      }
      side.leaving = false
      remember()
      holdPage()
    },
    async touch(sideId, visible) {
      if (!sides.has(sideId)) throw new SideError('expired', `no side ${sideId} in this page`)
      const known = visibility.get(sideId) ?? { told: true, cancel: () => {} }
      visibility.set(sideId, known)
      known.cancel()
      known.cancel = () => {}
      if (known.told === visible) return
      if (visible) await tellVisible(sideId, true)
      else known.cancel = tellHiddenLater(sideId)
    },

    follow(sideId, onSignal: (signal: StreamSignal) => void) {
      const side = sides.get(sideId)
      const follow = options.follow()
      if (side === undefined || follow === null) {
        onSignal(expired(follow === null ? 'stream_lost' : 'client_lost'))
        return () => {}
      }
      const { expected } = side
      side.expected = undefined
      const stop = followSide({
        follow,
        address: addressOf(side),
        from: side.from,
        ...(expected === undefined ? {} : { early: { expected, from: side.from } }),
        tools: side.facts?.tools ?? [],
        inherited: side.facts?.inheritedTokens ?? 0,
        maxMessages: side.restored ? ALL_MESSAGES : NEW_SIDE_MESSAGES,
        wait: options.wait,
        connected: options.connected?.() ?? null,
        onSignal(signal) {
          onSignal(signal)
          if (isOver(signal)) forget(sideId)
        },
      })
      side.restored = true
      stops.add(stop)
      sinks.set(sideId, onSignal)
      return () => {
        sinks.delete(sideId)
        if (stops.delete(stop)) stop()
      }
    },

    /** All at once, whatever their conversation: the host ends a side that no page asks for, and the person may look at
     *  the other conversations later. */
    async restore(parent) {
      restoring ??= mine()
        .then(bringAllBack)
        .finally(() => (restoring = null))
      await restoring
      return [...sides.values()].flatMap(({ sideId, kind, parent: { sessionId }, facts: known, leaving }) =>
        sessionId !== parent.sessionId || known === null || leaving ? [] : [{ sideId, kind, title: '', facts: known }],
      )
    },

    dispose() {
      disposed = true
      for (const stop of stops) stop()
      stops.clear()
      for (const { cancel } of visibility.values()) cancel()
      visibility.clear()
      for (const { stay, expected } of sides.values()) {
        stay()
        expected?.drop()
      }
      sides.clear()
      held?.abort()
    },
  }
}

function newSide(remembered: Remembered, restored: boolean): OpenSide {
  return { ...remembered, restored, facts: null, leaving: false, stay: () => {} }
}

function addressOf({ sideId, parent }: Remembered): SessionAddress {
  return { kind: 'subagent', parentSessionId: parent.sessionId, childSessionId: sideId, mode: 'one-shot' }
}

function isGone(error: unknown): boolean {
  return error instanceof SideError && (error.code === 'expired' || error.code === 'not_found')
}

/** Nothing is known of what the host did. */
function isUnreachable(error: unknown): boolean {
  return error instanceof SideError && error.code === 'stream_unavailable'
}

function isOver(signal: StreamSignal): boolean {
  return (
    signal.kind === 'events' &&
    signal.events.some(({ eventType, data }) => eventType === 'state_patch' && data.lifecycleStatus === 'expired')
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
