/** [I8] A few thousand hostile inputs; fuzz.full.spec.ts runs a hundred thousand. */
import { expect, it } from 'vitest'

import { fuzz } from './fuzz.ts'

const SEED = Number(process.env['SIDEMIND_SEED'] ?? Date.now() % 1_000_000)

it('keeps every law of the command door over generated hostile input', async () => {
  const tally = await fuzz(4_000, SEED)
  console.log(`fuzz seed ${SEED}: ${JSON.stringify(tally)}`)
  for (const count of Object.values(tally)) expect(count).toBeGreaterThan(200)
}, 60_000)
