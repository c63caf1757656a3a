/** [I8] A few thousand hostile inputs; fuzz.full.spec.ts runs a hundred thousand. */
import { expect, it } from 'vitest'

import { fuzz } from './fuzz.ts'

const SEED = Number(process.env['SIDEMIND_SEED'] ?? Date.now() % 1_000_000)

it('keeps every law of the command door over generated hostile input', async () => {
  const tally = await fuzz(4_000, SEED)
  console.log(`fuzz seed ${SEED}: ${JSON.stringify(tally)}`)
  const { inputs, questions, controls, rightful, refusals, crashes, answeredTwice, sorts } = tally
  for (const count of [inputs, questions, controls, refusals]) expect(count).toBeGreaterThan(200)
  for (const count of Object.values(sorts)) expect(count).toBeGreaterThan(50)
  expect({ rightful, crashes, answeredTwice }).toEqual({ rightful: controls, crashes: 0, answeredTwice: 0 })
}, 60_000)
