/** Registers `/btw` and `/side` with the host and turns their input into verbs of the controller.
 *  Both the claimed line (control messages of our client half) and the plain command of other clients arrive here. */

import type { ContentPart, ModelRoute, SideIdentity, SideKind, Source } from '../core/contract.ts'
import type { SideController } from '../core/controller.ts'
import { assertNever, SideError, toSideError } from '../core/errors.ts'
import type { Scope } from '../core/ladder.ts'
import type { Clock, Limits } from '../core/limits.ts'
import type { Control } from '../wire/control.ts'
import { describe, namesOf } from '../wire/names.ts'
import { errorText, replyToken, startToken, windowsOf, type FactsReply, type TouchReply } from '../wire/token.ts'
import { createPages } from './pages.ts'
import { isBlank, parseInput, utf8Bytes } from './parse.ts'
import type { Secrets } from './secrets.ts'
import { sentenceOf } from './sentences.ts'

/** The part of a host's command service that we use. */
export interface CommandHost<A> {
  register(definition: {
    readonly name: string
    readonly description: string
    readonly input: { readonly hint: string }
    readonly recordInput: false
    readonly handler: (invocation: {
      readonly agent: A
      readonly rawInput: string
      readonly signal: AbortSignal
    }) => Promise<CommandResult>
  }): () => void
}

export type CommandResult =
  | { readonly kind: 'success'; readonly text?: string }
  | { readonly kind: 'error'; readonly text: string }

export interface CommandDoor<A, S extends Source> {
  readonly controller: SideController<S>
  readonly secrets: Secrets
  readonly limits: () => Limits
  readonly clock: Clock
  /** Captures the conversation of `agent` as a plain value, as much of it as is wanted and fits. */
  capture(agent: A, wish: { readonly scope?: Scope; readonly route?: ModelRoute }): Promise<S>
  /** Facts of a live side, or undefined. */
  facts(sideId: string): Omit<FactsReply, 'kind' | 'boot' | 'windows'> | undefined
  /** What main did since the side last knew of it, or null. */
  news?(sideId: string): string | null
  newId(): string
  /** A command got another name because its own belongs to another plugin. */
  renamed?(kind: SideKind, name: string): void
}

/** A hold is answered after this long, so that a host that never aborts a lost page's command is noticed. */
const HOLD_MS = 10 * 60_000

interface Registered {
  readonly identity: SideIdentity
  readonly kind: SideKind
}

