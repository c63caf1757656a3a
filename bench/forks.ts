/** What a fork costs, by the length of main: until the side exists, until its request is at the model, how much of that is
 *  ours, and how far the heap grows. One set of samples gives all of it. */
import { join } from 'node:path'

import { median, type Figure } from './figure.ts'
import { interleaved, type BenchHost } from './host.ts'
import type { Plan } from './plan.ts'

/** Forks over which the profile is taken. */
const PROFILED = 3

export async function forks(host: BenchHost, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const turns of plan.turns) {
    const parent = await host.parent(turns)
    const samples = plan.samples(turns)
    const taken = await interleaved(
      {
        btw: () => host.watched(() => host.btw(parent)),
        bare: () => host.watched(() => host.bare(parent)),
        main: () => host.main(parent),
        noop: () => host.noop(parent),
      },
      { warmUps: plan.warmUps, samples },
    )
    const file = plan.profiles === undefined ? undefined : join(plan.profiles, `fork-${turns}.cpuprofile`)
    const profile = await host.profiled(async () => {
      for (let count = 0; count < PROFILED; count += 1) await host.btw(parent)
    }, file)
    const { btw, bare, main, noop } = taken
    const shared = { at: `${turns.toLocaleString('en')} turns`, samples } as const
    const of = <T>(list: readonly T[], pick: (one: T) => number): number => median(list.map(pick))
    figures.push(
      {
        ...shared,
        what: 'child creation',
        unit: 'ms',
        ours: of(btw, ({ reply }) => reply),
        baseline: { name: 'bare child', value: of(bare, ({ reply }) => reply) },
        beside: { 'no-op command': of(noop, ({ reply }) => reply) },
      },
      {
        ...shared,
        what: 'submit to request',
        unit: 'ms',
        ours: of(btw, ({ request }) => request),
        baseline: { name: 'bare child', value: of(bare, ({ request }) => request) },
      },
      {
        ...shared,
        what: 'submit to request',
        unit: 'ms',
        ours: of(btw, ({ request }) => request),
        baseline: { name: "main's own next turn", value: of(main, ({ request }) => request) },
      },
      {
        ...shared,
        samples: PROFILED,
        what: 'our code in a fork',
        unit: 'ms',
        ours: profile.ours / PROFILED,
        baseline: { name: "the host's create", value: profile.create / PROFILED },
      },
      {
        ...shared,
        what: 'heap when the child is made',
        unit: 'bytes',
        ours: of(btw, ({ created }) => created.heap),
        baseline: { name: 'bare child', value: of(bare, ({ created }) => created.heap) },
      },
    )
    host.rig.model.clear()
  }
  return figures
}
