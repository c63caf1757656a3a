/** The store on a real controller, under random acts, faults and interleavings (test/ui/model). */

import { describe, it } from 'vitest'
import { holdForRandom } from './model/page.ts'

describe('a page under random acts', () => {
  it('U3 U4 U5 U6 E7 loses nothing that was typed, in 500 sequences', () => holdForRandom(500, 50), 120_000)
})
