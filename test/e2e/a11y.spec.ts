/** Every state that a person can reach, looked at by axe on the real host, contrast included, in light and dark. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { axeProblems } from '../kit/axe.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { prepare, ready, walkCard, walkLoss, walkSide, type Scene, type Visit } from '../kit/states.ts'

describe.each([
  ['the native right sidebar', false],
  ['our drawer', true],
] as const)('axe finds nothing with %s', (_where, stock) => {
  let rig: Rig
  let open: OpenPage | undefined

  beforeAll(async () => {
    rig = await startRig({ stock })
  })
  afterAll(() => rig?.stop())
  afterEach(() => open?.close())

  async function look(walk: (scene: Scene, visit: Visit) => Promise<void>): Promise<void> {
    const { sessionId, ...words } = await prepare(rig, 'en')
    open = await openPage(rig.url, { sessionId, viewport: { width: 1440, height: 900 } })
    const { page } = open
    await page.emulateMedia({ reducedMotion: 'reduce' })
    await ready(page, words.say)
    const found: string[] = []
    await walk({ rig, page, sessionId, ...words }, async (state) => {
      found.push(...(await axeProblems(page)).map((line) => `${state}: ${line}`))
    })
    expect(found).toEqual([])
  }

  it('in a side, from empty to failed', () => look(walkSide), 90_000)
  it.skipIf(stock)('in the card, from opening to its ask box', () => look(walkCard), 90_000)
  it('while the host is gone, and after', () => look(walkLoss), 120_000)
})
