/** When a model that only calls refused tools is stopped: the counting, without a host. */
import { describe, expect, it } from 'vitest'

import { refusalCount } from '../../src/providers/dsh/refusals.ts'

describe('the count of refused steps', () => {
  it('grows by one a step, however many calls a step has', () => {
    const count = refusalCount()
    expect([count.call(true), count.call(true), count.next()]).toEqual([1, 1, 1])
    expect([count.call(true), count.next()]).toEqual([2, 2])
  })

  it.each([
    ['a call that ran', (count: ReturnType<typeof refusalCount>) => count.call(false)],
    ['a step without a call', (count: ReturnType<typeof refusalCount>) => count.next()],
    ['the end of the turn', (count: ReturnType<typeof refusalCount>) => count.reset()],
  ])('begins anew after %s', (_what, happens) => {
    const count = refusalCount()
    count.call(true)
    count.next()
    happens(count)
    count.next()
    expect(count.call(true)).toBe(1)
  })

  it('does not count a step in which one call ran beside refused ones', () => {
    const count = refusalCount()
    expect([count.call(true), count.call(false), count.call(true), count.next()]).toEqual([1, 0, 0, 0])
  })
})
