/** One controller from its start to its shutdown, driven step by step and checked against the book. Two epochs share a
 *  provider: a plugin that is loaded again finds whatever the one before left. */

import { createController, type OpenReceipt, type SideController } from '../../../src/core/controller.ts'
import type { SideIdentity } from '../../../src/core/contract.ts'
import { SideError } from '../../../src/core/errors.ts'
import type { FakeProvider, Script } from '../../providers/fake.ts'
import { settle, type ManualClock } from '../clock.ts'
import { identity } from '../rig.ts'
import { createBook, type Book, type Life } from './book.ts'
import type { Named, Op } from './ops.ts'
import { watch, type Turnstile, type Watched } from './turnstile.ts'

type Of<T extends Op['op']> = Extract<Op, { readonly op: T }>

/** What became of a call; undefined while it is on its way. */
interface Call<T = unknown> {
  done?: { readonly value: T } | { readonly code: string }
}

export interface Epoch {
  readonly controller: SideController
  readonly watched: Watched
  readonly book: Book
  act(op: Op): Promise<void>
  /** What must hold whenever nothing moves. */
  check(): void
  stop(): void
  /** What the shutdown said may be left; null before it answered. */
  left(): readonly SideIdentity[] | null
  /** Calls that were never answered. */
  unanswered(): readonly string[]
}

