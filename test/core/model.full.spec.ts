/** The same model at its large count, and with longer lives. */

import { describe, it } from 'vitest'
import { holdForRandom } from './model/laws.ts'

describe('the controller under random sequences, many of them', () => {
  it('keeps its laws in 9,000 sequences', () => holdForRandom(9_000, 60))

  it('keeps its laws in 1,000 long ones', () => holdForRandom(1_000, 250))
})
