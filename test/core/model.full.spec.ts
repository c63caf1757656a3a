/** The same model at its large count, and with longer lives. */

import { describe, it } from 'vitest'

import { recordFigures } from '../../dev/figures.ts'
import { holdForRandom } from './model/laws.ts'

describe('the controller under random sequences, many of them', () => {
  it('keeps its laws in 9,000 sequences, and in 1,000 long ones', async () => {
    const short = await holdForRandom(9_000, 60)
    const long = await holdForRandom(1_000, 250)
    recordFigures('model-core', [
      {
        what: 'random sequences that kept the laws of the controller',
        measured: (short + long).toLocaleString('en'),
        beside: `${short.toLocaleString('en')} of up to 60 steps, ${long.toLocaleString('en')} of up to 250`,
      },
    ])
  })
})
