/** The comparison behind the prefix tests: it has to fail on one byte, and say which. */
import { describe, expect, it } from 'vitest'

import { commonPrefix } from '../kit/prefix.ts'

const REQUEST = {
  model: 'one',
  tools: [{ function: { name: 'read' } }, { function: { name: 'grep' } }],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'How high is the tide? …' },
  ],
}

describe('the common prefix of two requests', () => {
  it('is all of the first one where the second goes on behind it', () => {
    const longer = { ...REQUEST, messages: [...REQUEST.messages, { role: 'user', content: 'And now?' }] }
    const { common, of, difference } = commonPrefix(REQUEST, longer)
    expect(difference).toBeNull()
    expect(common).toBe(of)
  })

  it.each([
    ['parameters', { ...REQUEST, model: 'two' }],
    ['parameters', { ...REQUEST, reasoning_effort: 'low' }],
    ['tool grep', { ...REQUEST, tools: [REQUEST.tools[0], { function: { name: 'glob' } }] }],
    ['the end of the tools', { ...REQUEST, tools: [...REQUEST.tools, { function: { name: 'lsp' } }] }],
    [
      'message 1 (user)',
      { ...REQUEST, messages: [REQUEST.messages[0], { role: 'user', content: 'How high is the tidE? …' }] },
    ],
    ['message 1 (user)', { ...REQUEST, messages: REQUEST.messages.slice(0, 1) }],
  ])('ends in %s', (where, other) => {
    const { common, of, difference } = commonPrefix(REQUEST, other as typeof REQUEST)
    expect(difference).toContain(where)
    expect(common).toBeLessThan(of)
  })

  it('names the byte, and what stands around it on both sides', () => {
    const other = { ...REQUEST, messages: [{ role: 'system', content: 'Be BRIEF.' }, ...REQUEST.messages.slice(1)] }
    const { common, difference } = commonPrefix(REQUEST, other)
    expect(difference).toContain(`byte ${common} of`)
    expect(difference).toContain('Be brief')
    expect(difference).toContain('Be BRIEF')
  })
})
