/** A page of a real host with sides in it whose answers come as the bench says: so much at once, then delta by delta. */
import type { Page } from 'playwright-core'

import type { Step } from '../dev/model/behaviours.ts'
import { openPage, type OpenPage } from '../test/kit/browser.ts'
import type { Rig } from '../test/kit/host.ts'
import { meterPage, type PageMeter, type Spent } from './page-meter.ts'

/** Deltas a second, as a fast model sends them. */
export const PER_SECOND = 500

/** One answer: what is there before, at once, and what then comes as deltas. */
export interface Script {
  before: string
  deltas: string
  /** Characters of one delta. */
  size: number
  /** Deltas a second; left out, as a fast model sends them. */
  perSecond?: number
}

export interface SidePage {
  page: Page
  meter: PageMeter
  open: OpenPage
  main: string
}

/** A new conversation with one turn in it, in a page of its own. */
export async function openSidePage(rig: Rig): Promise<SidePage> {
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  const open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  return { page: open.page, meter: await meterPage(open.page), open, main }
}

/** The steps of one answer. It stands at gate `<name>-go` before its deltas, and at `<name>-end` behind them. */
export function answerSteps(name: string, { before, deltas, size, perSecond = PER_SECOND }: Script): Step[] {
  return [
    ...(before === '' ? [] : [{ do: 'say', text: before, chunkMs: 2, chunkChars: 4_000 } as const]),
    { do: 'gate', name: `${name}-go` },
    { do: 'say', text: deltas, chunkMs: 1_000 / perSecond, chunkChars: size },
    { do: 'say', text: `\n\nEnd of ${name}.`, chunkChars: 1_000 },
    { do: 'gate', name: `${name}-end` },
  ]
}

/** Waits until an answer stands at a gate. */
export async function standing(rig: Rig, gate: string): Promise<void> {
  const deadline = Date.now() + 300_000
  while (!rig.model.requests().some((one) => one.gate === gate)) {
    if (Date.now() > deadline) throw new Error(`no answer came to ${gate}`)
    await pause(20)
  }
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

/** What the page spends on `work` until it is at rest again, with `text` on it. */
export async function spentUntil({ page, meter }: SidePage, text: string, work: () => unknown): Promise<Spent> {
  await atRest(meter)
  const from = await meter.since()
  // Looking for it meanwhile would be work of the page too.
  await work()
  await atRest(meter)
  const spent = await meter.since(from)
  if ((await page.getByText(text, { exact: true }).count()) === 0) throw new Error(`the page does not show ${text}`)
  return spent
}

/** Waits until the main thread does next to nothing. */
async function atRest(meter: PageMeter): Promise<void> {
  for (let tries = 0; tries < 40; tries += 1) {
    const before = await meter.since()
    await pause(250)
    if ((await meter.since(before)).tasks < 25) return
  }
}
