/** Another plugin holds the names of ours: both go on, ours under another name that the menu explains. */
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'

import { packPlugin } from '../../dev/pack.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { packFolder } from '../kit/pack-folder.ts'
import { button, composer, overlay, paste, side, type } from '../kit/surface.ts'

let rig: Rig | undefined
let open: OpenPage | undefined

afterEach(async () => {
  await open?.close()
  await rig?.stop()
  open = rig = undefined
})

it('goes by another name where the rival came first, keeps its own where it came second, and leaves the rival’s rows alone', async () => {
  const ours = await packPlugin(() => undefined)
  const rival = await packFolder(join(import.meta.dirname, '../kit/rival'))
  const running = (rig = await startRig({ plugins: [rival, ours] }))
  const main = await running.newSession()
  await running.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(running.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  const { page } = open
  await page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  await composer(page).click()
  await composer(page).pressSequentially('/sideb')
  await page.getByText('/btw belongs to another plugin').first().waitFor()
  await composer(page).fill('')
  await type(page, '/sidebtw ALIASED? [[plain By another name.]]')
  await overlay(page).getByText('By another name.', { exact: true }).waitFor()
  await button(overlay(page), 'Close').click()
  await type(page, '/side OURS? [[plain In a side.]]')
  const panel = side(page, 'OURS? [[plain In a side.]]')
  await panel.getByText('In a side.', { exact: true }).waitFor()
  // The kind of our tabs has an owner too.
  await page.getByRole('tab', { name: /OURS\?/ }).waitFor()
  await paste(page, '/btw hello there')
  await page.locator('[data-chat-flow]').getByText('The rival heard hello there').waitFor()
  expect(running.model.requests().some(({ lastUser }) => lastUser?.includes('hello there'))).toBe(false)
  await page.reload()
  await panel.getByText('In a side.', { exact: true }).waitFor()
  await page.locator('[data-chat-flow]').getByText('The rival heard hello there').waitFor()
  expect(await page.locator('[data-chat-flow]').innerText()).not.toMatch(/sidemind:|[0-9a-f]{8}-[0-9a-f]{4}/)
  expect(open.errors).toEqual([])
})
