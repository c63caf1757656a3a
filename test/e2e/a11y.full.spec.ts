/** What opens beside the two surfaces, looked at by axe on the real host, contrast included, in light and dark: the bar at selected
 *  words, the ask box, menus, sentences, search, a side's question, and the card in the host's settings. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

import { axeProblems } from '../kit/axe.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { walkMain, walkQuotes, walkSettings } from '../kit/more-states.ts'
import { prepare, ready } from '../kit/states.ts'

let rig: Rig
let open: OpenPage | undefined

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())
afterEach(() => open?.close())

it.each([
  ['in main’s words, the ask box and what the card opens', walkQuotes, 7],
  ['in a side beside a main that works and asks', walkMain, 6],
  ['in the settings card', walkSettings, 2],
] as const)(
  'axe finds nothing %s',
  async (_where, walk, least) => {
    const { sessionId, ...words } = await prepare(rig, 'en')
    open = await openPage(rig.url, { sessionId, viewport: { width: 1440, height: 900 } })
    const { page } = open
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await ready(page, words.say)
    const found: string[] = []
    let states = 0
    await walk({ rig, page, sessionId, ...words }, async (state) => {
      states += 1
      found.push(...(await axeProblems(page)).map((line) => `${state}: ${line}`))
    })
    expect(found).toEqual([])
    expect(states).toBeGreaterThanOrEqual(least)
  },
  120_000,
)
