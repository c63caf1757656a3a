/** How long it takes until a side exists and has its question: from the command's POST to its answer. */
import { median, type Figure } from './figure.ts'
import { interleaved, type BenchHost } from './host.ts'
import type { Plan } from './plan.ts'

export async function childCreation(host: BenchHost, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const turns of plan.turns) {
    const parent = await host.parent(turns)
    const noops: number[] = []
    const samples = plan.samples(turns)
    const taken = await interleaved(
      { btw: () => host.btw(parent), bare: () => host.bare(parent) },
      { warmUps: plan.warmUps, samples },
    )
    for (let count = 0; count < samples; count += 1) {
      const from = performance.now()
      await host.noop(parent)
      noops.push(performance.now() - from)
    }
    figures.push({
      what: 'child creation',
      at: `${turns} turns`,
      unit: 'ms',
      ours: median(taken.btw.map(({ reply }) => reply)),
      baseline: { name: 'bare child', value: median(taken.bare.map(({ reply }) => reply)) },
      samples,
      beside: { 'no-op command': median(noops) },
    })
    host.rig.model.clear()
  }
  return figures
}
