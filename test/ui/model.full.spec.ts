// @vitest-environment jsdom
/** The same model at its large count. */

import { describe, it } from 'vitest'

import { recordFigures } from '../../dev/figures.ts'
import { holdForRandom } from './model/page.ts'

describe('a page under random acts, many of them', () => {
  it('loses nothing that was typed, in 12,500 sequences', async () => {
    const count = await holdForRandom(12_500, 50)
    recordFigures('model-page', [
      {
        what: 'random sequences in which a page lost nothing',
        measured: count.toLocaleString('en'),
        beside: 'of up to 50 acts, under random schedules and faults',
      },
    ])
  })
})
