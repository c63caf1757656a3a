/** One page over the whole of the system: the store, the line, the controller, a provider. Runs a sequence of what people
 *  and hosts do and says which laws it broke. The reference model is a list of what was typed: nothing on it may be
 *  gone unless the person threw it away. */

import fc, { type Scheduler } from 'fast-check'
import { createController } from '../../../src/core/controller.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript } from '../../../src/core/projector.ts'
import type { ParentRef, SideErrorCode, SideKind } from '../../../src/wire/index.ts'
import { createRuntime, type SideRuntime } from '../../../ui/data/runtime.ts'
import type { SideSnapshot } from '../../../ui/data/snapshot.ts'
import { manualClock, settle } from '../../core/clock.ts'
import type { Verb } from '../../kit/fake-transport.ts'
import { createFakeProvider, type Script } from '../../providers/fake.ts'
import { createLine, type Loss } from './line.ts'

const PARENTS: readonly ParentRef[] = [
  { workspaceId: 'w', sessionId: 'parent-1' },
  { workspaceId: 'w', sessionId: 'parent-2' },
]

/** `side` picks among the sides that the page shows at that moment. */
export type Act =
  | { readonly act: 'ask'; readonly parent: number; readonly kind: SideKind; readonly script: Script }
  | { readonly act: 'openDraft'; readonly parent: number; readonly kind: SideKind }
  | { readonly act: 'send' | 'type'; readonly side: number; readonly script: Script }
  | {
      readonly act: 'stop' | 'retry' | 'close' | 'undo' | 'startAgain' | 'show' | 'resume' | 'continue'
      readonly side: number
    }
  | { readonly act: 'hold' | 'edit' | 'drop'; readonly side: number }
  | { readonly act: 'see'; readonly side: number; readonly visible: boolean }
  | { readonly act: 'lose'; readonly verb: Verb; readonly loss: Loss; readonly code: SideErrorCode }
  | { readonly act: 'loseChild'; readonly side: number }
  | { readonly act: 'disconnect' | 'connect' | 'providerLost' }
  | { readonly act: 'failClose'; readonly times: number }
  | { readonly act: 'pass'; readonly ms: number }
  | { readonly act: 'wait'; readonly calls: number }

const side = fc.nat(4)
const script = fc.constantFrom<Script[]>('plain', 'plain', 'stall', 'slow', 'error-429', 'ask')
const parent = fc.constantFrom(0, 0, 0, 1)
const kind = fc.constantFrom<SideKind[]>('side', 'side', 'btw')
const act = <const T extends string>(...names: readonly T[]) => ({ act: fc.constantFrom(...names) })

