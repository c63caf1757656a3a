/** What Esc says it does, and a long answer that stays where its reader is. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { button, composer, overlay, paste, side, type } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  rig.model.clear()
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 700 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

/** What the page says about Esc now. */
const hints = (page: Page): Promise<string[]> =>
  page.evaluate(() => (document.body.innerText.match(/\besc\b[^\n]*/gi) ?? []).map((hint) => hint.trim()))

it('[K17] says once what Esc does now, and only while it is the card’s', async () => {
  const { page } = open
  rig.model.script({ match: 'HINT', behaviour: { kind: 'gate', name: 'hint', before: 'It be', after: 'gins.' } })
  await type(page, '/btw HINT?')
  await overlay(page).getByText('It be').waitFor()
  await expect.poll(() => hints(page)).toEqual(['Esc stop'])
  await composer(page).click()
  await expect.poll(() => hints(page)).toEqual([])
  await overlay(page).focus()
  rig.model.release('hint')
  await expect.poll(() => hints(page)).toEqual(['Esc close'])
  await page.keyboard.press('Escape')
  await overlay(page).waitFor({ state: 'detached' })
})

it('[K24] keeps a reader who scrolled up where they are, takes one at the end along, and opens the card at its top', async () => {
  const { page } = open
  const lines = (from: number): string => Array.from({ length: 40 }, (_, at) => `Line ${from + at}.`).join('\n\n')
  rig.model.script({
    match: 'LONG',
    behaviour: {
      kind: 'gate',
      name: 'long',
      before: lines(1),
      after: { kind: 'gate', name: 'more', before: lines(41), after: '\n\nEnd.' },
    },
  })
  await paste(page, '/side LONG?')
  const panel = side(page, 'LONG?')
  const shown = (text: string): Promise<boolean> =>
    panel.getByText(text, { exact: true }).evaluate((element) => {
      const box = element.getBoundingClientRect()
      const hit = document.elementFromPoint(box.left + 5, box.top + box.height / 2)
      return hit !== null && (hit === element || element.contains(hit) || hit.contains(element)) && box.top > 0
    })
  await panel.getByText('Line 40.', { exact: true }).waitFor()
  await expect.poll(() => shown('Line 40.')).toBe(true)
  await panel.getByText('Line 20.', { exact: true }).hover()
  await page.mouse.wheel(0, -2_000)
  await expect.poll(() => shown('Line 3.')).toBe(true)
  rig.model.release('long')
  await panel.getByText('Line 80.', { exact: true }).waitFor()
  expect(await shown('Line 3.')).toBe(true)
  await button(panel, 'Jump to latest').click()
  await expect.poll(() => shown('Line 80.')).toBe(true)
  rig.model.release('more')

  await paste(page, '/btw LONG again?')
  const card = overlay(page, 'LONG again?')
  await card.getByText('Line 80.', { exact: true }).waitFor()
  const top = await card.getByText('Line 1.', { exact: true }).boundingBox()
  const box = await card.boundingBox()
  expect((top?.y ?? 0) > (box?.y ?? 0) && (top?.y ?? 0) < (box?.y ?? 0) + (box?.height ?? 0)).toBe(true)
})
