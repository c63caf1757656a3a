/** Both surfaces with the system's own few colours: edges, focus and states stay to be seen. */
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { button, overlay, paste, side } from '../kit/surface.ts'

let rig: Rig

beforeAll(async () => {
  rig = await startRig({ stock: true })
})
afterAll(() => rig?.stop())

it('keeps edges, focus and states visible in forced colours', async () => {
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  const { page, errors, close } = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  await page.emulateMedia({ forcedColors: 'active', colorScheme: 'dark' })
  rig.model.script({ match: 'FORCED', behaviour: { kind: 'gate', name: 'forced', before: 'It be', after: 'gins.' } })
  await paste(page, '/side FORCED?')
  const panel = side(page, 'FORCED?')
  await panel.getByText('It be').waitFor()
  await paste(page, '/btw FORCED too?')
  const card = overlay(page, 'FORCED too?')
  await card.getByText('It be').waitFor()
  await page.screenshot({ path: process.env['SIDEMIND_SHOT'] ?? '/dev/null', type: 'png' })
  const edges = await page.evaluate(() =>
    [
      ...document.querySelectorAll(
        '[data-sidemind] [role="region"][tabindex="-1"], [data-sidemind] [role="complementary"]',
      ),
    ]
      .filter((one) => one.checkVisibility())
      .map((one) => getComputedStyle(one))
      .map(
        ({ borderTopWidth, borderLeftWidth }) => Number.parseFloat(borderTopWidth) + Number.parseFloat(borderLeftWidth),
      ),
  )
  expect(edges).toHaveLength(2)
  for (const width of edges) expect(width).toBeGreaterThan(0)
  // What says by a colour alone that something is on its way must have one that is left.
  const dots = await page.evaluate(() => {
    const probe = document.body.appendChild(document.createElement('div'))
    probe.style.backgroundColor = 'Canvas'
    const nothing = [getComputedStyle(probe).backgroundColor, 'rgba(0, 0, 0, 0)']
    probe.remove()
    return [...document.querySelectorAll<HTMLElement>('[data-sidemind] *')]
      .filter((one) => one.childElementCount === 0 && one.textContent === '' && one.checkVisibility())
      .filter((one) => one.offsetWidth > 0 && one.offsetWidth <= 12 && one.offsetHeight <= 12 && one.tagName === 'SPAN')
      .map((one) => {
        const { backgroundColor, borderTopWidth } = getComputedStyle(one)
        return { shown: borderTopWidth !== '0px' || !nothing.includes(backgroundColor), name: one.className }
      })
      .filter(({ shown, name }) => !shown && name !== '')
  })
  expect(dots).toEqual([])
  rig.model.release('forced')
  await button(card, 'Retry').waitFor()
  await button(card, 'Close').focus()
  await page.keyboard.press('Shift+Tab')
  const outline = await page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)
  expect(outline).toBe('solid')
  expect(errors).toEqual([])
  await close()
})
