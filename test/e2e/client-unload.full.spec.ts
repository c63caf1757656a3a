/** The plugin's client half is taken out of a page with a card and a side open, and put back (I6). */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { loadClientHalf, reloadSwitchable, unloadClientHalf } from '../kit/client-half.ts'
import type { Rig } from '../kit/host.ts'
import { askProbe, startProbedRig } from '../kit/probe.ts'
import { button, overlay, paste, side } from '../kit/surface.ts'

describe.each([
  ['with the native right sidebar', false],
  ['on a stock host', true],
])('a page %s that loses the plugin’s client half', (_where, stock) => {
  let rig: Rig
  let open: OpenPage
  let main: string

  beforeAll(async () => {
    rig = await startProbedRig({ stock })
  })
  afterAll(() => rig?.stop())
  beforeEach(async () => {
    main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi there.]]')
    open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
    await reloadSwitchable(open.page)
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  })
  afterEach(async () => {
    await open.close()
    expect(open.errors).toEqual([])
  })

  const children = async (): Promise<string[]> =>
    (await askProbe(rig, main)).agents.filter((id) => !id.startsWith('session-'))

  /** Whatever in the document is ours: elements, styles, attributes of the page's root. */
  const left = (): Promise<string[]> =>
    open.page.evaluate(() =>
      [
        ...[...document.querySelectorAll('[data-sidemind], [class*=sidemind], style[data-sidemind]')].map((found) =>
          found.outerHTML.slice(0, 200),
        ),
        ...[...document.documentElement.attributes].map(({ name, value }) => `${name}=${value}`),
      ].filter((line) => line.startsWith('<') || /sidemind|--sm-/.test(line)),
    )

  it('goes on without it, with no trace of a card and a side; with it again, a new one works', async () => {
    const { page } = open
    const flow = page.locator('[data-chat-flow]')
    await paste(page, '/side UNLOADED SIDE? [[plain Read before.]]')
    await side(page).getByText('Read before.', { exact: true }).waitFor()
    await paste(page, '/btw UNLOADED CARD? [[slow 60]]')
    await button(overlay(page), 'Stop').or(overlay(page).getByText('thinking')).first().waitFor()
    expect(await children()).toHaveLength(2)

    await unloadClientHalf(page)
    await expect.poll(left).toEqual([])
    await expect.poll(children, { timeout: 20_000 }).toEqual([])
    await paste(page, 'Main, without it? [[plain Main is fine.]]')
    await flow.getByText('Main is fine.', { exact: true }).waitFor()
    expect(await left()).toEqual([])

    await loadClientHalf(page)
    await paste(page, '/side LOADED AGAIN? [[plain Here again.]]')
    await side(page).getByText('Here again.', { exact: true }).waitFor()
    expect(await children()).toHaveLength(1)
  })
})