export function createEpoch(
  fake: FakeProvider,
  clock: ManualClock,
  gate: Turnstile,
  wrong: (what: string) => void,
): Epoch {
  const watched = watch(fake, gate, wrong)
  const controller = createController({
    provider: watched.provider,
    clock,
    brief: () => 'BOUNDARY',
    limits: { sidesPerSource: 2, parallelBtw: 1 },
    isCanonical: () => false,
    report: (report) => {
      if (report.kind === 'detached_failed' || report.kind === 'listener_failed')
        wrong(`${report.kind}: ${String(report.error)}`)
    },
  })
  /** Opens on their way, by side id. */
  const flights = new Map<string, { readonly side: SideIdentity; readonly abort: AbortController; calls: number }>()
  /** Closes and reopens on their way, by side id: until they answered, nothing is foretold of that side. */
  const moving = new Map<string, number>()
  const firstSend = new Map<Life, Map<string, Call>>()
  /** The newest open of each side id. */
  const newest = new Map<number, number>()
  const holds = new Map<string, (() => void)[]>()
  const calls: { readonly what: string; readonly call: Call }[] = []
  const book = createBook(
    {
      now: () => clock.now(),
      requestOf: (id) => flights.get(id)?.side.requestId ?? '',
      isEnding: (id) => (moving.get(id) ?? 0) > 0 || stopping !== null,
    },
    wrong,
  )
  controller.subscribe(book.note)
  let stopping: Call<readonly SideIdentity[]> | null = null

  function nameOf({ side, request, source }: Named): SideIdentity {
    const ago = Math.max(0, (newest.get(side) ?? 0) - request)
    return identity(`s${side}`, { workspaceId: 'w', sessionId: `parent-${source + 1}` }, `r${ago}`)
  }

  /** A side that ended is opened again as another one, unless by who had it before. */
  function renew({ side, request }: Named): void {
    const last = book.lives().findLast((life) => life.id === `s${side}`)
    if (request === 0 && last?.over === true && !flights.has(last.id)) newest.set(side, (newest.get(side) ?? 0) + 1)
  }

  function track<T>(what: string, promise: Promise<T>): Call<T> {
    const call: Call<T> = {}
    calls.push({ what, call })
    promise.then(
      (value) => (call.done = { value }),
      (error: unknown) => {
        if (!(error instanceof SideError)) wrong(`${what} rejects with ${String(error)}`)
        call.done = { code: error instanceof SideError ? error.code : 'not a SideError' }
      },
    )
    return call
  }

  function expects(what: string, { done }: Call, answer: string | undefined): void {
    const got = done === undefined ? 'nothing yet' : 'code' in done ? done.code : JSON.stringify(done.value)
    if (got !== answer) wrong(`${what} answers ${got} instead of ${answer}`)
  }

  function moves<T>(side: SideIdentity, promise: Promise<T>): Promise<T> {
    const id = side.sideSessionId
    moving.set(id, (moving.get(id) ?? 0) + 1)
    return promise.finally(() => moving.set(id, (moving.get(id) ?? 1) - 1))
  }

  /** The life that can be driven now, what refuses it otherwise, or null when that cannot be foretold. */
  function standing(side: SideIdentity): Life | 'in_progress' | 'expired' | null {
    const life = book.life(side)
    if ((moving.get(side.sideSessionId) ?? 0) > 0 || stopping !== null) return null
    if (life !== undefined && !life.over)
      return life.hidden || life.transcript.lifecycle === 'closing' ? 'expired' : life
    const flight = flights.get(side.sideSessionId)
    return flight !== undefined && isSame(flight.side, side) ? 'in_progress' : 'expired'
  }

  async function open({ kind, early, ...named }: Of<'open'>): Promise<void> {
    renew(named)
    const side = nameOf(named)
    const id = side.sideSessionId
    const source = fake.source({ sessionId: side.sourceSessionId })
    const abort = new AbortController()
    const flight = flights.get(id)
    const opens = watched.opens()
    const there = [...book.lives()].findLast((life) => life.id === id && !life.over)
    const foretold = (moving.get(id) ?? 0) === 0 && stopping === null && there?.transcript.lifecycle !== 'closing'
    fake.faults.early = early ? [{ eventType: 'usage', data: { turnId: 't9', ...NO_TOKENS } }] : []
    const current = flight ?? { side, abort, calls: 0 }
    flights.set(id, current)
    current.calls += 1
    const what = `open ${id} of ${side.sourceSessionId} for ${side.requestId}`
    const opening = controller.open({ source, side, kind, signal: abort.signal })
    const call = track(
      what,
      opening.finally(() => {
        current.calls -= 1
        if (current.calls === 0 && flights.get(id) === current) flights.delete(id)
      }),
    )
    opening.then(
      (receipt) => note(side, receipt),
      () => undefined,
    )
    await settle()
    if (flight !== undefined && !isSame(flight.side, side)) expects(`O2 ${what}`, call, 'conflict')
    if (flight !== undefined && watched.opens() !== opens && call.done !== undefined) wrong(`O2 ${what} does not join`)
    if (flight === undefined && there !== undefined && foretold) {
      const same = isSame({ ...side, ...there, sideSessionId: there.id }, side)
      if (!same) expects(`O2 ${what}`, call, 'conflict')
      else if (call.done === undefined || 'code' in call.done) wrong(`O2 ${what} is not answered again`)
      if (watched.opens() !== opens) wrong(`O2 ${what} asks the provider again`)
    }
  }

  function note(side: SideIdentity, receipt: OpenReceipt): void {
    const life = book.life(side)
    if (life === undefined) return wrong(`O6 ${side.sideSessionId} opened and never said so`)
    if (life.over) return
    life.child ??= receipt.providerSessionId
    if (life.child !== receipt.providerSessionId) wrong(`O2 ${side.sideSessionId} has two children`)
    if (receipt.sequence < 1 || receipt.sequence > life.events.length)
      wrong(`E6 ${receipt.sequence} was never published`)
  }

  async function send({ turn, script, ...named }: Of<'send'>): Promise<void> {
    const side = nameOf(named)
    const turnId = `t${turn}`
    const at = standing(side)
    const life = typeof at === 'object' && at !== null ? at : undefined
    const running = life === undefined ? null : runningIn(life)
    const first = life === undefined ? undefined : firstSend.get(life)?.get(turnId)
    fake.script(script)
    const what = `send ${turnId} to ${side.sideSessionId}`
    const call = track(what, controller.send(side, questionOf(turnId, script)))
    if (life !== undefined && first === undefined && running === null) {
      const sent = firstSend.get(life) ?? new Map<string, Call>()
      firstSend.set(life, sent.set(turnId, call))
    }
    await settle()
    const code = call.done !== undefined && 'code' in call.done ? call.done.code : undefined
    if (typeof at === 'string') expects(`T1 ${what}`, call, at)
    if (life === undefined) return
    if (first !== undefined) {
      if (JSON.stringify(call.done) !== JSON.stringify(first.done)) wrong(`T3 ${what} answers differently`)
    } else if (running !== null) expects(`T2 ${what}`, call, 'turn_active')
    else if (code === 'limit_reached') firstSend.get(life)?.delete(turnId)
    else if (code !== undefined) wrong(`${what} is refused as ${code}`)
  }

  async function cancel({ turn, ...named }: Of<'cancel'>): Promise<void> {
    const side = nameOf(named)
    const turnId = `t${turn}`
    const at = standing(side)
    const what = `cancel ${turnId} of ${side.sideSessionId}`
    const known = typeof at === 'object' && at !== null && at.settled.has(turnId)
    const call = track(what, controller.cancel(side, turnId))
    await settle()
    if (typeof at === 'string') expects(`T1 ${what}`, call, at)
    else if (at !== null && !known) expects(`T4 ${what}`, call, '{"canceled":false,"targetAbsent":true}')
  }

  async function close({ keepForMs, ...named }: Of<'close'>): Promise<void> {
    const side = nameOf(named)
    const what = `close ${side.sideSessionId}`
    const before = book.life(side)
    const closing = moves(side, controller.close(side, { keepForMs }))
    track(what, closing)
    const receipt = closing.then(
      ({ hidden, cleanupPending }) => {
        const life = book.life(side)
        if (hidden && life?.over === false) life.hidden = true
        if (hidden || before === undefined) return
        if (!before.over) wrong(`T7 ${what} is answered before its end`)
        if (!cleanupPending && before.child !== null && fake.children().includes(before.child))
          wrong(`T8 ${what} says that the child is gone`)
      },
      () => wrong(`T7 ${what} is refused`),
    )
    void receipt
    await settle()
  }

  async function reopen(named: Named): Promise<void> {
    const side = nameOf(named)
    const reopening = moves(side, controller.reopen(side))
    track(`reopen ${side.sideSessionId}`, reopening)
    reopening.then(
      () => {
        const life = book.life(side)
        if (life === undefined) return wrong(`${side.sideSessionId} comes back from nowhere`)
        if (life.hidden) life.lastSign = clock.now()
        life.hidden = false
      },
      () => undefined,
    )
    await settle()
  }

  async function promote(named: Named): Promise<void> {
    const side = nameOf(named)
    const at = standing(side)
    const before = controller.find('w', side.sideSessionId)?.kind
    const what = `promote ${side.sideSessionId}`
    const promoting = controller.promote(side)
    const call = track(what, promoting)
    promoting.then(
      () => {
        const now = controller.find('w', side.sideSessionId)
        if (now !== undefined && isSame(now.identity, side) && now.kind !== 'side') wrong(`${what} did not change it`)
      },
      () => undefined,
    )
    await settle()
    if (typeof at === 'string') expects(`T1 ${what}`, call, at)
    if (before === 'side' && typeof at === 'object' && at !== null && call.done !== undefined && 'code' in call.done)
      wrong(`${what} is refused although it is one`)
  }

  function touch({ visible, ...named }: Of<'touch'>): void {
    const side = nameOf(named)
    const life = book.life(side)
    const there = life !== undefined && !life.over
    const flight = flights.get(side.sideSessionId)
    const opening = flight !== undefined && isSame(flight.side, side)
    if (controller.touch(side, visible) !== (there || opening) && stopping === null)
      wrong(`touch of ${side.sideSessionId} does not say whether it is there`)
    if (!there) return
    life.lastSign = clock.now()
    life.hiddenSince = visible ? null : (life.hiddenSince ?? clock.now())
  }

  function hold(named: Named): void {
    const side = nameOf(named)
    const life = book.life(side)
    const undo = controller.hold(side)
    if (life === undefined || life.over) return undo()
    life.holds += 1
    const key = JSON.stringify(side)
    holds.set(key, [
      ...(holds.get(key) ?? []),
      () => {
        undo()
        life.holds -= 1
        life.lastSign = clock.now()
      },
    ])
  }

  function sourceClosed(source: number): void {
    const sessionId = `parent-${source + 1}`
    const opening = [...flights.values()].filter(({ side }) => side.sourceSessionId === sessionId)
    const closed = controller.sourceClosed('w', sessionId)
    track(`close ${sessionId}`, closed)
    closed.then(
      () => {
        for (const { side } of opening)
          if (book.life(side)?.over === false) wrong(`O4 ${side.sideSessionId} outlives its source`)
      },
      () => undefined,
    )
  }

  return {
    controller,
    watched,
    book,
    async act(op) {
      switch (op.op) {
        case 'open':
          return open(op)
        case 'abort':
          return flights.get(nameOf(op).sideSessionId)?.abort.abort()
        case 'send':
          return send(op)
        case 'cancel':
          return cancel(op)
        case 'respond':
          return void track('respond', controller.respond(nameOf(op), `t${op.turn}`, 'ask-1', { decision: 'allow' }))
        case 'close':
          return close(op)
        case 'reopen':
          return reopen(op)
        case 'touch':
          return touch(op)
        case 'hold':
          return hold(op)
        case 'release':
          return holds.get(JSON.stringify(nameOf(op)))?.pop()?.()
        case 'promote':
          return promote(op)
        case 'expire':
          return void track('expire', controller.expire(nameOf(op), 'sequence_gap'))
        case 'sourceClosed':
          return sourceClosed(op.source)
        case 'lose':
          return fake.lose(`s${op.side}`)
        case 'providerLost':
          return controller.providerLost()
        case 'sweep':
          return void track('sweep', controller.sweep())
        case 'stray':
          return stray(watched, op)
        case 'fail':
          return fake.fail(op.verb, op.times)
        case 'fault':
          if (op.fault === 'weak') fake.faults.openCapabilities = op.on ? WEAK : null
          else fake.faults[op.fault] = op.on
          return
        case 'pass':
          return clock.advance(op.ms)
        case 'step':
          return gate.pass(op.pick)
        case 'restart':
          return
      }
    },
    check() {
      for (const source of ['parent-1', 'parent-2']) {
        for (const view of controller.list('w', source)) {
          if (view.phase !== 'closing' && !fake.children().includes(view.providerSessionId))
            wrong(`ghost: ${view.identity.sideSessionId} is ${view.phase} without a child`)
          const life = book.life(view.identity)
          if (life === undefined || life.over) wrong(`ghost: ${view.identity.sideSessionId} is listed and over`)
          else if (view.sequence !== life.events.length) wrong(`E1 ${life.id} stands at ${view.sequence}`)
        }
      }
    },
    stop() {
      stopping ??= track('shutdown', controller.shutdown())
    },
    left: () => (stopping?.done !== undefined && 'value' in stopping.done ? stopping.done.value : null),
    unanswered: () => calls.filter(({ call }) => call.done === undefined).map(({ what }) => what),
  }
}

