/** A scriptable SideTransport: records every call, answers as told, and emits whatever events a test writes.
 *  `script` decides at the time of the call; `hold` leaves the call open until `settle` or `refuse`. */

import { SideError } from '../../src/wire/index.ts'
import type {
  Capabilities,
  ForkFacts,
  ModelCatalog,
  OpenSideRequest,
  RestoredSide,
  SideErrorCode,
  SideEvent,
  SideTransport,
  StreamSignal,
  TurnOutcome,
  TurnPatch,
} from '../../src/wire/index.ts'

export type Verb = 'open' | 'send' | 'cancel' | 'respond' | 'promote' | 'close' | 'reopen' | 'touch' | 'restore'
type Answer = 'accept' | 'hold' | SideErrorCode

export interface Call {
  readonly verb: Verb
  readonly sideId: string
  readonly args: readonly unknown[]
}

interface Held {
  readonly verb: Verb
  readonly sideId: string
  accept(): void
  refuse(code: SideErrorCode): void
}

export const FACTS: ForkFacts = {
  inheritedTurns: 12,
  mainTurn: 12,
  inheritedTokens: 18_000,
  liveDigest: false,
  forkedAt: 1_750_000_000_000,
  tools: ['read', 'grep'],
  toolSurface: 'restrict',
  ephemeral: true,
}

const EFFORTS = [
  { id: 'off', name: 'Off' },
  { id: 'low', name: 'Low' },
  { id: 'high', name: 'High' },
]

/** Two providers; main asks the first model with its default effort. */
export const CATALOG: ModelCatalog = {
  main: { provider: 'tide', model: 'flash', effort: 'high' },
  providers: [
    {
      provider: 'tide',
      name: 'Tide',
      models: [
        { model: 'flash', name: 'Flash', efforts: EFFORTS, defaultEffort: 'high' },
        { model: 'pro', name: 'Pro', efforts: EFFORTS, defaultEffort: 'high' },
      ],
    },
    { provider: 'ebb', name: 'Ebb', models: [{ model: 'small', name: 'Small', efforts: [] }] },
  ],
}

const ALL: Capabilities = {
  supported: true,
  activeSourceTurn: true,
  ephemeral: true,
  hideInheritedTurns: true,
  modelBoundaryInjected: true,
}

export class FakeTransport implements SideTransport {
  readonly calls: Call[] = []
  readonly opened: OpenSideRequest[] = []
  readonly script: Partial<Record<Verb, Answer>> = {}
  readonly restorable: RestoredSide[] = []
  facts: ForkFacts = FACTS
  catalog: ModelCatalog = CATALOG
  cancelAnswer = { canceled: true, targetAbsent: false }
  disposed = false
  private readonly held: Held[] = []
  private readonly streams = new Map<string, Set<(signal: StreamSignal) => void>>()

  capabilities(): Promise<Capabilities> {
    return Promise.resolve(ALL)
  }

  open(request: OpenSideRequest): Promise<ForkFacts> {
    this.opened.push(request)
    return this.answer('open', request.sideId, [request], this.facts)
  }

  /** What the host says a side knows of main after a send. */
  sendAnswer: { mainTurn?: number } = {}

  send(sideId: string, ...args: unknown[]): Promise<{ mainTurn?: number }> {
    return this.answer('send', sideId, args, this.sendAnswer)
  }

  cancel(sideId: string, ...args: unknown[]): Promise<{ canceled: boolean; targetAbsent: boolean }> {
    return this.answer('cancel', sideId, args, this.cancelAnswer)
  }

  models(): Promise<ModelCatalog> {
    return Promise.resolve(this.catalog)
  }

  respond(sideId: string, ...args: unknown[]): Promise<void> {
    return this.answer('respond', sideId, args, undefined)
  }

  promote(sideId: string): Promise<ForkFacts> {
    return this.answer('promote', sideId, [], this.facts)
  }

  close(sideId: string, ...args: unknown[]): Promise<void> {
    return this.answer('close', sideId, args, undefined)
  }

  reopen(sideId: string): Promise<void> {
    return this.answer('reopen', sideId, [], undefined)
  }

  touch(sideId: string, ...args: unknown[]): Promise<void> {
    return this.answer('touch', sideId, args, undefined)
  }

  restore(): Promise<readonly RestoredSide[]> {
    return this.answer('restore', '', [], [...this.restorable])
  }

