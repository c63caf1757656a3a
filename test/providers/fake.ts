/** A provider without a runtime: its answers are scripted, its time is injected, and its faults are switched on by name.
 *  It keeps the provider's side of the contract unless a test asks it not to. */

import {
  isSupported,
  NO_CAPABILITIES,
  type Capabilities,
  type ContentPart,
  type OpenRequest,
  type OpenResult,
  type OpenSide,
  type SideEvent,
  type SideProvider,
  type SideSink,
  type Source,
  type TurnOutcome,
} from '../../src/core/contract.ts'
import { SideError } from '../../src/core/errors.ts'
import type { Clock } from '../../src/core/limits.ts'
import { deferred } from '../core/clock.ts'

/** How the model answers. `ask` wants an approval first. */
export type Script = 'plain' | 'slow' | 'reasoning' | 'tool' | 'error-429' | 'stall' | 'ask'
export type Verb = 'open' | 'exec' | 'cancel' | 'respond' | 'promote' | 'close'

/** What the scripts say, word by word. */
export const SCRIPTED: Readonly<Record<Exclude<Script, 'error-429' | 'stall'>, readonly string[]>> = {
  plain: ['It refuses ', 'to update\n\n', '\tthe lockfile. '],
  slow: Array.from({ length: 40 }, (_, index) => `word${index} `),
  reasoning: ['Because ', 'it says so.'],
  tool: ['It is ', 'version 3.'],
  ask: ['Allowed.'],
}
export const SCRIPTED_THOUGHT = ['  Let me ', 'think.\n']
const STEP_MS = 20

export const ALL_CAPABILITIES: Capabilities = {
  supported: true,
  activeSourceTurn: true,
  ephemeral: true,
  hideInheritedTurns: true,
  modelBoundaryInjected: true,
}

/** The conversation beside which the fake forks; a side must leave it as it is. */
export interface FakeParent {
  readonly sessionId: string
  /** Everything that reached the parent or its observers. */
  readonly log: string[]
  turnRuns: boolean
}

export interface FakeFaults {
  capabilities: Capabilities
  /** Capabilities of the open result, when they differ. */
  openCapabilities: Capabilities | null
  /** Fields of the open result that are wrong. */
  result: Partial<OpenResult>
  /** Cancel resolves without telling that the turn settled. */
  silentCancel: boolean
  /** An aborted open delivers its child all the same. */
  lateOpen: boolean
  /** Events sent before open returns. */
  early: readonly SideEvent[]
}

export interface FakeProvider extends SideProvider {
  readonly faults: FakeFaults
  /** Calls in order, e.g. `open s1`, `exec s1 t1`, `close s1`. */
  readonly calls: readonly string[]
  /** What the model was asked, boundary and question of each turn. */
  readonly requests: readonly string[]
  /** How the next turns are answered. */
  script(name: Script): void
  /** The next calls of `verb` wait until the returned function is called. */
  hold(verb: Verb): () => void
  /** The next `times` calls of `verb` fail. */
  fail(verb: Verb, times: number, error?: Error): void
  source(overrides?: Partial<Source>): Source
  readonly parent: FakeParent
  /** Live children. */
  children(): readonly string[]
  /** The side of a live child. */
  sideOf(providerSessionId: string): string
  /** The sink of a side, for events that no script sends. Stays usable after the child ended. */
  sink(sideSessionId: string): SideSink
  /** Kills a child behind everybody's back. */
  lose(sideSessionId: string): void
}

interface Child {
  readonly side: string
  boundary: string
  readonly sink: SideSink
  turn: Turn | null
}

interface Turn {
  readonly turnId: string
  readonly undo: (() => void)[]
  ask: (() => void) | null
}

