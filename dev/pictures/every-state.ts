/** Every state of both surfaces, light and dark, at three widths, in one language: the walk of the tests, with a camera. */
import { join } from 'node:path'

import { openPage } from '../../test/kit/browser.ts'
import type { Rig } from '../../test/kit/host.ts'
import { prepare, ready, walkCard, walkSide, WIDTHS, type Language } from '../../test/kit/states.ts'
import { freeze } from './freeze.ts'

/** @param place part of each file's name, for the host that holds the sides. */
export async function everyState(rig: Rig, language: Language, place: string, into: string): Promise<void> {
  for (const walk of [walkSide, walkCard]) {
    const { sessionId, ...words } = await prepare(rig, language)
    const locale = language === 'zh' ? 'zh-CN' : 'en-US'
    const { page, close } = await openPage(rig.url, { sessionId, viewport: WIDTHS[2], locale })
    await ready(page, words.say)
    await walk({ rig, page, ...words }, async (state) => {
      for (const size of WIDTHS) {
        await page.setViewportSize(size)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' })
          await page.waitForTimeout(300)
          await freeze(page)
          await page.screenshot({ path: join(into, `${language}-${place}-${state}-${size.width}-${colorScheme}.png`) })
        }
      }
      await page.setViewportSize(WIDTHS[2])
      await page.emulateMedia({ colorScheme: 'light' })
    })
    await close()
    process.stderr.write(`${language} ${place} ${walk.name}\n`)
  }
}
