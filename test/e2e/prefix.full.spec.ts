/** The same as prefix.spec.ts for conversations of up to half a million tokens. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import {
  CHANGES,
  expectPrefixAfterChange,
  expectWholePrefix,
  startInheriting,
  type Inheriting,
} from '../kit/inheriting.ts'

let parents: Inheriting

beforeAll(async () => {
  parents = await startInheriting()
})
afterAll(() => parents?.rig.stop())

describe('what a side shares with main', () => {
  it('is everything, in a conversation of 500,000 tokens', async () => {
    const main = await parents.ofTokens(500_000)
    await parents.rig.ask(main, 'LAST-OF-ALL? [[plain Last answer.]]')
    const last = parents.asked('LAST-OF-ALL?')
    expect(last.tools?.length).toBeGreaterThan(10)
    for (const kind of ['btw', 'side'] as const)
      expectWholePrefix(last, await parents.askSide(main, kind, `${kind} of them all?`))
  })

  it.each([100_000, 500_000].flatMap((tokens) => CHANGES.map((change) => [tokens, ...change] as const)))(
    'is everything in one of %i tokens after the %s of main was changed',
    (tokens, ...change) => expectPrefixAfterChange(parents, tokens, change),
  )
})
