/** In Chinese every state is Chinese, and fits. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { clippedTexts } from '../kit/geometry.ts'
import { foreignWords } from '../kit/foreign-words.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { prepare, ready, walkCard, walkSide, type Scene, type Visit } from '../kit/states.ts'

let rig: Rig
let open: OpenPage | undefined

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())
afterEach(() => open?.close())

it.each([
  ['a side', walkSide],
  ['the card', walkCard],
] as const)(
  'leaves no word of %s in English, and none cut off',
  async (_what, walk: (scene: Scene, visit: Visit) => Promise<void>) => {
    const { sessionId, ...words } = await prepare(rig, 'zh')
    open = await openPage(rig.url, { sessionId, viewport: { width: 1440, height: 900 }, locale: 'zh-CN' })
    const { page } = open
    await ready(page, words.say)
    const found: string[] = []
    let seen = 0
    await walk({ rig, page, sessionId, ...words }, async (state) => {
      // The host's sidebar slides in.
      await expect
        .poll(() => clippedTexts(page), { timeout: 3_000 })
        .toEqual([])
        .catch(() => undefined)
      const { seen: texts, foreign } = await foreignWords(page)
      seen += texts
      found.push(...foreign.map((text) => `${state}: ${text}`))
      found.push(...(await clippedTexts(page)).map((line) => `${state}: ${line}`))
    })
    expect(seen).toBeGreaterThan(100)
    expect(found).toEqual([])
  },
  90_000,
)
