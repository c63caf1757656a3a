/** Every state at three widths in both languages: nothing cut off, nothing over main's composer, no buttons on each other, and no
 *  jump when an answer starts or ends. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { clippedTexts, coveredComposer, crowdedButtons } from '../kit/geometry.ts'
import { startRig, type Rig } from '../kit/host.ts'
import {
  ours,
  prepare,
  ready,
  walkCard,
  walkSide,
  WIDTHS,
  type Language,
  type Scene,
  type Visit,
} from '../kit/states.ts'

const TARGET = 32

describe.each([
  ['the native right sidebar', false],
  ['our drawer', true],
] as const)('with %s', (_where, stock) => {
  let rig: Rig
  let open: OpenPage | undefined

  beforeAll(async () => {
    rig = await startRig({ stock })
  })
  afterAll(() => rig?.stop())
  afterEach(() => open?.close())

  it.each([
    ['a side', 'en', walkSide],
    ['a side', 'zh', walkSide],
    ['the card', 'en', walkCard],
    ['the card', 'zh', walkCard],
  ] as const)(
    '%s in %s fits at every width and does not jump',
    async (what, language: Language, walk: (scene: Scene, visit: Visit) => Promise<void>) => {
      const { sessionId, ...words } = await prepare(rig, language)
      const locale = language === 'zh' ? 'zh-CN' : 'en-US'
      open = await openPage(rig.url, { sessionId, viewport: WIDTHS[2], locale })
      const { page } = open
      await page.emulateMedia({ reducedMotion: 'reduce' })
      await ready(page, words.say)
      const found: string[] = []
      const edges = new Map<string, number>()
      await walk({ rig, page, ...words }, async (state) => {
        for (const size of WIDTHS.toReversed()) {
          await page.setViewportSize(size)
          const look = async (): Promise<string[]> => [
            ...(await clippedTexts(page)),
            ...(await coveredComposer(page)),
            ...(await crowdedButtons(page, TARGET, [words.word('action.latest')])),
          ]
          let lines = await look()
          // What slides or is measured anew comes to rest.
          for (let again = 0; again < 10 && lines.length > 0; again += 1) {
            await page.waitForTimeout(150)
            lines = await look()
          }
          found.push(...lines.map((line) => `${state} at ${size.width}: ${line}`))
        }
        await page.setViewportSize(WIDTHS[2])
        await page.waitForTimeout(300)
        edges.set(state, await edge(what === 'the card'))
      })
      expect(found).toEqual([])
      const prefix = what === 'the card' ? 'card' : 'side'
      const phases = ['opening', 'thinking', 'answering'].map((phase) => edges.get(`${prefix}-${phase}`))
      expect(new Set(phases).size).toBe(1)
      expect(edges.get(`${prefix}-answered`)).toBe(phases[0])
    },
    240_000,
  )

  /** Where the surface's fixed edge is: the composer of a side, the lower edge of the card. */
  async function edge(card: boolean): Promise<number> {
    const page = open?.page
    if (page === undefined) throw new Error('no page')
    const anchor = card
      ? ours(page).locator('[role="region"][tabindex="-1"]').first()
      : ours(page).locator('[data-sidemind-side] textarea').last()
    const box = await anchor.boundingBox()
    return Math.round(card ? (box?.y ?? 0) + (box?.height ?? 0) : (box?.y ?? 0))
  }
})
