/** Cards and sides, however many, leave the page as they found it: heap, detached nodes, streams, held commands (I6). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { drawn, recordFigures, type Measured } from '../../dev/figures.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import type { Rig } from '../kit/host.ts'
import { expectNoHeapGrowth, heapGrowth, megabytes } from '../kit/leaks.ts'
import { watchPage, type PageState } from '../kit/page-state.ts'
import { startProbedRig } from '../kit/probe.ts'
import { button, composer, overlay, side } from '../kit/surface.ts'

/** Of each, in the first host: two hundred take eight minutes and are for `npm run promises`. */
const CYCLES = process.env['SIDEMIND_PROMISES'] === undefined ? 40 : 200
/** So many of each before the first look: until then caches fill, and the list of recent sides. */
const WARM_UP = 10
/** What a count may be off by: the last thing drawn is kept until the next one is. */
const SLACK = 10
/** Of the commands that do nothing, how many are typed; the host's composer keeps two nodes of each typed line. */
const TYPED = 20

/** Where the host's own client keeps every session that it ever heard of: its list, its projections, two flags. */
const HOST_FILES = [
  'Map of boolean',
  'Map of rows,channels,valuesCache,anyNotifier',
  'Map of sessionId,updatedAt,running,blank',
  'Set of string',
]

/** Of both hosts: each test adds its own. */
const figures: Measured[] = []

describe.each([
  ['with the native right sidebar', false, CYCLES],
  ['on a stock host', true, 20],
] as const)('a page %s', (where, stock, count) => {
  let rig: Rig
  let open: OpenPage
  let main: string
  let look: (ids: readonly string[]) => Promise<PageState>

  beforeAll(async () => {
    rig = await startProbedRig({ stock })
  })
  afterAll(() => rig?.stop())

  beforeEach(async () => {
    main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi there.]]')
    open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
    look = await watchPage(open.page)
  })
  afterEach(async () => {
    await open.close()
    expect(open.errors).toEqual([])
  })

  async function enter(line: string): Promise<void> {
    await composer(open.page).fill(line)
    await composer(open.page).press('Enter')
    await composer(open.page).evaluate(emptied)
  }

  /** Asks in a card and in a side at once, reads both answers, closes both. */
  async function cycles(times: number): Promise<void> {
    const answer = { exact: true } as const
    for (let at = 0; at < times; at += 1) {
      await enter(`/btw Question ${at}? [[plain Answer ${at}.]]`)
      await enter(`/side Other ${at}? [[plain Reply ${at}.]]`)
      await overlay(open.page).getByText(`Answer ${at}.`, answer).waitFor()
      await side(open.page).getByText(`Reply ${at}.`, answer).waitFor()
      await button(overlay(open.page), 'Close').click()
      const ours = open.page.locator('[data-sidemind]').getByRole('button', { name: /^Close Other/ })
      const hosts = open.page.getByRole('tab', { name: /Other/ }).getByRole('button', { name: 'Close' })
      await (stock ? ours : hosts).first().click()
      await overlay(open.page).waitFor({ state: 'detached' })
      await side(open.page).waitFor({ state: 'detached' })
      if (at % 50 === 0) rig.model.clear()
    }
  }

  async function doNothing(commands: number): Promise<void> {
    for (let at = 0; at < TYPED; at += 1) await enter('/probe-nothing now')
    for (let at = TYPED; at < commands; at += 1) await rig.command(main, '/probe-nothing now')
  }

  /** Until nothing can be undone any more, and every command has its answer. */
  async function settled(): Promise<void> {
    await expect.poll(() => open.page.getByRole('button', { name: 'Undo' }).count(), { timeout: 30_000 }).toBe(0)
    await open.page.waitForTimeout(1_000)
  }

  /** How many commands ran in main, and the sides that they opened. */
  async function said(): Promise<{ commands: number; sides: string[] }> {
    const history = await rig.history(main)
    const tokens = [...JSON.stringify(history).matchAll(/sidemind:(?:btw|side):([\w-]+)/g)]
    const commands = history.filter(({ type }) => type.startsWith('command/')).length / 2
    return { commands, sides: [...new Set(tokens.map(([, id]) => id ?? ''))] }
  }

  it(`is after ${count} /btw and ${count} /side what it was before`, async () => {
    await cycles(WARM_UP)
    await settled()
    const before = await look([])
    const first = await said()

    await cycles(count)
    await settled()
    const { commands, sides } = await said()
    const after = await look(sides)
    await doNothing(commands - first.commands)
    const idle = await look(sides)
    const looks = { before: before.heapUsed, after: after.heapUsed, afterNothing: idle.heapUsed }
    const { ours, theirs } = heapGrowth(looks)
    figures.push(
      {
        what: `the heap of a page ${where} after ${count} /btw and ${count} /side`,
        measured: megabytes(ours),
        beside: `${commands - first.commands} commands that do nothing: ${megabytes(theirs)}`,
      },
      {
        what: '  detached nodes, listeners, open streams, held commands',
        measured: counted(after),
        beside: `before: ${counted(before)}`,
      },
    )
    recordFigures('leaks-page', figures)
    console.log(`${drawn(figures)}\n${JSON.stringify({ before, after, idle })}`)

    expect(sides).toHaveLength(2 * (count + WARM_UP))
    expectNoHeapGrowth(looks)
    expect(sum(after.detached)).toBeLessThanOrEqual(sum(before.detached) + SLACK)
    const perTypedLine = Math.max(idle.offPage - after.offPage, 0) / TYPED
    expect(after.offPage - before.offPage).toBeLessThanOrEqual(2 * count * perTypedLine + SLACK)
    expect(after.listeners).toBeLessThanOrEqual(before.listeners + SLACK)
    expect(after.aborts).toBeLessThanOrEqual(before.aborts + SLACK)
    expect(after).toMatchObject({ streams: before.streams, observers: before.observers, commands: before.commands })
    // Nothing of ours is filed under a side that is gone: each of these is once there for every session that the host hears of.
    expect(after.filed).toEqual(Object.fromEntries(HOST_FILES.map((kind) => [kind, sides.length])))
  }, 900_000)
})

/** Runs in the page: until a field has been emptied. */
function emptied(field: SVGElement | HTMLElement): Promise<void> {
  return new Promise((resolve) => {
    const look = (): unknown => ((field as HTMLTextAreaElement).value === '' ? resolve() : requestAnimationFrame(look))
    look()
  })
}

function sum(counts: Record<string, number>): number {
  return Object.values(counts).reduce((total, count) => total + count, 0)
}

function counted({ detached, listeners, streams, commands }: PageState): string {
  return [sum(detached), listeners, streams, commands].join(', ')
}
