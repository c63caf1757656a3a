/** How long a question is on its way: from the submission to the arrival of its request at the model server. */
import { median, type Figure } from './figure.ts'
import { interleaved, type BenchHost } from './host.ts'
import type { Plan } from './plan.ts'

const TURNS = 100

export async function submitToRequest(host: BenchHost, plan: Plan): Promise<Figure[]> {
  const parent = await host.parent(TURNS)
  const samples = plan.samples(TURNS)
  const taken = await interleaved(
    { btw: () => host.btw(parent), bare: () => host.bare(parent), main: () => host.main(parent) },
    { warmUps: plan.warmUps, samples },
  )
  return [
    {
      what: 'submit to request',
      at: `${TURNS} turns`,
      unit: 'ms',
      ours: median(taken.btw.map(({ request }) => request)),
      baseline: { name: 'bare child', value: median(taken.bare.map(({ request }) => request)) },
      samples,
      beside: { 'main itself': median(taken.main.map(({ request }) => request)) },
    },
  ]
}
