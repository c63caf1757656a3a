// @vitest-environment jsdom
/** The same model at its large count. */

import { describe, it } from 'vitest'
import { holdForRandom } from './model/page.ts'

describe('a page under random acts, many of them', () => {
  it('loses nothing that was typed, in 10,000 sequences', () => holdForRandom(10_000, 50))
})
