/** When a side is far enough from what its model takes that nobody has to look. */
import { describe, expect, it } from 'vitest'

import { roomWatch } from '../../src/providers/dsh/room.ts'

const text = (length: number): unknown[] => [{ type: 'text', text: 'x'.repeat(length) }]

describe('the room that a side has', () => {
  it('is large below seven tenths of the window, and none where nobody tells the window', () => {
    expect(roomWatch(69, 100).roomy()).toBe(true)
    expect(roomWatch(70, 100).roomy()).toBe(false)
    expect(roomWatch(0, null).roomy()).toBe(false)
  })

  it.each([
    ['user/message', { content: text(500) }],
    ['tool/result', { message: { content: [{ type: 'tool-result', content: text(500) }] } }],
    ['assistant/message', { message: { content: text(500) } }],
  ])('shrinks by a token a character with a %s that nobody counted', (type, data) => {
    const room = roomWatch(100, 1_000)
    room.hear(type, data)
    expect(room.roomy()).toBe(true)
    room.hear(type, data)
    expect(room.roomy()).toBe(false)
  })

  it('is what the provider counted as soon as it did', () => {
    const room = roomWatch(100, 1_000)
    room.hear('user/message', { content: text(5_000) })
    room.hear('assistant/message', { message: { content: text(5_000) }, usage: { inputTokens: 600, outputTokens: 50 } })
    expect(room.roomy()).toBe(true)
    room.hear('assistant/message', { message: {}, usage: { inputTokens: 600, cacheReadTokens: 100, outputTokens: 50 } })
    expect(room.roomy()).toBe(false)
  })
})
