/** Long conversations whose sides keep main's tools, and the requests of both. */
import { expect } from 'vitest'

import type { RecordedRequest } from '../../dev/model/journal.ts'
import { startLongParents, type LongParents } from './long-parent.ts'
import { commonPrefix, type WireRequest } from './prefix.ts'
import { closeSide, openSide, sideTurnEnd } from './side.ts'

export interface Inheriting extends LongParents {
  /** The newest request whose question holds `text`. */
  asked(text: string): WireRequest
  /** Asks a new side, ends it, and hands out its first request. */
  askSide(main: string, kind: 'btw' | 'side', question: string): Promise<WireRequest>
}

export async function startInheriting(): Promise<Inheriting> {
  const parents = await startLongParents()
  const { rig } = parents
  await rig.rpc('settings.update', { ns: 'sidemind', patch: { toolSurface: 'inherit' } })
  function asked(text: string): WireRequest {
    const found = rig.model
      .requests()
      .findLast(({ kind, lastUser }: RecordedRequest) => kind === 'chat' && lastUser.includes(text))
    if (found === undefined) throw new Error(`nothing asked about ${text}`)
    return found.body
  }
  return {
    ...parents,
    asked,
    async askSide(main, kind, question) {
      const side = await openSide(rig, main, kind, `${question} [[plain Yes.]]`)
      await sideTurnEnd(rig, side.id)
      await closeSide(rig, side)
      return asked(question)
    },
  }
}

/** Fails on the first byte of `main`, up to its message `until`, that is not at the beginning of `side`. */
export function expectWholePrefix(main: WireRequest, side: WireRequest, until?: number): void {
  const { common, of, difference } = commonPrefix(main, side, until)
  expect(difference).toBeNull()
  expect(common).toBe(of)
}

/** Main's model, and its effort: changed between two of its turns, a side beside it begins as main's next request does, whether
 *  main has asked with the change yet or not. */
export const CHANGES: readonly (readonly [what: string, pick: Record<string, string>])[] = [
  ['model', { model: 'deepseek-v4-pro' }],
  ['effort', { model: 'deepseek-v4-flash', reasoningEffort: 'max' }],
]

/** Fails on the first byte that differs after the change `pick`, in a new conversation of so many tokens. */
export async function expectPrefixAfterChange(
  { rig, ofTokens, asked, askSide }: Inheriting,
  tokens: number,
  [what, pick]: (typeof CHANGES)[number],
): Promise<void> {
  const main = await ofTokens(tokens)
  await rig.ask(main, `Before another ${what}. [[plain One.]]`)
  await rig.rpc('session.selectModel', { sessionId: main, provider: 'deepseek-official', ...pick })
  const pending = await askSide(main, 'btw', `A pending ${what}?`)
  await rig.ask(main, `With another ${what}. [[plain Two.]]`)
  const next = asked(`With another ${what}.`)
  // Main's next request begins as the side's did, up to main's new question.
  const question = next.messages.findLastIndex(({ content }) => String(content).startsWith('With another'))
  expect(question).toBeGreaterThan(10)
  expectWholePrefix(next, pending, question)
  expectWholePrefix(next, await askSide(main, 'btw', `A used ${what}?`))
}
