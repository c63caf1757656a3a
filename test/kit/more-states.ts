/** The rest of the walk through every state: main's words quoted, what opens beside the surfaces, what main does meanwhile, a side
 *  that asks, and the card in the host's settings. */
import { execFile } from 'node:child_process'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { lastWords, ours, region, settled, type Scene, type Visit } from './states.ts'
import { askIn, button, paste } from './surface.ts'

/** The bar at selected words, the ask box that quotes them, and what the card opens: facts, models, attempts, search. */
export async function walkQuotes(scene: Scene, visit: Visit): Promise<void> {
  const { rig, page, say, word } = scene
  rig.model.script({ match: say.which, behaviour: { kind: 'plain', text: say.told } })
  const told = page
    .locator('[data-chat-flow] p')
    .filter({ hasText: lastWords(say.told).slice(-12) })
    .last()
  const bar = ours(page).getByRole('toolbar')
  await told.click({ clickCount: 3 })
  await bar.waitFor()
  await visit('quote-bar')
  // At another width the bar may be where the words went.
  await button(bar, word('quote.ask')).click()
  const box = region(scene, word('btw.ask'))
  await box.getByRole('group', { name: word('quote.label') }).waitFor()
  await visit('quote-ask')
  await button(box, word('quote.more')).click()
  await button(box, word('scope.change')).click()
  await visit('quote-open')
  await button(box, word('action.save')).click()
  await askIn(box, say.which)
  const card = region(scene, word('btw.label', { title: say.which }))
  await settled(card, word)
  await visit('card-quoting')
  await card.locator('[aria-expanded]').last().click()
  await card.getByRole('group', { name: word('info.open') }).waitFor()
  await visit('card-about')
  await page.keyboard.press('Escape')

  await button(card, word('action.retry')).click()
  await button(card, word('attempt.previous')).waitFor()
  await settled(card, word)
  await visit('card-attempts')
  await button(card, word('model.retryWith')).click()
  await card.getByRole('menu').waitFor()
  await visit('card-models')
  await page.keyboard.press('Escape')
  await card.locator('[data-answer] p').last().click({ clickCount: 3 })
  await button(bar, word('quote.followUp')).waitFor()
  await visit('answer-bar')
  await page.evaluate(() => document.getSelection()?.removeAllRanges())
  await page.keyboard.press('Shift')
  await bar.waitFor({ state: 'detached' })
  await paste(page, `/btw ${say.next}`)
  const second = region(scene, word('btw.label', { title: say.next }))
  await settled(second, word)
  await button(second, word('search.open')).click()
  await page.getByRole('searchbox').fill(say.term)
  await ours(page).getByRole('dialog').getByRole('listitem').first().waitFor()
  await visit('card-search')
  await page.keyboard.press('Escape')
}

/** A side beside a main that goes on, runs, asks; a tool that takes its time, a question of the side's own, its models. */
export async function walkMain(scene: Scene, visit: Visit): Promise<void> {
  const { rig, page, sessionId, say, word } = scene
  await allowQuestions(scene)
  const asks = (question: object) => ({ name: 'ask_user_question', arguments: { questions: [question] } })
  const { model } = rig
  model.script({ match: say.work, behaviour: { kind: 'gate', name: 'work', before: say.done, after: say.done } })
  model.script({ match: say.which, behaviour: { kind: 'tool', calls: [asks(say.choose)], after: say.short } })
  model.script({ match: say.find, behaviour: { kind: 'tool', calls: [grepSlow(say.term)], after: say.short } })

  await paste(page, `/side ${say.next}`)
  const side = region(scene, word('side.label', { title: say.next }))
  await settled(side, word)
  await rig.ask(sessionId, say.compare)
  await rig.prompt(sessionId, say.work)
  await side.getByText(word('ahead.one')).waitFor()
  await side.getByText(word('main.running')).waitFor()
  await visit('side-main-runs')
  model.release('work')
  await side.getByText(word('main.done')).waitFor()
  await button(side, word('ahead.add')).click()
  await visit('side-main-done')

  const letGo = await slowFile(scene)
  await askIn(side, say.find)
  await side
    .getByText(word('phase.tool', { name: 'grep' }))
    .first()
    .waitFor()
  await visit('side-tool')
  await letGo()
  await settled(side, word)

  await askIn(side, say.which)
  await side.getByRole('group', { name: word('prompt.question') }).waitFor()
  await visit('side-asks')
  await button(side, word('action.putAside')).click()
  await settled(side, word)
  await button(side, modelLabel(word('model.label', { name: '' }))).click()
  await side.getByRole('menu').waitFor()
  await visit('side-models')
  await page.keyboard.press('Escape')

  await rig.prompt(sessionId, say.which)
  await side.getByText(word('main.question')).waitFor()
  await button(side, word('pending.ask')).click()
  await visit('side-main-asks')
}

/** The card in the host's settings, as it opens and with values that were changed, one of them refused. */
export async function walkSettings({ page, word }: Scene, visit: Visit): Promise<void> {
  await page.getByRole('button', { name: /^(?:Settings|设置)$/ }).click()
  await page
    .getByText(/^(?:Plugins|插件)$/)
    .first()
    .click()
  const card = page.locator('li[data-sidemind]')
  await card.getByRole('button', { name: new RegExp(`^${word('settings.title')}`) }).click()
  await card.getByLabel(word('settings.undoSeconds')).waitFor()
  await visit('settings')
  await card.getByLabel(word('settings.undoSeconds')).fill('5')
  await card.getByLabel(word('settings.sidesPerHost')).fill('0')
  await card.getByText(word('settings.badWhole', { min: 1, max: 64 })).waitFor()
  await visit('settings-changed')
  await button(card, word('settings.discard')).click()
  await page.keyboard.press('Escape')
}

/** The model's name follows. */
function modelLabel(start: string): RegExp {
  return new RegExp(`^${start.trim()}`)
}

/** Adds the tool with which a side asks its person to those that it may use. */
async function allowQuestions({ rig }: Scene): Promise<void> {
  const { namespaces } = await rig.rpc<{ namespaces: { ns: string; revision: number }[] }>('settings.describe')
  const expectedRevision = namespaces.find(({ ns }) => ns === 'sidemind')?.revision
  const value = ['read', 'grep', 'glob', 'ask_user_question']
  await rig.rpc('settings.mutate', { ns: 'sidemind', ops: [{ op: 'set', path: ['tools'], value }], expectedRevision })
}

const PIPE = 'log.pipe'

function grepSlow(pattern: string) {
  return { name: 'grep', arguments: { pattern, path: PIPE } }
}

/** A pipe to search in: the search takes until somebody has written to it. @returns what writes. */
async function slowFile({ rig }: Scene): Promise<() => Promise<void>> {
  const path = join(rig.workspace, PIPE)
  await rm(path, { force: true })
  await promisify(execFile)('mkfifo', [path])
  return async () => {
    const file = await open(path, 'w')
    await file.close()
    await rm(path, { force: true })
  }
}
