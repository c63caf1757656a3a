/** How much of main a side takes along: which rungs there are, which one fits, and what stands below it. */
import { describe, expect, it } from 'vitest'

import { ladderOf, rungFor, rungsOf, smallerRung, type Measured, type Scope } from '../../src/core/ladder.ts'

/** Twelve turns of 1,000 tokens on a base of 2,000. */
const twelve: Measured = {
  turns: 12,
  tokens: 14_000,
  base: 2_000,
  tail: Array.from({ length: 12 }, () => 1_000),
  compacted: false,
}
/** The same behind a summary of 3,000: four turns since. */
const compacted: Measured = {
  turns: 12,
  tokens: 9_000,
  base: 2_000,
  tail: [1_000, 1_000, 1_000, 1_000],
  compacted: true,
}

const name = (scope: Scope): string => (scope.kind === 'turns' ? `${scope.turns}` : scope.kind)

describe('the ladder', () => {
  it('goes from everything down to the digest, each rung smaller than the one above', () => {
    const rungs = rungsOf(twelve)
    expect(rungs.map(({ scope }) => name(scope))).toEqual([
      'all',
      ...Array.from({ length: 11 }, (_, index) => String(11 - index)),
      'digest',
    ])
    expect(rungs.map(({ tokens }) => tokens)).toEqual(rungs.map(({ tokens }) => tokens).toSorted((a, b) => b - a))
    expect(rungsOf(compacted).map(({ scope }) => name(scope))).toEqual(['all', 'compaction', '3', '2', '1', 'digest'])
  })

  it('offers a person few rungs with round numbers, and the chosen one', () => {
    const shown = (measured: Measured, wanted?: Scope): string[] =>
      ladderOf(measured, rungFor(measured, null, wanted)).map(({ scope }) => name(scope))
    expect(shown(twelve)).toEqual(['all', '10', '5', '3', '1', 'digest'])
    expect(shown(twelve, { kind: 'turns', turns: 7 })).toEqual(['all', '10', '7', '5', '3', '1', 'digest'])
    expect(shown(compacted)).toEqual(['all', 'compaction', '3', '1', 'digest'])
  })

  it('has nothing to leave out before the first answer of main', () => {
    const empty: Measured = { turns: 0, tokens: 2_000, base: 2_000, tail: [], compacted: false }
    expect(rungsOf(empty)).toEqual([{ scope: { kind: 'all' }, turns: 0, tokens: 2_000 }])
    expect(smallerRung(empty, rungFor(empty, 100))).toBeNull()
  })

  it.each([
    ['everything when it fits', twelve, 100_000, undefined, 'all'],
    ['everything when nobody knows the window', twelve, null, undefined, 'all'],
    ['as many turns as fit', twelve, 10_000, undefined, '6'],
    ['what is behind the compaction before single turns', compacted, 10_000, undefined, 'compaction'],
    ['the digest when nothing else fits', twelve, 3_000, undefined, 'digest'],
    ['the digest when not even that fits', twelve, 100, undefined, 'digest'],
    ['what the person wants', twelve, 100_000, { kind: 'turns', turns: 3 }, '3'],
    ['less than the person wants when that does not fit', twelve, 10_000, { kind: 'turns', turns: 11 }, '6'],
    ['the digest on wish', twelve, 100_000, { kind: 'digest' }, 'digest'],
    ['the next smaller one for a rung that is gone', compacted, 100_000, { kind: 'turns', turns: 9 }, '3'],
    ['single turns for a compaction that never was', twelve, 100_000, { kind: 'compaction' }, '11'],
  ] as const)('takes %s', (_what, measured, window, wanted, expected) => {
    expect(name(rungFor(measured, window, wanted).scope)).toBe(expected)
  })

  it('halves what a model refused, down to the digest', () => {
    const way: string[] = []
    for (let rung = rungFor(twelve, null); ;) {
      way.push(name(rung.scope))
      const next = smallerRung(twelve, rung)
      if (next === null) break
      rung = next
    }
    expect(way).toEqual(['all', '6', '3', '1', 'digest'])
  })
})
