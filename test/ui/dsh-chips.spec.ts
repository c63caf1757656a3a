/** Chips of main's composer in a claimed line (K27): unfolded as for main, or refused; never left out. */
import { describe, expect, it, vi } from 'vitest'

import { unfoldChips } from '../../ui/dsh/chips.ts'

const draft = '/btw compare \uE100a.txt and \uE100b.txt, please'
const chips = [
  { offset: draft.indexOf('\uE100b'), length: 6, source: 'reference', ref: '@docs/b.txt' },
  { offset: draft.indexOf('\uE100a'), length: 6, source: 'reference', ref: '@docs/a.txt' },
]

function host(state: object, serializeReference?: unknown) {
  return {
    conversation: { input: { for: () => ({ state: { getSnapshot: () => state } }) } },
    inputTriggers: { sessionOf: () => ({ serializeReference }) },
    scope: {},
  }
}

describe('unfoldChips', () => {
  it('puts what each chip stands for in its place', async () => {
    const serialize = vi.fn(async (_source: string, ref: string) => ref)
    const text = await unfoldChips(draft.slice('/btw '.length), host({ draft, occurrences: chips }, serialize))
    expect(text).toBe('compare @docs/a.txt and @docs/b.txt, please')
    expect(serialize.mock.calls.map(([source]) => source)).toEqual(['reference', 'reference'])
  })

  it.each([
    ['a draft without chips', host({ draft: '/btw why \uFFFC?', occurrences: [] })],
    ['a host that knows no chips', { conversation: undefined, inputTriggers: undefined, scope: undefined }],
  ])('hands the text of %s on as it is, at once', (_what, services) => {
    expect(unfoldChips('why \uFFFC?', services)).toBe('why \uFFFC?')
  })

  it.each([
    ['nobody unfolds', undefined, draft],
    ['cannot be unfolded', () => Promise.reject(new Error('gone')), draft],
    ['unfolds to nothing', async () => undefined, draft],
    ['stands in another draft', async () => 'x', 'something else'],
  ])('refuses a chip that %s', async (_what, serialize, now) => {
    const unfold = async (): Promise<string> =>
      unfoldChips(draft.slice('/btw '.length), host({ draft: now, occurrences: chips }, serialize))
    await expect(unfold()).rejects.toThrow()
  })
})