const NO_TOKENS = { promptTokens: 1, completionTokens: 1, estimated: true }
const WEAK = {
  supported: true,
  activeSourceTurn: true,
  ephemeral: false,
  hideInheritedTurns: true,
  modelBoundaryInjected: true,
}

function isSame(a: SideIdentity, b: SideIdentity): boolean {
  return a.sideSessionId === b.sideSessionId && a.sourceSessionId === b.sourceSessionId && a.requestId === b.requestId
}

function questionOf(turnId: string, script: Script) {
  return { turnId, clientSubmitId: turnId, content: [{ type: 'text', text: `${turnId} ${script}?` }] } as const
}

function runningIn(life: Life): string | null {
  return life.transcript.turns.find((turn) => life.settled.has(turn.turnId) && turn.phase !== 'settled')?.turnId ?? null
}

/** A sink speaks of turns that its child was given, whatever became of both. */
function stray({ sinks }: Watched, { sink: index, turn, says }: Of<'stray'>): void {
  const one = sinks.at(index % Math.max(1, sinks.length))
  const turnId = `t${turn}`
  if (one === undefined || !one.turns.includes(turnId)) return
  if (says === 'closed') return one.sink.event({ eventType: 'state_patch', data: { lifecycleStatus: 'closed' } })
  if (says === 'settled')
    return one.sink.event({ eventType: 'state_patch', data: { turn: { turnId, phase: 'settled', outcome: 'failed' } } })
  const data = { messageId: `${turnId}-x`, turnId, role: 'assistant', kind: 'text' } as const
  one.sink.event({
    eventType: 'message_delta',
    data: { ...data, content: { operation: 'append_text', text: `«${turnId}»` } },
  })
}
