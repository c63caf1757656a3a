/** What a side says it knows and costs, and what it tells of main, in a browser on the real host. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { RecordedRequest } from '../../dev/model/journal.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, overlay, side, type } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())

beforeEach(async () => {
  rig.model.clear()
  main = await rig.newSession()
  await rig.ask(main, `FIRST turn of main ${'tide '.repeat(400)} [[plain First answer.]]`)
  await rig.ask(main, 'SECOND turn of main. [[plain Second answer.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Second answer.', { exact: true }).waitFor()
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

function asked(text: string): RecordedRequest {
  const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
  if (request === undefined) throw new Error(`nothing asked about ${text}`)
  return request
}

describe('before the first question', () => {
  it('[K06] shows what would go along, lets the person take less, and sends just that', async () => {
    await type(open.page, '/side')
    const panel = side(open.page)
    await panel.getByText(/^all 2 turns, [\d.]+k of 1M tokens$/).waitFor()
    const log = (await rig.history(main)).length
    await button(panel, 'Change').click()
    const ladder = panel.getByRole('radiogroup', { name: 'How much of main goes along' })
    expect(await ladder.getByRole('radio').count()).toBe(3)
    await ladder.getByRole('radio', { name: /the last turn/ }).check()
    await button(panel, 'Done').click()
    await panel.getByText(/^the last turn, [\d.]+k of 1M tokens$/).waitFor()
    // Looking and choosing leaves nothing in main's log (D13).
    expect((await rig.history(main)).length).toBe(log)

    await askIn(panel, 'WITH-LESS? [[plain With less.]]')
    await panel.getByText('With less.', { exact: true }).waitFor()
    const words = JSON.stringify(asked('WITH-LESS').body)
    expect(words).not.toContain('FIRST turn')
    expect(words).toContain('SECOND turn')
  })

  it('[K06] says the same in the empty ask box of /btw, and follows main while it is open', async () => {
    await type(open.page, '/btw')
    const card = open.page.locator('[data-sidemind]').getByRole('region', { name: 'Ask by the way' })
    await card.getByText(/^all 2 turns, /).waitFor()
    await rig.ask(main, 'THIRD turn of main. [[plain Third answer.]]')
    await card.getByText(/^all 3 turns, /).waitFor()
  })

  it('[K05] offers less of main when the model refuses the question as too long, and keeps the question', async () => {
    rig.model.script({ on: 'chat', behaviour: { kind: 'overflow' } })
    await type(open.page, '/side TOO-LONG for this model?')
    const panel = side(open.page)
    const offer = button(panel, 'Ask with the last turn')
    await offer.waitFor({ timeout: 30_000 })
    rig.model.clear()
    rig.model.script({ match: 'TOO-LONG', behaviour: { kind: 'plain', text: 'Short enough now.' } })
    await offer.click()
    await panel.getByText('Short enough now.', { exact: true }).waitFor()
    expect(JSON.stringify(asked('TOO-LONG').body)).not.toContain('FIRST turn')
    await panel.getByText('TOO-LONG for this model?').first().waitFor()
  })
})

describe('what a side tells of main', () => {
  it('[K15] names what main runs, says when it is done, and leads there', async () => {
    await type(open.page, '/side WATCHING? [[plain Watching.]]')
    const panel = side(open.page)
    await panel.getByText('Watching.', { exact: true }).waitFor()
    rig.model.script({ match: 'MAIN-RUNS', behaviour: { kind: 'gate', name: 'main-runs', after: 'Main is through.' } })
    await rig.prompt(main, 'MAIN-RUNS now')
    await button(panel, /^main is running/).waitFor()
    rig.model.release('main-runs')
    const done = button(panel, /^main is done/)
    await done.waitFor()
    await done.click()
    await open.page.locator('[data-composer-card] textarea').and(open.page.locator(':focus')).waitFor()
  })

  it('[K15] marks a tab whose answer landed out of sight, in main’s row and in the page’s title too, until it is seen', async () => {
    rig.model.script({
      match: 'UNSEEN',
      behaviour: { kind: 'gate', name: 'unseen', before: 'Half ', after: 'and whole.' },
    })
    await type(open.page, '/side UNSEEN? ')
    await side(open.page).getByText('Half').waitFor()
    await type(open.page, '/side OTHER? [[plain Other.]]')
    await side(open.page, 'OTHER? [[plain Other.]]').getByText('Other.', { exact: true }).waitFor()
    rig.model.release('unseen')
    // What is in a tab is its name.
    await open.page.getByRole('tab', { name: /^new answer.*UNSEEN/ }).waitFor()
    await open.page.locator('[data-chat-flow]').getByText('new answer').waitFor()
    await expect.poll(() => open.page.title()).toMatch(/^● /)
    await open.page.getByRole('tab', { name: /UNSEEN/ }).click()
    await side(open.page, 'UNSEEN?').getByText('Half and whole.').waitFor()
    await open.page.getByRole('tab', { name: /^new answer/ }).waitFor({ state: 'detached' })
    await expect.poll(() => open.page.title()).not.toMatch(/^● /)
  })

  it('[K15] [K26] says that an answer landed in another conversation, and leads to it', async () => {
    const other = await rig.newSession()
    await rig.ask(other, 'ELSEWHERE. [[plain Yes.]]')
    rig.model.script({ match: 'LATER', behaviour: { kind: 'gate', name: 'later', before: 'Soon ', after: 'done.' } })
    await type(open.page, '/btw LATER?')
    await overlay(open.page).getByText('Soon').waitFor()
    await open.page.getByText('ELSEWHERE.', { exact: true }).first().click()
    await open.page.locator('[data-chat-flow]').getByText('Yes.', { exact: true }).waitFor()
    await overlay(open.page).waitFor({ state: 'detached' })
    rig.model.release('later')
    const line = open.page.locator('[data-sidemind]').getByRole('button', { name: /^New answer in .*: LATER\?$/ })
    await line.waitFor()
    await line.click()
    await overlay(open.page).getByText('Soon done.').waitFor()
    await line.waitFor({ state: 'detached' })
  })
})

describe('what it says of itself', () => {
  it('[K43] [K44] tells below an answer what it cost, and behind (i) what it knows, may do, keeps and when it ends', async () => {
    await type(open.page, '/side ABOUT? [[plain About that.]]')
    const panel = side(open.page)
    await panel.getByText('About that.', { exact: true }).waitFor()
    await panel.getByText(/^[\d.]+k in \(\d+ % cached\), \d+ out · .*, first word [\d.]+ s$/).waitFor()
    const info = button(panel, 'About this side')
    await info.focus()
    await open.page.keyboard.press('Enter')
    const about = panel.getByRole('group', { name: 'About this side' })
    for (const words of [
      /^It knows the 2 turns that main had completed at \d\d:\d\d, [\d.]+k of 1M tokens\.$/,
      'It may read files, search in files, search the web. Anything else is refused.',
      /^It asks deepseek-v4-flash, effort high\.$/,
      /^Nothing is stored on this machine/,
      /^The host itself may send/,
      /^It ends when you close it \(undo for 8 s\), when this page is gone for 60 s, .* unused for 30 min\.$/,
    ])
      await about.getByText(words).waitFor()
    await open.page.keyboard.press('Escape')
    await about.waitFor({ state: 'hidden' })
    await info.and(open.page.locator(':focus')).waitFor()
  })

  it('[K43] says the same in the card, and Esc closes those words before the card', async () => {
    await type(open.page, '/btw CARD? [[plain In the card.]]')
    const card = overlay(open.page)
    await card.getByText('In the card.', { exact: true }).waitFor()
    const facts = button(card, /^2 turns, [\d.]+k tokens, no tools, not stored$/)
    await facts.focus()
    await open.page.keyboard.press('Enter')
    const about = card.getByRole('group', { name: 'About this side' })
    await about.getByText('It may use no tools.').waitFor()
    await open.page.keyboard.press('Escape')
    await about.waitFor({ state: 'hidden' })
    await card.getByText('In the card.', { exact: true }).waitFor()
    await facts.and(open.page.locator(':focus')).waitFor()
  })
})