/** Registers both commands; the returned function takes them back. */
export function registerCommands<A, S extends Source>(host: CommandHost<A>, door: CommandDoor<A, S>): () => void {
  const boot = door.newId()
  const sides = new Map<string, Registered>()
  const pages = createPages({ clock: door.clock, keep: (side) => door.controller.hold(side), renewMs: HOLD_MS })
  const unsubscribe = door.controller.subscribe((envelope) => {
    if (envelope.eventType !== 'state_patch') return
    const status = envelope.data.lifecycleStatus
    if (status !== 'closed' && status !== 'expired') return
    if (status === 'expired') pages.ended(envelope.sideSessionId, envelope.data.reason ?? 'provider_lost')
    else pages.forget(envelope.sideSessionId)
    sides.delete(envelope.sideSessionId)
    door.secrets.ended(envelope.sideSessionId)
  })

  async function ask(
    agent: A,
    kind: SideKind,
    text: string,
    wanted: OpenWish,
    signal: AbortSignal,
  ): Promise<CommandResult> {
    if (isBlank(text)) throw new SideError('invalid_request', 'empty question')
    if (utf8Bytes(text) > door.limits().questionBytes) throw new SideError('invalid_request', 'question too long')
    const source = await door.capture(agent, {
      ...(wanted.scope === undefined ? {} : { scope: wanted.scope }),
      ...(wanted.route === undefined ? {} : { route: wanted.route }),
    })
    const identity: SideIdentity = {
      workspaceId: source.workspaceId,
      sourceSessionId: source.sessionId,
      sideSessionId: wanted.side,
      requestId: wanted.request,
    }
    const known = sides.has(wanted.side)
    if (wanted.secret === null) door.secrets.offer(wanted.side)
    else door.secrets.bind(wanted.side, wanted.secret)
    sides.set(wanted.side, { identity, kind })
    if (wanted.page !== null) pages.bind(identity, wanted.page)
    try {
      await door.controller.open({
        source,
        side: identity,
        kind,
        signal,
        ...(wanted.route === undefined ? {} : { route: wanted.route }),
      })
      present(signal)
      // A repeated open waits until its side is closed, and would then make another one.
      if (!sides.has(wanted.side)) throw new SideError('expired', `side ${wanted.side} has ended`)
      await door.controller.send(identity, {
        turnId: wanted.turn,
        clientSubmitId: wanted.turn,
        content: [literal(text)],
      })
      present(signal)
    } catch (error) {
      if (!known || !sides.has(wanted.side)) {
        await door.controller.close(identity)
        sides.delete(wanted.side)
        pages.forget(wanted.side)
        door.secrets.ended(wanted.side)
      }
      throw error
    }
    return { kind: 'success', text: startToken(kind, wanted.side) }
  }

  /** Whether a message speaks of a side that an earlier life of this host half knew. */
  function isLate(message: Control): boolean {
    return message.boot !== undefined && message.boot !== boot
  }

  async function control(agent: A, message: Control, signal: AbortSignal): Promise<CommandResult> {
    if (message.op === 'open') return ask(agent, message.kind, message.text, message, signal)
    if (isLate(message)) throw new SideError('expired', `side ${message.side} is of another life of the host`)
    const side = sides.get(message.side)
    if (side === undefined && message.op === 'hold') return reply(pages.missed(message.page, message.side))
    if (side === undefined) throw new SideError('expired', `no side ${message.side}`)
    const { controller } = door
    switch (message.op) {
      case 'claim':
        door.secrets.bind(message.side, message.secret)
        return reply({})
      case 'send': {
        if (isBlank(message.text)) throw new SideError('invalid_request', 'empty question')
        if (utf8Bytes(message.text) > door.limits().questionBytes)
          throw new SideError('invalid_request', 'question too long')
        const note = message.catchUp === true ? (door.news?.(message.side) ?? null) : null
        await controller.send(side.identity, {
          turnId: message.turn,
          clientSubmitId: message.turn,
          content: [literal(message.text)],
          ...(message.route === undefined ? {} : { route: message.route }),
          ...(message.instead === undefined ? {} : { instead: message.instead }),
          ...(note === null ? {} : { note }),
        })
        const mainTurn = message.catchUp === true ? door.facts(message.side)?.mainTurn : undefined
        return reply(mainTurn === undefined ? {} : { mainTurn })
      }
      case 'cancel':
        return reply(await controller.cancel(side.identity, message.turn))
      case 'respond':
        await controller.respond(side.identity, message.turn, message.request, message.response)
        return reply({})
      case 'promote':
        await controller.promote(side.identity)
        sides.set(message.side, { ...side, kind: 'side' })
        return reply({})
      case 'close':
        await controller.close(side.identity, { keepForMs: message.keep })
        return reply({})
      case 'reopen':
        await controller.reopen(side.identity)
        return reply({})
      case 'touch':
        if (!controller.touch(side.identity, message.visible)) throw new SideError('expired', `no side ${message.side}`)
        return reply(endsIn(side.identity))
      case 'facts': {
        pages.bind(side.identity, message.page)
        const facts = door.facts(message.side)
        if (facts === undefined) throw new SideError('expired', `no side ${message.side}`)
        const windows = windowsOf(door.limits())
        const told = Object.keys(windows).length === 0 ? {} : { windows }
        return reply({ kind: side.kind, boot, ...facts, ...told } satisfies FactsReply)
      }
      case 'hold':
        return reply(await pages.hold(message.page, signal))
      default:
        return assertNever(message)
    }
  }

  /** How long a side that is parked now has left. */
  function endsIn({ workspaceId, sideSessionId }: SideIdentity): TouchReply {
    const endsAt = door.controller.find(workspaceId, sideSessionId)?.endsAt ?? null
    return endsAt === null ? {} : { endsIn: Math.max(0, endsAt - door.clock.now()) }
  }

  /** Registers a command under the first name that nobody else holds; the host throws for one that somebody does. */
  function define(kind: SideKind): () => void {
    const [first, ...others] = namesOf(kind)
    try {
      return defineAs(kind, first ?? kind)
    } catch (error) {
      for (const name of others) {
        try {
          const undo = defineAs(kind, name)
          door.renamed?.(kind, name)
          return undo
        } catch {
          // Taken too.
        }
      }
      throw error
    }
  }

  function defineAs(kind: SideKind, name: string): () => void {
    return host.register({
      name,
      description: describe(kind, name),
      input: { hint: 'a question' },
      recordInput: false,
      async handler({ agent, rawInput, signal }) {
        try {
          const input = parseInput(
            rawInput,
            (message) =>
              isLate(message) || (door.secrets.admits(message) && (message.op !== 'open' || message.kind === kind)),
          )
          if (input.kind === 'control') return await control(agent, input.control, signal)
          return await ask(
            agent,
            kind,
            input.text,
            { side: door.newId(), secret: null, page: null, request: door.newId(), turn: door.newId() },
            signal,
          )
        } catch (error) {
          const { code, detail } = toSideError(error)
          return { kind: 'error', text: errorText(code, sentenceOf(code, detail)) }
        }
      },
    })
  }

  const undo = [unsubscribe]
  const takeBack = (): void => {
    pages.endAll('provider_lost')
    for (const step of undo.toReversed()) step()
    sides.clear()
  }
  try {
    undo.push(define('btw'))
    undo.push(define('side'))
  } catch (error) {
    takeBack()
    throw error
  }
  return takeBack
}

interface OpenWish {
  readonly side: string
  readonly secret: string | null
  readonly page: string | null
  readonly request: string
  readonly turn: string
  readonly route?: ModelRoute
  readonly scope?: Scope
}

/** Throws when nobody hears of what was opened any more: the page left, or the person gave it up (P4). */
function present(signal: AbortSignal): void {
  if (signal.aborted) throw new SideError('expired', 'the client is gone')
}

function literal(text: string): ContentPart {
  return { type: 'text', text }
}

function reply(value: unknown): CommandResult {
  return { kind: 'success', text: replyToken(value) }
}
