/** Every state in every view of it: three widths, light and dark. What the geometry tests and `npm run shots` have in common; what
 *  is done with a view is theirs. */
import type { Page } from 'playwright-core'

import { openPage } from './browser.ts'
import type { Rig } from './host.ts'
import { walkMain, walkQuotes, walkSettings } from './more-states.ts'
import {
  prepare,
  ready,
  walkCard,
  walkLoss,
  walkSide,
  WIDTHS,
  type Language,
  type Scene,
  type Visit,
} from './states.ts'

const SCHEMES = ['light', 'dark'] as const

type Walk = (scene: Scene, visit: Visit) => Promise<void>

/** All walks by their names. The loss is the last: it ends with another host. */
export const WALKS = {
  side: walkSide,
  card: walkCard,
  quotes: walkQuotes,
  main: walkMain,
  settings: walkSettings,
  loss: walkLoss,
} satisfies Record<string, Walk>

export interface View {
  readonly page: Page
  readonly state: string
  readonly width: number
  readonly scheme: (typeof SCHEMES)[number]
}

/** Walks in a new conversation on a page of its own, and calls `see` with each view of each state: at the desk first. */
export async function seeWalk(
  rig: Rig,
  language: Language,
  walk: Walk,
  see: (view: View) => Promise<void>,
): Promise<void> {
  const { sessionId, ...words } = await prepare(rig, language)
  const desk = WIDTHS[2]
  const locale = language === 'zh' ? 'zh-CN' : 'en-US'
  const { page, close } = await openPage(rig.url, { sessionId, viewport: desk, locale })
  try {
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' })
    await ready(page, words.say)
    await walk({ rig, page, sessionId, ...words }, async (state) => {
      let schemes: readonly View['scheme'][] = SCHEMES
      for (const size of WIDTHS.toReversed()) {
        await page.setViewportSize(size)
        for (const scheme of schemes) {
          await page.emulateMedia({ colorScheme: scheme })
          await see({ page, state, width: size.width, scheme })
        }
        // Changing the theme is dear: the next width begins with the one that is there.
        schemes = schemes.toReversed()
      }
      await page.setViewportSize(desk)
      await page.emulateMedia({ colorScheme: 'light' })
    })
  } finally {
    await close()
  }
}

/** Which walks differ on this host: what stands above main's composer is the same on both. @param stock without a right sidebar */
export function walksOn(stock: boolean): (keyof typeof WALKS)[] {
  const all = Object.keys(WALKS) as (keyof typeof WALKS)[]
  return stock ? all.filter((name) => name !== 'settings' && name !== 'quotes') : all
}
