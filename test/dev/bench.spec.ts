/** The arithmetic of the bench; that it measures at all is test/e2e/bench.full.spec.ts. */
import { describe, expect, it } from 'vitest'

import { median, ratioOf, table, type Figure } from '../../bench/figure.ts'

const figure: Figure = {
  what: 'child creation',
  at: '10 turns',
  unit: 'ms',
  ours: 30,
  baseline: { name: 'bare child', value: 20 },
  samples: 3,
  beside: { 'no-op command': 2.04 },
}

describe('a figure', () => {
  it.each([
    [[3], 3],
    [[9, 1, 2], 2],
    [[4, 1, 3, 2], 2.5],
  ])('takes %j for a median of %d', (samples, expected) => {
    expect(median(samples)).toBe(expected)
  })

  it('has no median without a sample', () => {
    expect(() => median([])).toThrow('no samples')
  })

  it('is shown beside its baseline', () => {
    expect(ratioOf(figure)).toBe(1.5)
    const [head, ...lines] = table([figure, { ...figure, unit: 'bytes', ours: 12_345, beside: {} }]).split('\n')
    expect(head).toMatch(/^figure +at +ours +baseline +ratio +beside$/)
    expect(lines.map((line) => line.replaceAll(/ +/g, ' '))).toEqual([
      'child creation 10 turns 30.0 ms 20.0 ms bare child 1.50 no-op command 2.0 ms',
      'child creation 10 turns 12,345 B 20 B bare child 617.25',
    ])
  })
})
