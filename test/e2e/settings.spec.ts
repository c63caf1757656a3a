/** The configuration in the host's own settings, and what follows it at once. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { button, composer, overlay, paste, side } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

async function openCard() {
  await open.page.getByRole('button', { name: 'Settings' }).click()
  await open.page.getByText('Plugins', { exact: true }).first().click()
  const card = open.page.locator('li[data-sidemind]')
  await card.getByRole('button', { name: /^Sides/ }).click()
  return card
}

describe('the settings card', () => {
  it('stores what is saved and applies it at once, on both sides of the wire', async () => {
    const card = await openCard()
    await card.getByLabel('Undo after closing (seconds)').fill('0')
    await card.getByLabel('Key that copies an answer').fill('y')
    await card.getByLabel('Most sides in all').fill('0')
    await card.getByText('Give a whole number from 1 to 64.').waitFor()
    expect(await button(card, /^Save$/).isEnabled()).toBe(false)
    await card.getByLabel('Most sides in all').fill('16')
    await button(card, /^Save$/).click()
    await expect.poll(() => card.getByText('changed', { exact: true }).count()).toBe(2)
    await open.page.screenshot({ path: process.env['SIDEMIND_SHOT'] ?? '/dev/null', type: 'png' })
    await open.page.reload()
    await composer(open.page).waitFor()
    await open.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await paste(open.page, '/btw KEYED? [[plain **bold**]]')
    await button(overlay(open.page), 'Retry').waitFor()
    await overlay(open.page).focus()
    await open.page.keyboard.press('y')
    await expect.poll(() => open.page.evaluate(() => navigator.clipboard.readText())).toBe('**bold**')
    await button(overlay(open.page), 'Close').click()
    await overlay(open.page).waitFor({ state: 'detached' })
    expect(await button(open.page.locator('[data-sidemind]'), 'Undo').count()).toBe(0)
    const again = await openCard()
    for (let left = 2; left > 0; left -= 1) await button(again, 'Reset').first().click()
    await button(again, /^Save$/).click()
    // A field that goes back to its default loses its mark at once; stored it is when nothing is left to save.
    await again.getByText('unsaved', { exact: true }).waitFor({ state: 'detached' })
    expect(await again.getByText('changed', { exact: true }).count()).toBe(0)
  })

  it('[K21] [K22] has the shortcut that shows a side, by the place of its keys, and can turn it off', async () => {
    await composer(open.page).click()
    // A Russian layout writes another letter there.
    await open.page.evaluate(() => {
      const init = { code: 'Comma', key: 'Б', ctrlKey: true, shiftKey: true, bubbles: true, cancelable: true }
      document.activeElement?.dispatchEvent(new KeyboardEvent('keydown', init))
    })
    await side(open.page, 'New side').waitFor()
    await expect
      .poll(() => open.page.evaluate(() => document.activeElement?.closest('[data-sidemind-side]') !== null))
      .toBe(true)
    const card = await openCard()
    // What a browser does with its own keys stays its own.
    for (const taken of ['Ctrl+Equal', 'Ctrl+Digit0', 'Ctrl+KeyT', 'Alt+ArrowLeft']) {
      await card.getByLabel('Shortcut that shows a side').fill(taken)
      await expect.poll(() => button(card, /^Save$/).isEnabled()).toBe(false)
    }
    await card.getByLabel('Shortcut that shows a side').fill('')
    await button(card, /^Save$/).click()
    await card.getByText('changed', { exact: true }).waitFor()
    await open.page.reload()
    await composer(open.page).click()
    await open.page.keyboard.press('Control+Shift+Comma')
    await open.page.waitForTimeout(500)
    expect(await open.page.locator('[data-sidemind-side]').count()).toBe(0)
  })
})
