/** What a side leaves under DSH_HOME. Everything is counted: files that are new, and files that grew. */
import { stat } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

import { filesUnder } from '../test/kit/disk.ts'
import type { Figure } from './figure.ts'
import type { BenchHost } from './host.ts'
import type { Plan } from './plan.ts'

/** The host writes some files a while later; this long without a change is taken for the end of it. */
const QUIET_MS = 1_500
/** Commands in a row share one write of the log and a side's do not: the no-op ones are kept apart too. */
const APART_MS = 100
/** A side is opened by one command and closed by another. */
const COMMANDS_PER_SIDE = 2

export async function bytesWritten(host: BenchHost, plan: Plan): Promise<Figure[]> {
  const figures: Figure[] = []
  for (const turns of plan.turns.filter((one) => one <= 1_000)) {
    const parent = await host.parent(turns)
    const log = (path: string): boolean => path.includes(parent)
    const measure = async (times: number, work: () => Promise<unknown>): Promise<Growth> => {
      const before = await quietSizes(host.rig.home)
      for (let count = 0; count < times; count += 1) await work()
      return growth(before, await quietSizes(host.rig.home))
    }
    // A turn of its own, so that what the host writes late about a new conversation is not taken for ours.
    await host.main(parent)
    const noops = await measure(plan.sides * COMMANDS_PER_SIDE, async () => {
      await host.noop(parent)
      await sleep(APART_MS)
    })
    const sides = await measure(plan.sides, () => host.btw(parent))
    const bare = await measure(plan.sides, () => host.bare(parent))
    const perSide = (grown: Growth, which: (path: string) => boolean): number =>
      [...grown].reduce((sum, [path, bytes]) => sum + (which(path) ? bytes : 0), 0) / plan.sides
    const shared = { unit: 'bytes', at: `${turns} turns`, samples: plan.sides } as const
    figures.push(
      {
        ...shared,
        what: 'left per side',
        ours: perSide(sides, (path) => !log(path)),
        baseline: { name: 'bare child', value: perSide(bare, (path) => !log(path)) },
        beside: { 'no-op commands': perSide(noops, (path) => !log(path)) },
      },
      {
        ...shared,
        what: "commands in main's log, per side",
        ours: perSide(sides, log),
        baseline: { name: `${COMMANDS_PER_SIDE} no-op commands`, value: perSide(noops, log) },
      },
    )
  }
  return figures
}

type Growth = Map<string, number>

function growth(before: Map<string, number>, after: Map<string, number>): Growth {
  return new Map(
    [...after].flatMap(([path, size]) => {
      const more = size - (before.get(path) ?? 0)
      return more === 0 ? [] : [[path, more]]
    }),
  )
}

/** Sizes of all files of the home, once nothing was written for a while. */
async function quietSizes(home: string): Promise<Map<string, number>> {
  for (let last = '', since = Date.now(); ; await sleep(100)) {
    const files = await Promise.all((await filesUnder(home)).map(sizeOf))
    const now = JSON.stringify(files)
    if (now !== last) since = Date.now()
    last = now
    if (Date.now() - since >= QUIET_MS)
      return new Map(files.flatMap((file) => (file === null ? [] : [[file.path, file.size]])))
  }
}

/** Null for a file that was renamed or removed meanwhile. */
async function sizeOf(path: string): Promise<{ path: string; size: number; mtimeMs: number } | null> {
  const found = await stat(path).catch(() => null)
  return found === null ? null : { path, size: found.size, mtimeMs: found.mtimeMs }
}
