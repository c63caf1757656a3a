/** What one answer cost, in words. */
import { describe, expect, it } from 'vitest'

import type { TranscriptTurn, TurnUsage } from '../../src/wire/index.ts'
import { createTranslate } from '../../ui/locales.ts'
import { usageText } from '../../ui/parts/usage-text.ts'

const t = createTranslate('en')

function turn(usage?: Partial<TurnUsage>, times: Partial<TranscriptTurn> = {}): TranscriptTurn {
  const whole = { turnId: 't', promptTokens: 18_400, completionTokens: 320, estimated: false, ...usage }
  return {
    turnId: 't',
    question: 'q',
    phase: 'settled',
    items: [],
    interactions: [],
    ...(usage === undefined ? {} : { usage: whole }),
    ...times,
  }
}

describe('what an answer cost', () => {
  it('[K44] is said once: tokens, the cached share, the whole time and the time to the first word', () => {
    const times = { startedAt: 1_000, settledAt: 6_200 }
    expect(usageText(turn({ cachedTokens: 18_032, firstTokenMs: 400 }, times), t)).toBe(
      '18k in (98 % cached), 320 out · 5.2 s, first word 0.4 s',
    )
  })

  it('leaves out what nobody knows, and says "~" of what is estimated', () => {
    expect(usageText(turn(), t)).toBe('')
    expect(usageText(turn({}), t)).toBe('18k in, 320 out')
    expect(usageText(turn({ estimated: true }), t)).toBe('~18k in, ~320 out')
    expect(usageText(turn(undefined, { startedAt: 0, settledAt: 42_000 }), t)).toBe('42 s')
  })
})
