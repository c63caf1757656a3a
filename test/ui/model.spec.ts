/** The store on a real controller, under random acts, faults and interleavings (test/ui/model). */

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { brokenLaws, holdForRandom, type Act } from './model/page.ts'

const ASK = { act: 'ask', parent: 0, kind: 'btw', script: 'plain' } as const
const WAIT = { act: 'wait', calls: 1 } as const
const SEND = { act: 'send', side: 0, script: 'plain' } as const

/** Counterexamples that the model found, as they were shrunk; each is tried under several schedules. */
const KEPT: Readonly<Record<string, readonly Act[]>> = {
  'a side starts again while something is typed and its question has no answer': [
    { ...ASK, kind: 'side', script: 'error-429' },
    WAIT,
    WAIT,
    { act: 'pass', ms: 61_000 },
    { act: 'type', side: 0, script: 'plain' },
    { act: 'startAgain', side: 0 },
  ],
  'a retry is stopped before it opened': [ASK, WAIT, WAIT, { act: 'retry', side: 0 }, { act: 'stop', side: 0 }],
  'another question takes the place of a refused retry': [
    ASK,
    WAIT,
    WAIT,
    { act: 'retry', side: 0 },
    { act: 'pass', ms: 61_000 },
    SEND,
  ],
}

describe('a page under random acts', () => {
  it('U3 U4 U5 U6 E7 loses nothing that was typed, in 1,500 sequences', async () => {
    expect(await holdForRandom(1_500, 50)).toBe(1_500)
  }, 120_000)

  it.each(Object.entries(KEPT))('U3 loses nothing: %s', async (_name, acts) => {
    for (const scheduler of fc.sample(fc.scheduler(), { numRuns: 10, seed: 1 }))
      expect(await brokenLaws(acts, scheduler)).toEqual([])
  })
})
