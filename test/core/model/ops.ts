/** What may happen to sides, as plain data: a sequence of these is one run of the model, interleaving included, so a
 *  counterexample can be kept as it is printed. `step` lets the pick-th waiting provider call go on; everything else
 *  is asked for at once and answered when it is answered. */

import fc from 'fast-check'
import type { SideKind } from '../../../src/core/contract.ts'
import type { Script, Verb } from '../../providers/fake.ts'

/** A side by its number. Request 0 is the newest open of that id, 1 the one before it: somebody who held the id once. */
export interface Named {
  readonly side: number
  readonly request: number
  readonly source: number
}

export type Op =
  | (Named & { readonly op: 'open'; readonly kind: SideKind; readonly early: boolean })
  | (Named & { readonly op: 'abort' })
  | (Named & { readonly op: 'send'; readonly turn: number; readonly script: Script })
  | (Named & { readonly op: 'cancel'; readonly turn: number })
  | (Named & { readonly op: 'respond'; readonly turn: number })
  | (Named & { readonly op: 'close'; readonly keepForMs: number })
  | (Named & { readonly op: 'reopen' | 'hold' | 'release' | 'expire' | 'promote' })
  | (Named & { readonly op: 'touch'; readonly visible: boolean })
  | { readonly op: 'sourceClosed'; readonly source: number }
  | { readonly op: 'lose'; readonly side: number }
  | { readonly op: 'providerLost' | 'sweep' | 'restart' }
  | { readonly op: 'fail'; readonly verb: Verb; readonly times: number }
  | { readonly op: 'fault'; readonly fault: 'lateOpen' | 'silentCancel' | 'weak'; readonly on: boolean }
  /** A provider says something late, or again: of the nth sink that it was ever given. */
  | { readonly op: 'stray'; readonly sink: number; readonly turn: number; readonly says: 'text' | 'settled' | 'closed' }
  | { readonly op: 'pass'; readonly ms: number }
  | { readonly op: 'step'; readonly pick: number }

const mostly = <T>(usual: T, ...others: readonly T[]): fc.Arbitrary<T> =>
  fc.oneof({ arbitrary: fc.constant(usual), weight: 8 }, { arbitrary: fc.constantFrom(usual, ...others), weight: 1 })

const named = { side: mostly(0, 1, 2), request: mostly(0, 1), source: mostly(0, 1) }
const turn = fc.nat(3)

function op<T extends Op['op'], R>(name: T, rest: { readonly [K in keyof R]: fc.Arbitrary<R[K]> }) {
  return fc.record({ op: fc.constant(name), ...rest }) as fc.Arbitrary<{ readonly op: T } & R>
}

const open = op('open', { ...named, kind: mostly<SideKind>('side', 'btw'), early: mostly(false, true) })
const send = op('send', {
  ...named,
  turn,
  script: fc.constantFrom<Script[]>('plain', 'slow', 'stall', 'ask', 'error-429', 'tool'),
})

const anyOp: fc.Arbitrary<Op> = fc.oneof(
  { weight: 4, arbitrary: open },
  { weight: 8, arbitrary: send },
  { weight: 22, arbitrary: op('step', { pick: fc.nat(5) }) },
  { weight: 10, arbitrary: op('pass', { ms: mostly(20, 20, 100, 3_000, 8_000, 31_000, 61_000, 1_860_000) }) },
  { weight: 4, arbitrary: op('cancel', { ...named, turn }) },
  { weight: 3, arbitrary: op('respond', { ...named, turn }) },
  { weight: 3, arbitrary: op('close', { ...named, keepForMs: fc.constantFrom(0, 1_000, 8_000) }) },
  { weight: 3, arbitrary: op('reopen', named) },
  { weight: 3, arbitrary: op('touch', { ...named, visible: fc.boolean() }) },
  { weight: 2, arbitrary: op('promote', named) },
  { weight: 2, arbitrary: op('hold', named) },
  { weight: 1, arbitrary: op('release', named) },
  { weight: 1, arbitrary: op('expire', named) },
  { weight: 1, arbitrary: op('abort', named) },
  { weight: 1, arbitrary: op('sourceClosed', { source: mostly(0, 1) }) },
  { weight: 2, arbitrary: op('lose', { side: fc.nat(2) }) },
  { weight: 1, arbitrary: op('providerLost', {}) },
  { weight: 1, arbitrary: op('sweep', {}) },
  { weight: 1, arbitrary: op('restart', {}) },
  {
    weight: 3,
    arbitrary: op('fail', {
      verb: fc.constantFrom<Verb[]>('open', 'exec', 'cancel', 'respond', 'promote', 'close', 'close', 'close'),
      times: fc.integer({ min: 1, max: 4 }),
    }),
  },
  {
    weight: 2,
    arbitrary: op('fault', {
      fault: fc.constantFrom('lateOpen' as const, 'silentCancel' as const, 'weak' as const),
      on: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: op('stray', {
      sink: fc.nat(5),
      turn,
      says: fc.constantFrom('text' as const, 'settled' as const, 'closed' as const),
    }),
  },
)

const step: Op = { op: 'step', pick: 0 }

/** What people do most: a side that opens, and a question that is taken. */
const opened = open.map((one): Op[] => [one, step, step])
const asked = fc
  .tuple(send, fc.nat(6))
  .map(([one, words]): Op[] => [one, step, step, ...Array.from({ length: words }, (): Op => ({ op: 'pass', ms: 20 }))])
/** A client stays and looks away. */
const parked = fc
  .tuple(op('hold', named), op('touch', { ...named, visible: fc.constant(false) }))
  .map((ops): Op[] => [...ops, { op: 'pass', ms: 1_860_000 }])
const single = anyOp.map((one): Op[] => [one])

/** Sequences of up to `most` such moves. */
export function sequences(most: number): fc.Arbitrary<readonly Op[]> {
  const move = fc.oneof(
    { arbitrary: single, weight: 40 },
    { arbitrary: opened, weight: 4 },
    { arbitrary: parked, weight: 1 },
    { arbitrary: asked, weight: 8 },
  )
  return fc
    .tuple(fc.oneof(opened, single), fc.array(move, { minLength: 1, maxLength: most, size: 'max' }))
    .map(([first, rest]) => [...first, ...rest.flat()])
}
