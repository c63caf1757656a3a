/** What the plugin adds to the start of the host, and to the first load of a page, beside a plugin that does nothing. */
import { join } from 'node:path'

import { packPlugin } from '../dev/pack.ts'
import { closeBrowser, openPage } from '../test/kit/browser.ts'
import { startRig, type Rig } from '../test/kit/host.ts'
import { packFolder } from '../test/kit/pack-folder.ts'
import { median, type Figure } from './figure.ts'
import type { Plan } from './plan.ts'

interface Start {
  host: number
  page: number
}

export async function coldStart(plan: Plan): Promise<Figure[]> {
  const ours = await packPlugin(() => undefined)
  const empty = await packFolder(join(import.meta.dirname, 'empty'))
  const taken: Record<'ours' | 'empty', Start[]> = { ours: [], empty: [] }
  const rigs = {
    ours: await startRig({ stock: true, plugins: [ours] }),
    empty: await startRig({ stock: true, plugins: [empty] }),
  }
  try {
    for (let round = 0; round <= plan.starts; round += 1) {
      for (const which of round % 2 === 0 ? (['ours', 'empty'] as const) : (['empty', 'ours'] as const)) {
        const start = await restart(rigs[which])
        // The first one of each reads its files for the first time.
        if (round > 0) taken[which].push(start)
      }
    }
  } finally {
    await closeBrowser()
    await Promise.all(Object.values(rigs).map((rig) => rig.stop()))
  }
  const shared = { at: 'a new home', unit: 'ms', samples: plan.starts } as const
  return (['host', 'page'] as const).map((half) => ({
    ...shared,
    what: half === 'host' ? 'host start' : 'page until its composer is there',
    ours: median(taken.ours.map((one) => one[half])),
    baseline: { name: 'empty plugin', value: median(taken.empty.map((one) => one[half])) },
  }))
}

async function restart(rig: Rig): Promise<Start> {
  await rig.crash()
  const from = performance.now()
  await rig.restartHost()
  const started = performance.now()
  const { close } = await openPage(rig.url)
  const loaded = performance.now()
  await close()
  return { host: started - from, page: loaded - started }
}
