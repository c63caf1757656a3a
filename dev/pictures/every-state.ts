/** Every state of both surfaces, light and dark, at three widths, in one language: the walks of the tests, with a camera. */
import { join } from 'node:path'

import type { Rig } from '../../test/kit/host.ts'
import type { Language } from '../../test/kit/states.ts'
import { seeWalk, WALKS, walksOn } from '../../test/kit/views.ts'
import { freeze } from './freeze.ts'

/** How long a page takes to be laid out anew; what moves is taken at its end. */
const REST_MS = 120

/** @returns how many pictures were taken. Their names begin with language and place. */
export async function everyState(rig: Rig, language: Language, stock: boolean, into: string): Promise<number> {
  let count = 0
  for (const name of walksOn(stock)) {
    const since = Date.now()
    await seeWalk(rig, language, WALKS[name], async ({ page, state, width, scheme }) => {
      await page.waitForTimeout(REST_MS)
      await freeze(page)
      const place = stock ? 'drawer' : 'sidebar'
      const path = join(into, `${language}-${place}-${state}-${width}-${scheme}.png`)
      await page.screenshot({ path, animations: 'disabled' })
      count += 1
    })
    const took = Math.round((Date.now() - since) / 1_000)
    process.stderr.write(`${language} ${stock ? 'drawer' : 'sidebar'} ${name}: ${took} s\n`)
  }
  return count
}
