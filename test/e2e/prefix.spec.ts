/** The prompt cache of main serves a side (I1, D5): with main's tools kept, everything that main last sent stands at the
 *  beginning of the side's first request, byte for byte. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import { MOST_STEPS, TOLD_STEPS } from '../../src/providers/dsh/refusals.ts'
import {
  CHANGES,
  expectPrefixAfterChange,
  expectWholePrefix,
  startInheriting,
  type Inheriting,
} from '../kit/inheriting.ts'
import type { WireRequest } from '../kit/prefix.ts'
import { closeSide, openSide, sideTurnEnd } from '../kit/side.ts'

let parents: Inheriting

beforeAll(async () => {
  parents = await startInheriting()
})
afterAll(() => parents?.rig.stop())

describe('what a side shares with main', () => {
  it.each([1_000, 10_000, 100_000])('is everything, in a conversation of %i tokens', async (tokens) => {
    const main = await parents.ofTokens(tokens)
    await parents.rig.ask(main, `LAST-OF-${tokens}? [[plain Last answer.]]`)
    const last = parents.asked(`LAST-OF-${tokens}?`)
    expect(JSON.stringify(last.messages).length).toBeGreaterThan(tokens * 4)
    expect(last.tools?.length).toBeGreaterThan(10)
    for (const kind of ['btw', 'side'] as const) {
      const own = await parents.askSide(main, kind, `${kind} of ${tokens}?`)
      expectWholePrefix(last, own)
      // Behind it the answer, the question and the boundary (D5).
      expect(own.messages.slice(last.messages.length).map(({ role }) => role)).toEqual(['assistant', 'user', 'user'])
    }
  })

  it.each(CHANGES)(
    'is everything after the %s of main was changed, whether main has asked with it yet or not',
    (...change) => expectPrefixAfterChange(parents, 10_000, change),
  )
})

describe('a model that only calls tools, which are listed and refused', () => {
  const refused = { name: 'bash', arguments: { command: 'touch REFUSED.txt' } }
  const requests = (text: string): WireRequest[] =>
    parents.rig.model
      .requests()
      .filter(({ kind, lastUser }) => kind === 'chat' && lastUser.includes(text))
      .map(({ body }) => body)

  it.each(['btw', 'side'] as const)('answers a /%s in words after a few steps', async (kind) => {
    const { rig } = parents
    const main = await parents.ofTokens(1_000)
    await rig.ask(main, `Before ${kind} is insisted on. [[plain Last.]]`)
    rig.model.script({
      match: `INSIST-${kind}`,
      behaviour: { kind: 'tool', insist: true, calls: [refused], after: 'In words.' },
    })
    const side = await openSide(rig, main, kind, `INSIST-${kind} on it`)
    const end = await sideTurnEnd(rig, side.id)
    expect(end.event?.data).toMatchObject({ reason: { kind: 'completed' } })
    const asked = requests(`INSIST-${kind}`)
    expect(asked).toHaveLength(TOLD_STEPS + 1)
    // As long as it is only told, each request begins with all of the one before.
    for (const [at, one] of asked.slice(1, TOLD_STEPS).entries()) expectWholePrefix(asked[at] ?? one, one)
    expect(asked.at(-1)).not.toHaveProperty('tools')

    await side.send('And the tools? [[plain They are back.]]')
    await sideTurnEnd(rig, side.id, 2)
    expectWholePrefix(parents.asked(`Before ${kind} is`), parents.asked('And the tools?'))
    await closeSide(rig, side)
  })

  it('is not let go on for ever when it calls what is not even listed', async () => {
    const { rig } = parents
    const main = await parents.ofTokens(1_000)
    const calls = [refused]
    const behaviour = Array.from({ length: 12 }).reduce<Behaviour>((after) => ({ kind: 'tool', calls, after }), {
      kind: 'plain',
      text: 'At last.',
    })
    rig.model.script({ match: 'FOR-EVER', behaviour })
    const side = await openSide(rig, main, 'btw', 'FOR-EVER and ever')
    const end = await sideTurnEnd(rig, side.id)
    expect(end.event?.data).toMatchObject({ reason: { kind: 'blocked' } })
    expect(requests('FOR-EVER')).toHaveLength(MOST_STEPS)
    await closeSide(rig, side)
  })
})
