/** What a thousand deltas cost the page, by how long the answer is already that they are added to. */
import { closeBrowser } from '../test/kit/browser.ts'
import { startRig, type Rig } from '../test/kit/host.ts'
import { paste, side } from '../test/kit/surface.ts'
import { answerText } from './answer-text.ts'
import { median, type Figure } from './figure.ts'
import type { Spent } from './page-meter.ts'
import type { Plan } from './plan.ts'
import { answerSteps, openSidePage, spentUntil, standing, type SidePage } from './side-page.ts'

const DELTAS = 1_000
/** Characters of a delta: two tokens, so that a short answer is still short behind them. */
const SIZE = 8
const BASELINE_KB = 10

export async function scripting(plan: Plan): Promise<Figure[]> {
  const rig = await startRig({ stock: true })
  try {
    const pages = new Map<number, SidePage>()
    const taken = new Map<number, Spent[]>()
    for (const kB of plan.answers) {
      pages.set(kB, await openSidePage(rig))
      taken.set(kB, [])
    }
    for (let round = 0; round < plan.warmUps + plan.windows; round += 1) {
      for (const kB of rotated(plan.answers, round)) {
        const spent = await sample(rig, pages.get(kB) as SidePage, kB, `answer ${kB} ${round}`)
        if (round >= plan.warmUps) taken.get(kB)?.push(spent)
      }
    }
    const of = (kB: number, pick: (one: Spent) => number): number => median((taken.get(kB) ?? []).map(pick))
    return plan.answers
      .filter((kB) => kB !== BASELINE_KB)
      .flatMap((kB) =>
        (['scripting', 'tasks'] as const).map((kind) => ({
          what: kind === 'scripting' ? 'scripting per 1,000 deltas' : 'main thread per 1,000 deltas',
          at: `an answer of ${kB.toLocaleString('en')} kB`,
          unit: 'ms' as const,
          ours: of(kB, (one) => one[kind]),
          baseline: { name: `one of ${BASELINE_KB} kB`, value: of(BASELINE_KB, (one) => one[kind]) },
          samples: plan.windows,
          beside: { 'longest task': of(kB, ({ longest }) => longest) },
        })),
      )
  } finally {
    await closeBrowser()
    await rig.stop()
  }
}

/** Asks in a side of its own, lets the answer come to its length, and measures the deltas behind that. */
async function sample(rig: Rig, at: SidePage, kB: number, name: string): Promise<Spent> {
  const script = { before: answerText(kB * 1_000), deltas: answerText(DELTAS * SIZE, 4_000), size: SIZE }
  rig.model.script({ match: `Please give ${name}.`, behaviour: { kind: 'steps', steps: answerSteps(name, script) } })
  await paste(at.page, `/side Please give ${name}.`)
  await standing(rig, `${name}-go`)
  const spent = await spentUntil(at, `End of ${name}.`, async () => {
    rig.model.release(`${name}-go`)
    await standing(rig, `${name}-end`)
  })
  rig.model.release(`${name}-end`)
  await at.page
    .locator('[data-sidemind]')
    .getByRole('button', { name: `Close Please give ${name}.` })
    .first()
    .click()
  await side(at.page).waitFor({ state: 'detached' })
  return spent
}

function rotated<T>(list: readonly T[], by: number): T[] {
  const at = by % list.length
  return [...list.slice(at), ...list.slice(0, at)]
}
