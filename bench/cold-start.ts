/** What the plugin adds to the start of the host, and to the first load of a page, beside a plugin that does nothing. Times on the
 *  clock say what a person waits, times of the processor what was worked meanwhile: the second hardly hears a busy machine. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

import { packPlugin } from '../dev/pack.ts'
import { closeBrowser, openBrowser, openPage } from '../test/kit/browser.ts'
import { startRig, type Rig } from '../test/kit/host.ts'
import { packFolder } from '../test/kit/pack-folder.ts'
import { median, type Figure } from './figure.ts'
import type { Plan } from './plan.ts'

const FIGURES = {
  host: 'host start',
  hostWork: "host start, the processor's time",
  page: 'page until its composer is there',
  scripting: 'page load, its scripts',
} as const

/** Milliseconds of each figure; the processor's time is not told on every system. */
type Start = Record<keyof typeof FIGURES, number>

export async function coldStart(plan: Plan): Promise<Figure[]> {
  const ours = await packPlugin(() => undefined)
  const empty = await packFolder(join(import.meta.dirname, 'empty'))
  const taken: Record<'ours' | 'empty', Start[]> = { ours: [], empty: [] }
  const rigs = {
    ours: await startRig({ stock: true, plugins: [ours] }),
    empty: await startRig({ stock: true, plugins: [empty] }),
  }
  try {
    // Takes the host's own notice out of the way.
    for (const rig of Object.values(rigs)) await (await openPage(rig.url)).close()
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
  const names = Object.keys(FIGURES) as (keyof Start)[]
  return names.flatMap((name): Figure[] => {
    const of = (which: keyof typeof taken): number => median(taken[which].map((one) => one[name]))
    if (Number.isNaN(of('empty'))) return []
    const baseline = { name: 'empty plugin', value: of('empty') }
    return [{ what: FIGURES[name], at: 'a new home', unit: 'ms', samples: plan.starts, ours: of('ours'), baseline }]
  })
}

async function restart(rig: Rig): Promise<Start> {
  await rig.crash()
  const from = performance.now()
  await rig.restartHost()
  const host = performance.now() - from
  const hostWork = await processorTime(rig.host.pid)
  return { host, hostWork, ...(await load(rig.url)) }
}

/** One load of the page, in a browser profile of its own. Scripts are counted until the page has come to rest. */
async function load(url: string): Promise<Pick<Start, 'page' | 'scripting'>> {
  const tab = await (await openBrowser()).newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US' })
  try {
    const tabPage = await tab.newPage()
    const cdp = await tab.newCDPSession(tabPage)
    await cdp.send('Performance.enable')
    const from = performance.now()
    await tabPage.goto(url)
    await tabPage.getByRole('textbox').first().waitFor()
    const page = performance.now() - from
    await tabPage.waitForLoadState('networkidle')
    const { metrics } = await cdp.send('Performance.getMetrics')
    return { page, scripting: (metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? NaN) * 1_000 }
  } finally {
    await tab.close()
  }
}

/** Milliseconds that a process has worked since it was started. */
async function processorTime(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The name may hold spaces; behind it user and system time are the 12th and 13th, in hundredths of a second.
  const [user, system] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number)
  return user === undefined || system === undefined ? NaN : (user + system) * 10
}
