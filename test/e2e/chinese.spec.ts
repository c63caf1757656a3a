/** In Chinese every state is Chinese, and fits. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { clippedTexts, visibleWords } from '../kit/geometry.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { prepare, ready, walkCard, walkSide, type Scene, type Visit } from '../kit/states.ts'

/** Names and units that stay as they are: keys, files, tools, the model's name, tokens, and the provider's own words of an error. */
const NAMES =
  /\b(?:Esc|Ctrl|Shift|tokens|README\.md|notes\.txt|read|write|kB|MB|DeepSeek[-\w]*|deepseek[-\w]*|High|high|npm|yarn|js|https?:\S+|example\.com\S*)\b/g

/** What the provider says of a refused key; it stands below our sentence. */
const PROVIDER = 'Authentication Fails, your api key is invalid'

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
    await walk({ rig, page, ...words }, async (state) => {
      // The host's sidebar slides in.
      await expect
        .poll(() => clippedTexts(page), { timeout: 3_000 })
        .toEqual([])
        .catch(() => undefined)
      const texts = await visibleWords(page)
      seen += texts.length
      const foreign = texts.filter((text) => text !== PROVIDER && /[A-Za-z]{2,}/.test(text.replaceAll(NAMES, '')))
      found.push(...new Set(foreign.map((text) => `${state}: ${text}`)))
      found.push(...(await clippedTexts(page)).map((line) => `${state}: ${line}`))
    })
    expect(seen).toBeGreaterThan(100)
    expect(found).toEqual([])
  },
  90_000,
)