export function createFakeProvider(clock: Clock): FakeProvider {
  const calls: string[] = []
  const requests: string[] = []
  const children = new Map<string, Child>()
  const sinks = new Map<string, SideSink>()
  const holds = new Map<Verb, Promise<void>>()
  const failures = new Map<Verb, { times: number; readonly error: Error }>()
  const parent: FakeParent = { sessionId: 'parent-1', log: ['prompt', 'turn started'], turnRuns: true }
  const faults: FakeFaults = {
    capabilities: ALL_CAPABILITIES,
    openCapabilities: null,
    result: {},
    silentCancel: false,
    lateOpen: false,
    early: [],
  }
  let script: Script = 'plain'
  let made = 0

  async function enter(verb: Verb, ...names: string[]): Promise<void> {
    calls.push([verb, ...names].join(' '))
    await holds.get(verb)
    const failure = failures.get(verb)
    if (failure === undefined || failure.times <= 0) return
    failure.times -= 1
    throw failure.error
  }

  function childOf(side: OpenSide): Child {
    const child = children.get(side.providerSessionId)
    if (child === undefined) throw new SideError('expired', `no child ${side.providerSessionId}`)
    return child
  }

  function play(child: Child, turn: Turn, name: Script, question: string): void {
    const { turnId } = turn
    let at = 0
    const later = (task: () => void): void => {
      at += STEP_MS
      turn.undo.push(clock.after(at, task))
    }
    const say = (event: SideEvent): void => later(() => child.sink.event(event))
    const text = (kind: 'text' | 'reasoning', words: readonly string[]): void => {
      for (const word of words) say(delta(turnId, kind, word))
    }
    const end = (outcome: TurnOutcome): void => later(() => finish(child, turn, outcome))

    say({
      eventType: 'message_delta',
      data: {
        messageId: `${turnId}-q`,
        turnId,
        role: 'user',
        kind: 'text',
        content: { operation: 'set', text: question },
      },
    })
    say(turnPatch(turnId, 'running'))
    switch (name) {
      case 'plain':
      case 'slow':
        text('text', SCRIPTED[name])
        return end('completed')
      case 'reasoning':
        text('reasoning', SCRIPTED_THOUGHT)
        text('text', SCRIPTED.reasoning)
        return end('completed')
      case 'tool':
        say(toolUpdate(turnId, 'running'))
        say(toolUpdate(turnId, 'ok'))
        text('text', SCRIPTED.tool)
        return end('completed')
      case 'error-429':
        return later(() => {
          child.turn = null
          const error = { code: 'provider_error', kind: 'rate_limit', status: 429, detail: 'slow down' } as const
          child.sink.event({
            eventType: 'state_patch',
            data: { turn: { turnId, phase: 'settled', outcome: 'failed', error } },
          })
        })
      case 'stall':
        return text('text', ['One '])
      case 'ask':
        turn.ask = () => {
          at = 0
          say({ eventType: 'state_patch', data: { interaction: interaction(turnId, 'answered') } })
          text('text', SCRIPTED.ask)
          end('completed')
        }
        return say({
          eventType: 'state_patch',
          data: { turn: { turnId, phase: 'waiting' }, interaction: interaction(turnId, 'pending') },
        })
    }
  }

  function finish(child: Child, turn: Turn, outcome: TurnOutcome): void {
    const { turnId } = turn
    child.turn = null
    child.sink.event({
      eventType: 'usage',
      data: { turnId, promptTokens: 1_000, cachedTokens: 900, completionTokens: 12, estimated: false },
    })
    child.sink.event({
      eventType: 'state_patch',
      data: { turn: { turnId, phase: 'settled', outcome, at: clock.now() } },
    })
  }

  function stop(child: Child): void {
    for (const undo of child.turn?.undo ?? []) undo()
    child.turn = null
  }

  return {
    id: 'fake',
    faults,
    calls,
    requests,
    parent,
    async capabilities(source) {
      return children.has(source.sessionId) ? NO_CAPABILITIES : faults.capabilities
    },
    async open(request: OpenRequest, sink: SideSink): Promise<OpenResult> {
      const { source, side, signal } = request
      sinks.set(side.sideSessionId, sink)
      let open = true
      const gated: SideSink = {
        event: (event) => void (open && sink.event(event)),
        lost: (reason) => void (open && sink.lost(reason)),
      }
      try {
        if (!isSupported(faults.capabilities)) throw new SideError('unsupported', 'the fake was told so')
        for (const event of faults.early) gated.event(event)
        await enter('open', side.sideSessionId)
        // A runtime that was slow delivers late; one that hears of the abort in time makes nothing.
        if (signal.aborted && !faults.lateOpen) throw new SideError('provider_error', 'open was aborted')
      } catch (error) {
        open = false
        throw error
      }
      made += 1
      const providerSessionId = faults.result.providerSessionId ?? `child-${made}`
      children.set(providerSessionId, { side: side.sideSessionId, boundary: request.boundary, sink: gated, turn: null })
      return {
        sourceSessionId: source.sessionId,
        sideSessionId: side.sideSessionId,
        capabilities: faults.openCapabilities ?? faults.capabilities,
        ...faults.result,
        providerSessionId,
      }
    },
    async exec(side, { turnId, content, note }) {
      await enter('exec', side.identity.sideSessionId, turnId)
      const child = childOf(side)
      const question = textOf(content)
      requests.push([child.boundary, note, question].filter((part) => part !== undefined).join('\n'))
      child.turn = { turnId, undo: [], ask: null }
      play(child, child.turn, script, question)
    },
    async cancel(side, turnId) {
      await enter('cancel', side.identity.sideSessionId, turnId)
      const child = childOf(side)
      if (child.turn?.turnId !== turnId) return
      stop(child)
      if (!faults.silentCancel) child.sink.event(turnPatch(turnId, 'settled', 'canceled'))
    },
    async respond(side, turnId, requestId, response) {
      await enter('respond', side.identity.sideSessionId, turnId, requestId)
      const ask = childOf(side).turn?.ask
      if (ask === null || ask === undefined) throw new SideError('interaction_not_live', requestId)
      if (typeof Reflect.get(Object(response), 'decision') !== 'string')
        throw new SideError('interaction_invalid_response', requestId)
      ask()
    },
    async promote(side, boundary) {
      await enter('promote', side.identity.sideSessionId)
      childOf(side).boundary = boundary
    },
    async close(side) {
      await enter('close', side.identity.sideSessionId)
      const child = children.get(side.providerSessionId)
      if (child === undefined) return
      stop(child)
      children.delete(side.providerSessionId)
    },
    script: (name) => void (script = name),
    hold(verb) {
      const { promise, resolve } = deferred()
      holds.set(verb, promise)
      return () => {
        if (holds.get(verb) === promise) holds.delete(verb)
        resolve()
      }
    },
    fail: (verb, times, error = new Error(`${verb} failed`)) => void failures.set(verb, { times, error }),
    source: (overrides) => ({
      workspaceId: 'w',
      sessionId: parent.sessionId,
      inheritedTurns: 2,
      inheritedTokens: 1_000,
      liveTurn: null,
      capturedAt: clock.now(),
      ...overrides,
    }),
    children: () => [...children.keys()],
    sideOf: (providerSessionId) => children.get(providerSessionId)?.side ?? '',
    sink(sideSessionId) {
      const sink = sinks.get(sideSessionId)
      if (sink === undefined) throw new Error(`the fake never opened ${sideSessionId}`)
      return sink
    },
    lose(sideSessionId) {
      for (const [id, child] of children) {
        if (child.side !== sideSessionId) continue
        stop(child)
        children.delete(id)
        child.sink.lost('provider_lost')
      }
    },
  }
}

export function delta(turnId: string, kind: 'text' | 'reasoning', text: string): SideEvent {
  return {
    eventType: 'message_delta',
    data: { messageId: `${turnId}-a`, turnId, role: 'assistant', kind, content: { operation: 'append_text', text } },
  }
}

export function turnPatch(turnId: string, phase: 'running' | 'settled', outcome?: TurnOutcome): SideEvent {
  return { eventType: 'state_patch', data: { turn: { turnId, phase, ...(outcome === undefined ? {} : { outcome }) } } }
}

function toolUpdate(turnId: string, status: 'running' | 'ok'): SideEvent {
  const tool = {
    callId: 'call-1',
    name: 'read',
    target: 'package.json',
    status,
    ...(status === 'ok' ? { result: '{"version":3}' } : {}),
  }
  return {
    eventType: 'message_update',
    data: { messageId: `${turnId}-t`, turnId, role: 'assistant', kind: 'tool', tool },
  }
}

function interaction(turnId: string, status: 'pending' | 'answered') {
  return { requestId: 'ask-1', turnId, kind: 'approval', status, input: { tool: 'bash' } } as const
}

function textOf(content: readonly ContentPart[]): string {
  return content.map((part) => (part.type === 'text' ? part.text : '')).join('')
}
