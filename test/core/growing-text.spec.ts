/** A text that grows reads like the string that it stands for, whatever was added in which order. */
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { grown, growingText, isGrownFrom, nextLine, sliceOf, type GrowingText } from '../../src/core/growing-text.ts'

const more = fc.oneof(
  fc.string({ maxLength: 20 }),
  fc.constantFrom('\n', 'a line\n', 'x'.repeat(3_000), `${'y'.repeat(5_000)}\n`),
)

describe('a growing text', () => {
  it('reads like the string that it stands for', () => {
    fc.assert(
      fc.property(fc.array(more, { maxLength: 30 }), fc.nat(), fc.nat(), (parts, some, others) => {
        const whole = parts.join('')
        const text = parts.reduce(grown, growingText(''))
        const from = some % (whole.length + 1)
        const to = from + (others % (whole.length - from + 1))
        expect(text.length).toBe(whole.length)
        expect(text.text).toBe(whole)
        expect(sliceOf(text, from, to)).toBe(whole.slice(from, to))
        expect(nextLine(text, from)).toBe(whole.indexOf('\n', from) + 1 || -1)
      }),
    )
  })

  it('can go on in two ways without one knowing of the other', () => {
    fc.assert(
      fc.property(fc.array(more, { maxLength: 8 }), more, more, (parts, left, right) => {
        const before = parts.reduce(grown, growingText(''))
        const words = (text: GrowingText): string => sliceOf(text, 0)
        const one = grown(before, left)
        const further = grown(one, right)
        const other = grown(before, right)
        expect([before, one, other, further].map(words)).toEqual([
          parts.join(''),
          parts.join('') + left,
          parts.join('') + right,
          parts.join('') + left + right,
        ])
        expect(isGrownFrom(further, one)).toBe(true)
        if (left !== '' && right !== '') expect(isGrownFrom(other, one)).toBe(false)
      }),
    )
  })
})
