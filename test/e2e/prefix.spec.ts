/** The prompt cache of main serves a side (I1, D5): with main's tools kept, everything that main last sent stands at the
 *  beginning of the side's first request, byte for byte. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { expectWholePrefix, startInheriting, type Inheriting } from '../kit/inheriting.ts'

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
    for (const kind of ['btw', 'side'] as const) {
      const own = await parents.askSide(main, kind, `${kind} of ${tokens}?`)
      expectWholePrefix(last, own)
      // Behind it the answer, the question and the boundary (D5).
      expect(own.messages.slice(last.messages.length).map(({ role }) => role)).toEqual(['assistant', 'user', 'user'])
    }
  })

  it.each([
    ['model', { model: 'deepseek-v4-pro' }],
    ['effort', { model: 'deepseek-v4-flash', reasoningEffort: 'max' }],
  ])(
    'is everything after the %s of main was changed, whether main has asked with it yet or not',
    async (what, pick) => {
      const main = await parents.ofTokens(10_000)
      await parents.rig.ask(main, `Before another ${what}. [[plain One.]]`)
      await parents.rig.rpc('session.selectModel', { sessionId: main, provider: 'deepseek-official', ...pick })
      const pending = await parents.askSide(main, 'btw', `A pending ${what}?`)
      await parents.rig.ask(main, `With another ${what}. [[plain Two.]]`)
      const next = parents.asked(`With another ${what}.`)
      // Main's next request begins as the side's did, up to main's new question.
      const question = next.messages.findLastIndex(({ content }) => String(content).startsWith('With another'))
      expect(question).toBeGreaterThan(10)
      expectWholePrefix(next, pending, question)
      expectWholePrefix(next, await parents.askSide(main, 'btw', `A used ${what}?`))
    },
  )
})
