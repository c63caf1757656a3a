/** Runs one sequence to its end and says which laws it broke: no orphan child, no ghost side, an untouched source, one
 *  end per accepted turn, events in order, idempotent open and send. */

import fc from 'fast-check'
import { createFakeProvider } from '../../providers/fake.ts'
import { manualClock, settle } from '../clock.ts'
import { createEpoch, type Epoch } from './epoch.ts'
import { sequences, type Op } from './ops.ts'
import { createTurnstile } from './turnstile.ts'

/** The laws that `ops` breaks, in words; empty when all hold. */
export async function brokenLaws(ops: readonly Op[]): Promise<readonly string[]> {
  const broken: string[] = []
  const wrong = (what: string): void => void broken.push(what)
  const clock = manualClock()
  const fake = createFakeProvider(clock)
  const gate = createTurnstile()
  const source = JSON.stringify(fake.parent)
  const epochs: Epoch[] = [createEpoch(fake, clock, gate, wrong)]
  const now = (): Epoch => epochs.at(-1) as Epoch

  /** Everything that waits for the provider goes on, and what follows from it. */
  async function letAllPass(): Promise<void> {
    do {
      gate.pass(0)
      await settle()
    } while (gate.waiting() > 0)
  }

  for (const op of ops) {
    if (op.op === 'restart') {
      now().stop()
      epochs.push(createEpoch(fake, clock, gate, wrong))
    } else await now().act(op)
    await settle()
    now().check()
    if (broken.length > 0) return broken
  }

  for (const verb of ['open', 'exec', 'cancel', 'respond', 'close'] as const) fake.fail(verb, 0)
  await letAllPass()
  // A stop waits for its own turn no longer than this.
  await clock.advance(3_000)
  await letAllPass()
  for (let pass = 0; pass < 30; pass += 1) {
    void now().controller.sweep()
    await letAllPass()
  }
  now().check()
  const alive = [...now().watched.children.keys()].filter((child) => fake.children().includes(child))
  const listed = ['parent-1', 'parent-2'].flatMap((id) => now().controller.list('w', id))
  for (const child of alive)
    if (!listed.some((side) => side.providerSessionId === child)) wrong(`orphan: ${child} belongs to no side`)

  now().stop()
  await letAllPass()
  // Budgets of epochs that were stopped while their provider hung.
  await clock.advance(60_000)
  await letAllPass()
  for (const epoch of epochs) {
    const left = epoch.left()
    for (const what of epoch.unanswered()) wrong(`${what} is never answered`)
    for (const { providerSessionId, side } of epoch.watched.children.values())
      if (fake.children().includes(providerSessionId) && !left?.some((one) => one.sideSessionId === side))
        wrong(`orphan: ${providerSessionId} of ${side} was left without a word`)
    for (const life of epoch.book.lives())
      if (!life.over && !left?.some((one) => one.sideSessionId === life.id)) wrong(`ghost: ${life.id} never ended`)
    epoch.book.finish()
  }
  if (epochs.length === 1 && fake.children().length > 0) wrong(`orphan after shutdown: ${fake.children().join(' ')}`)
  if (JSON.stringify(fake.parent) !== source) wrong('O9 the source was touched')
  if (clock.pending() > 0 && fake.children().length === 0) wrong(`${clock.pending()} timers are left`)
  return broken
}

/** Fails with the shortest sequence that breaks a law; says how many were tried. Prints its seed; `SIDEMIND_SEED` repeats a run. */
export async function holdForRandom(count: number, longest: number): Promise<number> {
  let tried = 0
  const seed = Number(process.env['SIDEMIND_SEED'] ?? Date.now() % 2 ** 31)
  process.stdout.write(`${count} sequences of up to ${longest} steps, SIDEMIND_SEED=${seed}\n`)
  await fc.assert(
    fc.asyncProperty(sequences(longest), async (ops) => {
      const broken = await brokenLaws(ops)
      tried += 1
      if (broken.length > 0) throw new Error(`${broken.join('\n')}\n${JSON.stringify(ops)}`)
    }),
    { numRuns: count, seed, endOnFailure: false },
  )
  return tried
}