const anyAct: fc.Arbitrary<Act> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ ...act('ask'), parent, kind, script }) },
  { weight: 2, arbitrary: fc.record({ ...act('openDraft'), parent, kind }) },
  { weight: 10, arbitrary: fc.record({ ...act('send', 'send', 'send', 'type'), side, script }) },
  {
    weight: 9,
    arbitrary: fc.record({
      ...act('stop', 'retry', 'close', 'undo', 'startAgain', 'show', 'resume', 'continue'),
      side,
    }),
  },
  { weight: 2, arbitrary: fc.record({ ...act('hold', 'edit', 'drop'), side }) },
  { weight: 2, arbitrary: fc.record({ ...act('see'), side, visible: fc.boolean() }) },
  {
    weight: 4,
    arbitrary: fc.record({
      ...act('lose'),
      verb: fc.constantFrom<Verb[]>('open', 'send', 'send', 'cancel', 'promote', 'close', 'reopen', 'touch'),
      loss: fc.constantFrom<Loss[]>('there', 'back'),
      code: fc.constantFrom<SideErrorCode[]>('stream_unavailable', 'provider_error', 'turn_active', 'expired'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ ...act('loseChild'), side }) },
  { weight: 3, arbitrary: fc.record(act('disconnect', 'connect', 'connect', 'providerLost')) },
  { weight: 1, arbitrary: fc.record({ ...act('failClose'), times: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 10,
    arbitrary: fc.record({ ...act('pass'), ms: fc.constantFrom(20, 100, 200, 1_000, 3_000, 9_000, 61_000) }),
  },
  { weight: 22, arbitrary: fc.record({ ...act('wait'), calls: fc.integer({ min: 1, max: 4 }) }) },
)

export function acts(most: number): fc.Arbitrary<readonly Act[]> {
  return fc.array(anyAct, { minLength: 1, maxLength: most, size: 'max' })
}

/** Nothing fails and nobody asks again: a question may then be asked once only. */
function calmActs(most: number): fc.Arbitrary<readonly Act[]> {
  return acts(most).map((sequence) => sequence.filter((one) => isCalm(one)))
}

/** The laws that `sequence` breaks, in words. */
export async function brokenLaws(sequence: readonly Act[], scheduler: Scheduler): Promise<readonly string[]> {
  const broken: string[] = []
  const wrong = (what: string): void => void broken.push(what)
  const clock = manualClock()
  const fake = createFakeProvider(clock)
  const before = JSON.stringify(fake.parent)
  const controller = createController({ provider: fake, clock, brief: () => '', isCanonical: () => false })
  const line = createLine(controller, fake, scheduler)
  const frames: (() => void)[] = []
  let ids = 0
  const runtime = createRuntime({
    transport: line,
    clock,
    frame(task) {
      frames.push(task)
      return () => void (frames.includes(task) && frames.splice(frames.indexOf(task), 1))
    },
    page: { visible: () => true, onChange: () => () => {} },
    newId: () => `id${(ids += 1)}`,
  })
  const typed = createTyped()

  async function paint(): Promise<void> {
    await settle()
    for (const task of frames.splice(0)) task()
    await settle()
  }

  /** Until nothing is on its way any more. */
  async function drain(): Promise<void> {
    await paint()
    while (scheduler.count() > 0) {
      await scheduler.waitNext(1)
      await paint()
    }
  }

  async function take(one: Act): Promise<void> {
    switch (one.act) {
      case 'ask': {
        fake.script(one.script)
        const to = PARENTS[one.parent] ?? MAIN
        const text = typed.next()
        const { accepted } = runtime.ask(to, one.kind, text)
        // Until it is accepted, main's composer has it too.
        accepted.then(
          () => typed.keep(text),
          () => undefined,
        )
        return
      }
      case 'openDraft':
        return void runtime.openDraft(PARENTS[one.parent] ?? MAIN, one.kind)
      case 'pass':
        return clock.advance(one.ms)
      case 'wait':
        for (let call = 0; call < one.calls && scheduler.count() > 0; call += 1) await scheduler.waitNext(1)
        return
      case 'lose':
        return line.lose(one.verb, one.loss, one.code)
      case 'failClose':
        return fake.fail('close', one.times)
      case 'disconnect':
        return line.disconnect()
      case 'connect':
        return line.connect()
      case 'providerLost':
        return controller.providerLost()
      default:
        return onSide(one)
    }
  }

  function onSide(one: Extract<Act, { readonly side: number }>): void {
    const shown = everySide(runtime)
    const picked = shown[one.side % Math.max(1, shown.length)]
    if (picked === undefined) return
    const { sideId } = picked
    const [message] = picked.queue.messages
    switch (one.act) {
      case 'send': {
        fake.script(one.script)
        const text = typed.next()
        const draft = runtime.draftOf(sideId)
        // The composer sends what it holds.
        const whole = draft === '' ? text : `${draft} ${text}`
        const phase = picked.status.phase
        const outcome = runtime.send(sideId, whole)
        if (outcome === 'refused') {
          if (runtime.draftOf(sideId) !== draft) wrong(`a refused text takes the draft along (${phase})`)
          return
        }
        return typed.keep(text)
      }
      case 'type': {
        const text = typed.next()
        runtime.setDraft(sideId, `${runtime.draftOf(sideId)} ${text}`)
        return typed.keep(text)
      }
      case 'stop':
        return runtime.stop(sideId)
      case 'retry':
        return void runtime.retry(sideId)
      case 'close':
        // Closing throws away what was answered or could not be; what was never sent is kept.
        for (const turn of picked.turns) typed.thrown(turn.question)
        return runtime.close(sideId)
      case 'undo':
        return runtime.undo(sideId)
      case 'startAgain':
        return void runtime.startAgain(picked.parent, sideId)
      case 'show':
        return runtime.show(sideId)
      case 'continue':
        return void runtime.continueAsSide(sideId)
      case 'resume':
        return runtime.resumeQueue(sideId)
      case 'hold':
        return runtime.holdQueued(sideId, message?.id ?? null)
      case 'edit':
        if (message !== undefined) runtime.editQueued(sideId, message.id, `${message.text} more`)
        return
      case 'drop':
        if (message !== undefined) typed.thrown(message.text)
        if (message !== undefined) runtime.removeQueued(sideId, message.id)
        return
      case 'see':
        return runtime.setVisible(sideId, one.visible)
      case 'loseChild':
        for (const wireId of line.opened.keys()) if (runtime.find(wireId)?.sideId === sideId) fake.lose(wireId)
    }
  }

  function look(): void {
    for (const text of typed.missing(runtime)) wrong(`I9 ${text} is gone`)
    for (const { sessionId } of PARENTS) {
      const { btw, side: sides, closing } = runtime.sidesOf(sessionId)
      for (const one of [...btw, ...sides, ...closing])
        if (one.parent.sessionId !== sessionId) wrong(`U6 a side of ${one.parent.sessionId} shows under ${sessionId}`)
    }
  }

  for (const one of sequence) {
    await take(one)
    await paint()
    look()
    if (broken.length > 0) return broken
  }

  line.connect()
  fake.fail('close', 0)
  await drain()
  look()
  for (const [wireId, identity] of line.opened) {
    const shown = runtime.find(wireId)
    const live = controller.find(identity.workspaceId, wireId)
    const phase = shown?.status.phase
    if ((phase === 'idle' || phase === 'running') && live === undefined && isNewest(shown, wireId))
      wrong(`ghost: ${wireId} looks ${phase} and is gone`)
    if (shown !== null && phase !== 'draft' && isNewest(shown, wireId)) compare(shown, wireId)
  }

  /** Whoever left and came back reads what the controller told. */
  function compare({ turns: newest, earlier, status }: SideSnapshot, wireId: string): void {
    const turns = [...newest, ...Object.values(earlier).flat()]
    if (status.phase !== 'idle' && status.phase !== 'running') return
    const told = line.events(wireId).reduce<Transcript>((view, event) => project(view, event), EMPTY_TRANSCRIPT)
    for (const turn of told.turns) {
      const read = turns.find((one) => one.turnId === turn.turnId)
      if (JSON.stringify(read?.items) !== JSON.stringify(turn.items))
        wrong(`${wireId} ${turn.turnId} reads differently`)
      if (turn.phase === 'settled' && read?.outcome !== turn.outcome)
        wrong(`${wireId} ${turn.turnId} ended differently`)
    }
  }

  /** A side keeps one id at the page and gets a new one at the host for every fork. */
  function isNewest(shown: SideSnapshot | null, wireId: string): shown is SideSnapshot {
    const names = [...line.opened.keys()].filter((id) => shown !== null && runtime.find(id)?.sideId === shown.sideId)
    return names.at(-1) === wireId
  }

  if (sequence.every((one) => isCalm(one)))
    for (const text of repeated(fake.requests)) wrong(`T2 ${text} was asked twice`)

  const disposed = runtime.dispose()
  await drain()
  await clock.advance(5_000)
  await drain()
  await disposed
  // The host's window for lost clients, that of hidden pages included, ends what the page could not close.
  await clock.advance(360_000)
  await drain()
  if (fake.children().length > 0)
    wrong(
      `U5 orphan: ${fake
        .children()
        .map((id) => fake.sideOf(id))
        .join(' ')}`,
    )
  if (JSON.stringify(fake.parent) !== before) wrong('O9 the source was touched')
  if (clock.pending() > 0) wrong(`U5 ${clock.pending()} timers are left`)
  return broken
}

/** Whether nothing in it asks again, loses an answer, or gives up an open that may have been taken. */
function isCalm(one: Act): boolean {
  const calm = ['ask', 'openDraft', 'send', 'type', 'show', 'see', 'resume', 'hold', 'edit', 'drop', 'wait']
  return calm.includes(one.act) || (one.act === 'pass' && one.ms <= 200)
}

function repeated(requests: readonly string[]): readonly string[] {
  const asked = requests.flatMap((request) => request.match(/q\d+\./g) ?? [])
  return asked.filter((text, index) => asked.indexOf(text) !== index)
}

const MAIN = PARENTS[0] as ParentRef

function everySide(runtime: SideRuntime): readonly SideSnapshot[] {
  return PARENTS.flatMap(({ sessionId }) => {
    const { btw, side: sides, closing } = runtime.sidesOf(sessionId)
    return [...btw, ...sides, ...closing]
  })
}

/** Everything that was typed; each text is a word of its own. */
function createTyped() {
  const kept = new Set<string>()
  let count = 0
  return {
    next: () => `q${(count += 1)}.`,
    keep: (text: string) => void kept.add(text),
    /** The person threw away a text that may hold several. */
    thrown(text: string) {
      for (const one of text.match(/q\d+\./g) ?? []) kept.delete(one)
    },
    missing(runtime: SideRuntime): readonly string[] {
      const places = everySide(runtime).flatMap(({ sideId, turns, queue }) => [
        ...turns.map((turn) => turn.question),
        ...queue.messages.map((message) => message.text),
        runtime.draftOf(sideId),
      ])
      for (const { sessionId } of PARENTS)
        for (const { turns, unsent } of runtime.sidesOf(sessionId).recent)
          places.push(unsent, ...turns.map((turn) => turn.question))
      const all = new Set(places.join('\n').match(/q\d+\./g))
      return [...kept].filter((text) => !all.has(text))
    },
  }
}

/** Prints its seed; `SIDEMIND_SEED` repeats a run. */
export async function holdForRandom(count: number, longest: number): Promise<number> {
  let tried = 0
  const seed = Number(process.env['SIDEMIND_SEED'] ?? Date.now() % 2 ** 31)
  process.stdout.write(`${count} sequences of up to ${longest} acts, SIDEMIND_SEED=${seed}\n`)
  await fc.assert(
    fc.asyncProperty(
      fc.oneof({ arbitrary: acts(longest), weight: 4 }, { arbitrary: calmActs(longest), weight: 1 }),
      fc.scheduler(),
      async (sequence, scheduler) => {
        const broken = await brokenLaws(sequence, scheduler)
        tried += 1
        if (broken.length > 0) throw new Error(`${broken.join('\n')}\n${JSON.stringify(sequence)}`)
      },
    ),
    { numRuns: count, seed },
  )
  return tried
}
