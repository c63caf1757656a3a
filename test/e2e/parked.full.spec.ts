/** What becomes of a side that is hidden, in real time and with the shortest time that can be configured: it ends with
 *  words, its text stays, and one that is looked at stays. */
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

import { packWithConfig } from '../kit/broken-plugin.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { packFolder } from '../kit/pack-folder.ts'
import { askProbe } from '../kit/probe.ts'
import { askIn, button, overlay, paste, side } from '../kit/surface.ts'

/** A page tells its host that a side is hidden after a minute, and the host then waits for `parkedMinutes`. */
const ENDS_WITHIN = 150_000

let rig: Rig | undefined
let open: OpenPage | undefined
afterAll(async () => {
  await open?.close()
  await rig?.stop()
})

it('[K33] a hidden side ends after its minutes and is read on with words and a way to start again; a card that is seen all the while does not', async () => {
  const plugins = [
    await packWithConfig({ parkedMinutes: 1 }),
    await packFolder(join(import.meta.dirname, '../kit/probe')),
  ]
  const running = (rig = await startRig({ plugins }))
  const main = await running.newSession()
  await running.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(running.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  const { page } = open
  const flow = page.locator('[data-chat-flow]')
  await flow.getByText('Hi there.', { exact: true }).waitFor()
  const live = async (): Promise<number> =>
    (await askProbe(running, main)).agents.filter((id) => !id.startsWith('session-')).length

  await paste(page, '/side PARKED? [[plain Read it later.]]')
  await side(page).getByText('Read it later.', { exact: true }).waitFor()
  await paste(page, '/btw SEEN? [[plain Still here.]]')
  await overlay(page).getByText('Still here.', { exact: true }).waitFor()
  await page
    .getByRole('button', { name: /collapse|hide|close.*sidebar/i })
    .last()
    .click()
  await flow.getByText('ends in 1 min').waitFor()
  expect(await live()).toBe(2)

  const row = flow.getByText('side conversation')
  await expect.poll(() => row.locator('..').innerText(), { timeout: ENDS_WITHIN, interval: 1_000 }).toContain('ended')
  expect(await live()).toBe(1)
  await row.click()
  const panel = side(page)
  await panel.getByText('was hidden').first().waitFor()
  expect(await panel.innerText()).toContain('Read it later.')
  // Words, not names of ours.
  expect(await panel.innerText()).not.toMatch(/[0-9a-f]{8}-[0-9a-f]{4}/)
  await overlay(page).getByText('Still here.', { exact: true }).waitFor()
  expect(await overlay(page).innerText()).not.toContain('ended')
  await button(panel, 'Start again').click()
  await askIn(side(page), 'AGAIN? [[plain Here again.]]')
  await side(page).getByText('Here again.', { exact: true }).waitFor()
  expect(await live()).toBe(2)
  expect(open.errors).toEqual([])
}, 300_000)
