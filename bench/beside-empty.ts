/** Tasks of more than 50 ms in the page: with the plugin and sides that stream in it, against the host's page with an empty
 *  plugin. Both show answers at the same speed. */
import { join } from 'node:path'

import { packPlugin } from '../dev/pack.ts'
import { closeBrowser } from '../test/kit/browser.ts'
import { startRig, type Rig } from '../test/kit/host.ts'
import { packFolder } from '../test/kit/pack-folder.ts'
import { paste } from '../test/kit/surface.ts'
import { answerText } from './answer-text.ts'
import { median, type Figure } from './figure.ts'
import type { Spent } from './page-meter.ts'
import type { Plan } from './plan.ts'
import { answerSteps, openSidePage, spentUntil, standing, type Script, type SidePage } from './side-page.ts'

const SIDES = 8
/** A common speed of a model, in deltas a second, and ten seconds of it. */
const SPEED = 50
const SHORT: Script = { before: '', deltas: answerText(4_000), size: 8, perSecond: SPEED }

/** Eight sides stream while main does; on the other page main alone. */
export function eightStreams(plan: Plan): Promise<Figure[]> {
  const sides = Array.from({ length: SIDES }, (_, at) => `side ${at}`)
  return compare(plan, `${SIDES} sides stream beside main`, 'main alone, empty plugin', {
    ours: [['main', SHORT], ...sides.map((name) => [name, SHORT] as const)],
    empty: [['main', SHORT]],
  })
}

/** A side's long answer; on the other page the host shows the same as main's. */
export function longAnswer(plan: Plan): Promise<Figure[]> {
  const script = { before: '', deltas: answerText(plan.longAnswer * 1_000), size: 40 }
  return compare(
    plan,
    `an answer of ${plan.longAnswer} kB at 500 deltas a second`,
    'the same as main’s, empty plugin',
    {
      ours: [['side 0', script]],
      empty: [['main', script]],
    },
  )
}

/** What streams on either page. One that is not main is a side. */
type Streams = readonly (readonly [name: string, script: Script])[]

async function compare(
  plan: Plan,
  at: string,
  name: string,
  streams: Record<'ours' | 'empty', Streams>,
): Promise<Figure[]> {
  const [ours, empty] = [await packPlugin(() => undefined), await packFolder(join(import.meta.dirname, 'empty'))]
  const rigs = {
    ours: await startRig({ stock: true, plugins: [ours] }),
    empty: await startRig({ stock: true, plugins: [empty] }),
  }
  const taken: Record<'ours' | 'empty', Spent[]> = { ours: [], empty: [] }
  try {
    // Where more than one is measured, none is measured cold.
    const cold = plan.windows > 1 ? 1 : 0
    for (let round = 0; round < plan.windows + cold; round += 1) {
      for (const which of round % 2 === 0 ? (['ours', 'empty'] as const) : (['empty', 'ours'] as const)) {
        const spent = await sample(rigs[which], streams[which], round)
        if (round >= cold) taken[which].push(spent)
      }
    }
  } finally {
    await closeBrowser()
    await Promise.all(Object.values(rigs).map((rig) => rig.stop()))
  }
  const of = (which: keyof typeof taken, pick: (one: Spent) => number): number => median(taken[which].map(pick))
  return [
    {
      what: 'tasks of more than 50 ms',
      at,
      unit: 'times',
      ours: of('ours', ({ long }) => long),
      baseline: { name, value: of('empty', ({ long }) => long) },
      samples: plan.windows,
    },
    {
      what: 'main thread meanwhile',
      at,
      unit: 'ms',
      ours: of('ours', ({ tasks }) => tasks),
      baseline: { name, value: of('empty', ({ tasks }) => tasks) },
      samples: plan.windows,
      beside: {
        'longest task': of('ours', ({ longest }) => longest),
        'of the baseline': of('empty', ({ longest }) => longest),
      },
    },
  ]
}

/** Lets all of them come to their first word, and measures until each has said its last. */
async function sample(rig: Rig, streams: Streams, round: number): Promise<Spent> {
  const at = await openSidePage(rig)
  const names = streams.map(([name]) => `${name} of ${round}`)
  for (const [index, [name, script]] of streams.entries()) {
    const gate = names[index] ?? ''
    const text = `Please give ${gate}.`
    rig.model.script({ match: text, behaviour: { kind: 'steps', steps: answerSteps(gate, script) } })
    await paste(at.page, name === 'main' ? text : `/side ${text}`)
    await standing(rig, `${gate}-go`)
  }
  const shown = names.at(-1) ?? ''
  const spent = await spentUntil(at, `End of ${shown}.`, async () => {
    for (const gate of names) rig.model.release(`${gate}-go`)
    for (const gate of names) await standing(rig, `${gate}-end`)
  })
  for (const gate of names) rig.model.release(`${gate}-end`)
  await closeSides(at, names)
  await at.open.close()
  return spent
}

async function closeSides({ page }: SidePage, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const tab = page.locator('[data-sidemind]').getByRole('button', { name: `Close Please give ${name}.` })
    if ((await tab.count()) > 0) await tab.first().click()
  }
}
