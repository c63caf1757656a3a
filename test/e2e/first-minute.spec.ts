/** The first minute of the README, word by word: what it says to type is read from it, and works. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, composer, overlay, side, type } from '../kit/surface.ts'

let rig: Rig

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())

it('goes as the README says', async () => {
  const readme = await readFile(join(import.meta.dirname, '../../README.md'), 'utf8')
  const minute = /Your first minute: ([^]*?)\n\n/.exec(readme)?.[1]?.replaceAll('\n', ' ') ?? ''
  const [task = '', btw = '', about = '', sideLine = ''] = [...minute.matchAll(/`([^`]+)`/g)].map((hit) => hit[1] ?? '')
  const [ask = '', bring = ''] = [...minute.matchAll(/\*\*([^*]+)\*\*/g)].map((hit) => hit[1] ?? '')
  expect(minute).toMatch(
    /^ask main for .* While it writes, type .* and press Enter\. Press Esc to close the card\. Select/,
  )

  const sessionId = await rig.newSession()
  const { page, errors, close } = await openPage(rig.url, { sessionId, viewport: { width: 1440, height: 900 } })
  await type(page, task)
  const written = page.locator('[data-chat-flow] p').last()
  await written.waitFor()
  const messages = async (): Promise<number> =>
    (await rig.history(sessionId)).filter(({ type: kind }) => kind === 'user/message').length
  const before = await messages()
  // While it writes.
  await type(page, btw)
  const card = overlay(page, btw.replace('/btw ', ''))
  await card.getByText(/\b4\b/).first().waitFor()
  await button(card, 'Retry').waitFor()
  await expect.poll(() => card.evaluate((element) => element.contains(document.activeElement))).toBe(true)
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'detached' })

  await written.click({ clickCount: 3 })
  await button(page.locator('[data-sidemind]').getByRole('toolbar'), ask).click()
  const box = page.locator('[data-sidemind]').getByRole('region', { name: 'Ask by the way' })
  await askIn(box, about)
  const answered = page.locator('[data-sidemind]').getByRole('region', { name: /^btw: / })
  await button(answered, bring).click()
  await expect.poll(() => composer(page).inputValue()).not.toBe('')
  await expect.poll(() => composer(page).evaluate((field) => field === document.activeElement)).toBe(true)
  const sent = rig.model.requests().filter(({ kind, sessionId: id }) => kind === 'chat' && id === sessionId).length
  await composer(page).fill('')
  await button(answered, 'Close').click()

  await type(page, sideLine)
  const panel = side(page, sideLine.replace('/side ', ''))
  await button(panel, 'Retry').last().waitFor({ timeout: 30_000 })
  await askIn(panel, 'And which one is older?')
  await expect.poll(() => button(panel, 'Retry').count(), { timeout: 30_000 }).toBe(2)
  await page
    .getByRole('tab', { name: /two lock files/ })
    .getByRole('button', { name: 'Close' })
    .click()
  await panel.waitFor({ state: 'detached' })

  // Main has noticed nothing: nothing was said to it, and it made no more requests than before.
  expect(await messages()).toBe(before)
  expect(rig.model.requests().filter(({ kind, sessionId: id }) => kind === 'chat' && id === sessionId)).toHaveLength(
    sent,
  )
  expect(errors).toEqual([])
  await close()
}, 90_000)