  follow(sideId: string, onSignal: (signal: StreamSignal) => void): () => void {
    const listeners = this.streams.get(sideId) ?? new Set()
    this.streams.set(sideId, listeners)
    listeners.add(onSignal)
    return () => void listeners.delete(onSignal)
  }

  dispose(): void {
    this.disposed = true
  }

  /** How many listeners follow this side. */
  followers(sideId: string): number {
    return this.streams.get(sideId)?.size ?? 0
  }

  /** The arguments of every call of `verb`, the side's id first. */
  of(verb: Verb): unknown[][] {
    return this.calls.filter((call) => call.verb === verb).map((call) => [call.sideId, ...call.args])
  }

  /** The id under which the host knows the n-th opened side, and its first turn. */
  at(index: number): { sideId: string; turnId: string } {
    const request = this.opened.at(index)
    if (request === undefined) throw new Error(`no side was opened as number ${index}`)
    return request
  }

  /** The turn id of the last follow-up. */
  lastSent(): string {
    const call = this.of('send').at(-1)
    if (call === undefined) throw new Error('nothing was sent')
    return String(call[1])
  }

  /** Ends the oldest held call of `verb`. */
  settle(verb: Verb): void {
    this.take(verb).accept()
  }

  refuse(verb: Verb, code: SideErrorCode): void {
    this.take(verb).refuse(code)
  }

  signal(sideId: string, signal: StreamSignal): void {
    for (const listener of this.streams.get(sideId) ?? []) listener(signal)
  }

  emit(sideId: string, ...events: SideEvent[]): void {
    this.signal(sideId, { kind: 'events', events })
  }

  private take(verb: Verb): Held {
    const index = this.held.findIndex((one) => one.verb === verb)
    const [call] = index < 0 ? [] : this.held.splice(index, 1)
    if (call === undefined) throw new Error(`no held ${verb}`)
    return call
  }

  private answer<T>(verb: Verb, sideId: string, args: readonly unknown[], value: T): Promise<T> {
    this.calls.push({ verb, sideId, args })
    const answer = this.script[verb] ?? 'accept'
    if (answer === 'accept') return Promise.resolve(value)
    if (answer !== 'hold') return Promise.reject(new SideError(answer, `scripted for ${verb}`))
    return new Promise<T>((resolve, reject) => {
      this.held.push({
        verb,
        sideId,
        accept: () => resolve(value),
        refuse: (code) => reject(new SideError(code, `scripted for ${verb}`)),
      })
    })
  }
}

/** Events as a provider writes them. */
export const say = {
  question: (turnId: string, text: string): SideEvent => delta(turnId, `${turnId}-q`, 'user', 'text', text),
  text: (turnId: string, text: string, messageId = `${turnId}-a`): SideEvent =>
    delta(turnId, messageId, 'assistant', 'text', text),
  thought: (turnId: string, text: string): SideEvent => delta(turnId, `${turnId}-r`, 'assistant', 'reasoning', text),
  tool: (
    turnId: string,
    name: string,
    target: string,
    status: 'running' | 'ok' | 'failed' | 'refused',
    result?: string,
  ): SideEvent => ({
    eventType: 'message_update',
    data: {
      messageId: `${turnId}-${name}`,
      turnId,
      role: 'assistant',
      kind: 'tool',
      tool: { callId: `${turnId}-${name}`, name, target, status, ...(result === undefined ? {} : { result }) },
    },
  }),
  turn: (turn: TurnPatch): SideEvent => ({ eventType: 'state_patch', data: { turn } }),
  running: (turnId: string): SideEvent => say.turn({ turnId, phase: 'running' }),
  settled: (turnId: string, outcome: TurnOutcome = 'completed'): SideEvent =>
    say.turn({ turnId, phase: 'settled', outcome }),
  expired: (reason: 'parked_too_long' | 'provider_lost' | 'source_gone'): SideEvent => ({
    eventType: 'state_patch',
    data: { lifecycleStatus: 'expired', reason },
  }),
}

/** A whole turn, from its question to its end. */
export function answered(turnId: string, question: string, text: string): SideEvent[] {
  return [say.question(turnId, question), say.running(turnId), say.text(turnId, text), say.settled(turnId)]
}

function delta(
  turnId: string,
  messageId: string,
  role: 'user' | 'assistant',
  kind: 'text' | 'reasoning',
  text: string,
): SideEvent {
  return {
    eventType: 'message_delta',
    data: { messageId, turnId, role, kind, content: { operation: 'append_text', text } },
  }
}
