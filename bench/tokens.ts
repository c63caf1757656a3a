/** What a `/btw` pays the model for: how much of its request main's last one begins with, the tokens that no cache covers, and
 *  the wait for the first word of a model that takes its time over those. */
import { commonPrefix } from '../test/kit/prefix.ts'
import { median, type Figure } from './figure.ts'
import { interleaved, type BenchHost } from './host.ts'
import type { Plan } from './plan.ts'

/** Milliseconds that the model reads a thousand uncached tokens. */
const READS_MS = 5

export async function tokens(host: BenchHost, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = []
  const { rig } = host
  for (const size of plan.tokens) {
    const parent = await host.parentOfTokens(size)
    await rig.ask(parent, 'What was said last? [[plain This.]]')
    const last = rig.model.requests().findLast(({ kind, sessionId }) => kind === 'chat' && sessionId === parent)
    if (last === undefined) throw new Error('main asked nothing')
    const at = `${size.toLocaleString('en')} tokens`
    const paid: Record<string, number> = {}
    /** Asked when the cache holds main's last request and nothing else. */
    const fresh = async (ask: () => ReturnType<BenchHost['btw']>) => {
      rig.model.forget()
      await rig.ask(parent, 'And before that? [[plain That.]]')
      return ask()
    }
    const bare = await fresh(() => host.bare(parent))
    for (const surface of ['inherit', 'restrict', 'auto'] as const) {
      await rig.rpc('settings.update', { ns: 'sidemind', patch: { toolSurface: surface } })
      const one = await fresh(() => host.btw(parent))
      paid[surface] = one.uncached
      if (surface === 'auto') continue
      paid[`${surface}, from the cache`] = one.cached
      if (surface === 'restrict') continue
      const share = ({ common, of }: { common: number; of: number }): number => (100 * common) / of
      figures.push({
        what: "main's request at the beginning, tools kept",
        at,
        unit: '%',
        ours: share(commonPrefix(last.body, one.body)),
        baseline: { name: 'bare child', value: share(commonPrefix(last.body, bare.body)) },
        samples: 1,
      })
    }
    const { auto = NaN, ...beside } = paid
    figures.push({
      what: 'tokens paid per /btw',
      at,
      unit: 'tokens',
      ours: auto,
      baseline: { name: 'bare child', value: bare.uncached },
      samples: 1,
      beside,
    })
    rig.model.clear()
  }

  const size = plan.tokens.findLast((one) => one <= 100_000) ?? 10_000
  const parent = await host.parentOfTokens(size)
  rig.model.charge(READS_MS)
  const cold = async (ask: () => ReturnType<BenchHost['btw']>) => {
    rig.model.forget()
    await rig.ask(parent, 'Once more? [[plain Yes.]]')
    return ask()
  }
  const taken = await interleaved(
    { btw: () => cold(() => host.btw(parent)), bare: () => cold(() => host.bare(parent)) },
    { warmUps: 1, samples: plan.samples(100) > 5 ? 7 : 3 },
  )
  rig.model.charge(0)
  figures.push({
    what: 'submit to first word, a model that reads 1,000 new tokens in 5 ms',
    at: `${size.toLocaleString('en')} tokens`,
    unit: 'ms',
    ours: median(taken.btw.map(({ firstByte }) => firstByte)),
    baseline: { name: 'bare child', value: median(taken.bare.map(({ firstByte }) => firstByte)) },
    samples: taken.btw.length,
  })
  rig.model.clear()
  return figures
}
