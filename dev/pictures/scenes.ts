/** The scenes of the story and how they are taken: a host of its own each, a conversation with a turn behind it and one that is
 *  being answered. */
import { join } from 'node:path'
import type { Locator, Page } from 'playwright-core'

import { openPage } from '../../test/kit/browser.ts'
import { startRig, type Rig } from '../../test/kit/host.ts'
import { askIn, button, paste } from '../../test/kit/surface.ts'
import { createTranslate } from '../../ui/locales.ts'
import { freeze } from './freeze.ts'
import { held, plain, type Story } from './story.ts'

export interface Size {
  width: number
  height: number
}

const NARROW_SIZE: Size = { width: 360, height: 740 }

/** The page of one conversation, and the pictures taken of it. */
interface Scene {
  rig: Rig
  story: Story
  page: Page
  /** One of our regions by its name. */
  region(key: 'btw.label' | 'side.label', title: string): Locator
  /** Our words in the page's language. */
  word: ReturnType<typeof createTranslate>
  /** Takes the page as it is, light and dark. */
  shoot(name: string): Promise<void>
}

export async function btwScene({ rig, story, page, region, word, shoot }: Scene): Promise<void> {
  const { btw, failing } = story
  const card = region('btw.label', btw.question)
  await paste(page, `/btw ${btw.question}`)
  await card.getByText(lastWords(btw.begins)).waitFor()
  await page.waitForTimeout(2_000)
  await shoot('btw-answering')
  rig.model.release('btw')
  await button(card, word('action.retry')).waitFor()
  await shoot('btw')
  await page.keyboard.press('Escape')
  await page
    .getByRole('button', { name: word('action.undo') })
    .first()
    .waitFor()
  await shoot('undo')
  await paste(page, `/btw ${failing}`)
  await button(region('btw.label', failing), word('action.retry')).waitFor()
  await page
    .getByRole('button', { name: word('action.undo') })
    .first()
    .waitFor({ state: 'detached', timeout: 15_000 })
  await shoot('btw-error')
}

export async function sideScene(scene: Scene): Promise<void> {
  const { page, story, word, region, shoot } = scene
  await paste(page, '/side')
  const empty = region('side.label', word('side.untitled'))
  await empty.getByText(word('side.empty')).waitFor()
  await page.waitForTimeout(500)
  await shoot('side-empty')
  await askIn(empty, story.side[0])
  await talkOn(scene)
  await shoot('side')
}

export async function drawerScene(scene: Scene): Promise<void> {
  const { page, story, shoot } = scene
  await paste(page, `/side ${story.side[0]}`)
  await talkOn(scene)
  await shoot('drawer')
  await page.setViewportSize(NARROW_SIZE)
  await page.waitForTimeout(1_000)
  await shoot('narrow')
}

/** The first answer, a second question whose answer stands still, and a third one behind it. */
async function talkOn({ page, story, region }: Scene): Promise<void> {
  const panel = region('side.label', story.side[0])
  await panel.getByText(story.sideEnds).waitFor({ timeout: 30_000 })
  await page.waitForTimeout(500)
  await askIn(panel, story.follow.question)
  await panel.getByText(lastWords(story.follow.begins)).waitFor()
  await askIn(panel, story.queued)
  await panel.getByText(story.queued, { exact: true }).waitFor()
  await page.waitForTimeout(1_500)
}

/** One scene on a host of its own. */
export async function onRig(
  into: string,
  stock: boolean,
  story: Story,
  size: Size,
  act: (scene: Scene) => Promise<void>,
): Promise<void> {
  const rig = await startRig({ stock })
  try {
    await inScene(into, rig, story, size, act)
  } finally {
    await rig.stop()
  }
}

/** A conversation with a turn behind it and one that is being answered. */
async function inScene(
  into: string,
  rig: Rig,
  story: Story,
  viewport: Size,
  act: (scene: Scene) => Promise<void>,
): Promise<void> {
  const { before, main, btw, side, follow, queued, failing, title, locale } = story
  const language = locale.slice(0, 2)
  const word = createTranslate(locale)
  rig.model.script({ on: 'title', behaviour: plain(title) })
  for (const [match, behaviour] of [before, main, side]) rig.model.script({ match, behaviour })
  for (const [name, { question, begins, ends }] of Object.entries({ btw, side: follow })) {
    rig.model.script({ match: question, behaviour: held(name, begins, ends) })
  }
  rig.model.script({ match: failing, behaviour: { kind: 'status', status: 401 } })
  rig.model.script({ match: queued, behaviour: plain('…') })

  const sessionId = await rig.newSession()
  await rig.ask(sessionId, before[0])
  const open = await openPage(rig.url, { sessionId, viewport, locale })
  const { page } = open
  try {
    await paste(page, main[0])
    await page.locator('[data-chat-flow]').getByText('asCsv').last().waitFor()
    await page.waitForTimeout(1_500)
    await act({
      rig,
      story,
      page,
      word,
      region: (key, named) =>
        page
          .locator('[data-sidemind]')
          .getByRole('region', { name: word(key, { title: named }), exact: true })
          .first(),
      async shoot(name) {
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.waitForTimeout(400)
          await freeze(page)
          await page.screenshot({ path: join(into, `${language}-${name}-${colorScheme}.png`) })
        }
        await page.emulateMedia({ colorScheme: 'light' })
        process.stderr.write(`${language} ${name}\n`)
      },
    })
  } finally {
    await open.close()
  }
}

/** What the page shows of a Markdown beginning once all of it has arrived. */
function lastWords(text: string): string {
  return text.split('`').at(-1)?.trim() ?? text
}
