/** [I8] The large count of fuzz.spec.ts. */
import { expect, it } from 'vitest'

import { fuzz } from './fuzz.ts'

const SEED = Number(process.env['SIDEMIND_SEED'] ?? Date.now() % 1_000_000)

it('keeps every law of the command door over 100,000 generated hostile inputs', async () => {
  const tally = await fuzz(100_000, SEED)
  console.log(`fuzz seed ${SEED}: ${JSON.stringify(tally)}`)
  expect(tally.inputs).toBeGreaterThanOrEqual(100_000)
})
