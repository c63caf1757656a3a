/** What becomes of sides whose page is gone, in real time (D7, I6): they end by themselves, and only then. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openPage } from '../kit/browser.ts'
import type { Rig } from '../kit/host.ts'
import { askProbe, startProbedRig } from '../kit/probe.ts'
import { overlay, type } from '../kit/surface.ts'

let rig: Rig

beforeAll(async () => {
  rig = await startProbedRig({ stock: true })
})
afterAll(() => rig?.stop())

describe('a side whose page is gone', () => {
  it('ends after a minute; one that is looked at does not, however long nothing is said', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi.]]')
    const live = async (): Promise<number> =>
      (await askProbe(rig, main)).agents.filter((id) => !id.startsWith('session-')).length
    const stays = await openPage(rig.url, { sessionId: main })
    await type(stays.page, '/btw STAYS? [[plain Staying.]]')
    await overlay(stays.page).getByText('Staying.', { exact: true }).waitFor()
    const goes = await openPage(rig.url, { sessionId: main })
    await type(goes.page, '/btw GOES? [[plain Going.]]')
    await overlay(goes.page).getByText('Going.', { exact: true }).waitFor()
    expect(await live()).toBe(2)
    await goes.close()
    await new Promise((resolve) => setTimeout(resolve, 40_000))
    expect(await live()).toBe(2)
    await expect.poll(live, { timeout: 40_000, interval: 1_000 }).toBe(1)
    await new Promise((resolve) => setTimeout(resolve, 20_000))
    expect(await live()).toBe(1)
    expect(await overlay(stays.page).textContent()).toContain('Staying.')
    await stays.close()
  }, 200_000)
})
