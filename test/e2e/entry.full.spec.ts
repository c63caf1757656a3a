/** The ways to a side without typing a command, and what else may share the page with it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openBrowser, openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, composer, paste, side } from '../kit/surface.ts'

describe.each([
  ['the native right sidebar', false],
  ['our drawer on a stock host', true],
] as const)('with %s', (_where, stock) => {
  let rig: Rig
  let open: OpenPage
  let main: string

  beforeAll(async () => {
    rig = await startRig({ stock })
  })
  afterAll(() => rig?.stop())
  beforeEach(async () => {
    rig.model.clear()
    main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi there.]]')
    open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  })
  afterEach(async () => {
    await open.close()
    expect(open.errors).toEqual([])
  })

  const header = (name: string) => button(open.page.locator('[data-sidemind]'), name)
  const focusedIn = (): Promise<string | null> =>
    open.page.evaluate(
      () => document.activeElement?.closest('[data-sidemind-side]')?.getAttribute('aria-label') ?? null,
    )

  it('[K22] [K49] opens a side from the header with the keyboard in it, and the same one again however it was hidden', async () => {
    await header('New side').first().click()
    await expect.poll(focusedIn).toBe('Side: New side')
    await askIn(side(open.page), 'FROM-BUTTON? [[plain Found it.]]')
    const panel = side(open.page, 'FROM-BUTTON? [[plain Found it.]]')
    await panel.getByText('Found it.', { exact: true }).waitFor()
    await composer(open.page).click()
    await header('Show side').click()
    await expect.poll(focusedIn).toContain('FROM-BUTTON?')
    const hide = stock ? header('Hide') : open.page.getByRole('button', { name: /sidebar/i }).last()
    await hide.click()
    await panel.waitFor({ state: 'hidden' })
    await header('Show side').click()
    await panel.waitFor()
    await expect.poll(focusedIn).toContain('FROM-BUTTON?')
    await hide.click()
    await panel.waitFor({ state: 'hidden' })
    await paste(open.page, '/side SECOND? [[plain Shown.]]')
    await side(open.page, 'SECOND? [[plain Shown.]]').getByText('Shown.', { exact: true }).waitFor()
  })

  it('marks the header’s button while an answer waits unseen', async () => {
    rig.model.script({ match: 'LATER', behaviour: { kind: 'gate', name: 'later', before: 'It be', after: 'gins.' } })
    await paste(open.page, '/side LATER?')
    await side(open.page, 'LATER?').getByText('It be').waitFor()
    const hide = stock ? header('Hide') : open.page.getByRole('button', { name: /sidebar/i }).last()
    await hide.click()
    await header('Show side').waitFor()
    // A surface that goes may be one that comes back at once.
    await open.page.waitForTimeout(1_500)
    rig.model.release('later')
    await header('Show side, new answer').click()
    await side(open.page, 'LATER?').getByText('It begins.').waitFor()
    await header('Show side').waitFor()
  })

  it('starts a duplicated browser tab without the sides of its original (D7)', async () => {
    await paste(open.page, '/side ORIGINAL? [[plain Mine.]]')
    await side(open.page, 'ORIGINAL? [[plain Mine.]]').getByText('Mine.', { exact: true }).waitFor()
    const copied = await open.page.evaluate(() => Object.entries(sessionStorage))
    const copy = await (
      await openBrowser()
    )
      .contexts()
      .find((one) => one.pages().includes(open.page))!
      .newPage()
    await copy.addInitScript((entries) => {
      if (sessionStorage.getItem('sidemind-test-copied') !== null) return
      sessionStorage.setItem('sidemind-test-copied', '1')
      for (const [key, value] of entries) sessionStorage.setItem(key, value)
    }, copied)
    await copy.goto(rig.url)
    await copy.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
    await expect
      .poll(() => copy.evaluate(() => sessionStorage.getItem('sidemind-sides')), { timeout: 10_000 })
      .toBeNull()
    expect(await copy.locator('[data-sidemind-side]').count()).toBe(0)
    await askIn(side(open.page), 'STILL-MINE? [[plain Yes.]]')
    await side(open.page).getByText('Yes.', { exact: true }).waitFor()
    await open.page.reload()
    await side(open.page, 'ORIGINAL? [[plain Mine.]]').getByText('Yes.', { exact: true }).waitFor()
    await copy.close()
  })

  it.skipIf(stock)('gives each tab opened from the sidebar’s guide a side of its own', async () => {
    await header('New side').first().click()
    const first = side(open.page)
    await first.getByRole('textbox').fill('typed in the first')
    await open.page.getByRole('tab', { name: 'Start' }).click()
    await open.page.getByText('Ask beside main without stopping it').click()
    const field = open.page.locator('[data-sidemind-side] textarea:visible')
    await expect.poll(() => field.inputValue()).toBe('')
    await field.fill('typed in the second')
    await open.page.getByRole('tab', { name: 'Side', selected: false }).click()
    await expect.poll(() => field.inputValue()).toBe('typed in the first')
    await askIn(side(open.page), 'GUIDED? [[plain Named after it.]]')
    await open.page.getByRole('tab', { name: 'GUIDED?' }).waitFor()
  })

  it.skipIf(stock)('goes on in our drawer when the right sidebar is unloaded', async () => {
    rig.model.script({ match: 'MOVES', behaviour: { kind: 'gate', name: 'moves', before: 'It be', after: 'gins.' } })
    await paste(open.page, '/side MOVES?')
    await side(open.page, 'MOVES?').getByText('It be').waitFor()
    await open.page.evaluate(() => window.dispatchEvent(new Event('sidemind-dev-unload-sidebar')))
    await open.page.getByRole('complementary', { name: 'Sides' }).waitFor()
    rig.model.release('moves')
    await side(open.page, 'MOVES?').getByText('It begins.').waitFor()
  })
})
