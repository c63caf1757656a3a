/** [I8] The large count of fuzz.spec.ts. */
import { expect, it } from 'vitest'

import { recordFigures } from '../../dev/figures.ts'
import { fuzz } from './fuzz.ts'

const SEED = Number(process.env['SIDEMIND_SEED'] ?? Date.now() % 1_000_000)

it('keeps every law of the command door over 100,000 generated hostile inputs', async () => {
  const tally = await fuzz(100_000, SEED)
  console.log(`fuzz seed ${SEED}: ${JSON.stringify(tally)}`)
  const { inputs, sorts, questions, controls, rightful, refusals, crashes, answeredTwice } = tally
  expect(inputs).toBeGreaterThanOrEqual(100_000)
  expect({ rightful, crashes, answeredTwice }).toEqual({ rightful: controls, crashes: 0, answeredTwice: 0 })
  const number = (count: number): string => count.toLocaleString('en')
  recordFigures('fuzz', [
    {
      what: 'generated inputs at the command door',
      measured: number(inputs),
      beside: Object.entries(sorts)
        .map(([sort, count]) => `${sort} ${number(count)}`)
        .join(', '),
    },
    {
      what: '  acted as a control',
      measured: number(controls),
      beside: `with the right secret: ${number(rightful)}`,
    },
    { what: '  asked as a question', measured: number(questions), beside: `answered more than once: ${answeredTwice}` },
    { what: '  refused in words', measured: number(refusals), beside: `crashes: ${crashes}` },
  ])
})
