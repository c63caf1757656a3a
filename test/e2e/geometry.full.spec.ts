/** Every state at three widths, light and dark, in both languages: no word in the other one, nothing cut off, nothing over main's composer or its transcript's
 *  end, no buttons on each other, and no jump when an answer starts or ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { foreignWords } from '../kit/foreign-words.ts'
import {
  clippedTexts,
  coveredComposer,
  coveredTranscript,
  crowdedButtons,
  fixedPoints,
  offScreen,
} from '../kit/geometry.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { openPage } from '../kit/browser.ts'
import { prepare, ready, region, settled } from '../kit/states.ts'
import { paste } from '../kit/surface.ts'
import { createTranslate } from '../../ui/locales.ts'
import { seeWalk, WALKS, walksOn } from '../kit/views.ts'

const TARGET = 32

it('leaves the end of main above the card for whoever follows it, and gives the room back when the card is closed', async () => {
  const rig = await startRig()
  try {
    const { sessionId, say, word } = await prepare(rig, 'en')
    const { page, close } = await openPage(rig.url, { sessionId, viewport: { width: 1000, height: 700 } })
    await ready(page, say)
    const end = page.locator('[data-chat-flow] > *').filter({ visible: true }).last()
    const bottom = async (): Promise<number> => {
      const box = await end.boundingBox()
      return Math.round((box?.y ?? 0) + (box?.height ?? 0))
    }
    await page.locator('[data-conversation-scroll]').evaluate((one) => one.scrollTo(0, one.scrollHeight))
    await paste(page, `/btw ${say.next}`)
    const card = region({ page }, word('btw.label', { title: say.next }))
    await settled(card, word)
    // The line that the question left in main is its last one then.
    await page.locator('[data-chat-flow]').getByText(say.next).waitFor()
    const top = async (): Promise<number> => Math.round((await card.boundingBox())?.y ?? 0)
    await expect.poll(async () => (await top()) - (await bottom())).toBeGreaterThanOrEqual(0)
    const height = (): Promise<number> =>
      page.locator('[data-conversation-scroll]').evaluate(({ scrollHeight }) => scrollHeight)
    const tall = await height()
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    await expect.poll(height).toBeLessThan(tall - 100)
    await close()
  } finally {
    await rig.stop()
  }
}, 60_000)

describe.each([
  ['the native right sidebar', false],
  ['our drawer', true],
] as const)('with %s', (_where, stock) => {
  let rig: Rig

  beforeAll(async () => {
    rig = await startRig({ stock })
  })
  afterAll(() => rig?.stop())

  it.each(walksOn(stock).flatMap((name) => [[name, 'en'] as const, [name, 'zh'] as const]))(
    'the walk “%s” in %s fits at every width and does not jump',
    async (name, language) => {
      const floating = [createTranslate(language)('action.latest')]
      const found: string[] = []
      const points = new Map<string, Record<string, number>>()
      let views = 0
      await seeWalk(rig, language, WALKS[name], async ({ page, state, width, scheme }) => {
        views += 1
        const look = async (): Promise<string[]> => [
          ...(await clippedTexts(page)),
          ...(await offScreen(page)),
          ...(await coveredComposer(page)),
          ...(await crowdedButtons(page, TARGET, floating)),
          ...(await coveredTranscript(page)),
        ]
        let lines = await look()
        // What slides or is measured anew comes to rest.
        for (let again = 0; again < 10 && lines.length > 0; again += 1) {
          await page.waitForTimeout(150)
          lines = await look()
        }
        found.push(...lines.map((line) => `${state} at ${width}, ${scheme}: ${line}`))
        if (language === 'zh' && scheme === 'light' && width === 1440)
          found.push(...(await foreignWords(page)).foreign.map((text) => `${state}: not Chinese: ${text}`))
        points.set(`${state} ${width} ${scheme}`, await fixedPoints(page))
      })
      expect([...new Set(found)]).toEqual([])
      expect(views).toBeGreaterThan(0)
      if (name !== 'side' && name !== 'card') return
      for (const width of [320, 768, 1440])
        for (const scheme of ['light', 'dark']) {
          const phases = ['opening', 'thinking', 'answering', 'answered'].map((phase) =>
            points.get(`${name}-${phase} ${width} ${scheme}`),
          )
          expect(phases[0]).toBeDefined()
          // Before it begins an answer has no place.
          for (const phase of phases) expect({ width, ...phases[2], ...phase }).toEqual({ width, ...phases[2] })
        }
    },
    300_000,
  )
})
