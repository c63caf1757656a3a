// @vitest-environment jsdom
/** The same model at its large count. */

import { describe, it } from 'vitest'
import { holdForRandom } from './model/page.ts'

describe('a page under random acts, many of them', () => {
  it('loses nothing that was typed, in 12,500 sequences', () => holdForRandom(12_500, 50))
})
