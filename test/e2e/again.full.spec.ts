/** Asking again and finding again: attempts, the ask box, waiting questions, the history of answers, the search. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { packWithConfig } from '../kit/broken-plugin.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, composer, overlay, side, type } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string

beforeAll(async () => {
  rig = await startRig({ plugins: [await packWithConfig({ undoSeconds: 1 })] })
})
afterAll(() => rig?.stop())

beforeEach(async () => {
  rig.model.clear()
  main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

/** What the model was sent with the newest question that holds `text`. */
function sent(text: string): { model: string; effort: string | undefined; all: string } {
  const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
  const body = request?.body as { model: string; reasoning_effort?: string } | undefined
  return { model: body?.model ?? '', effort: body?.reasoning_effort, all: JSON.stringify(body) }
}

/** Answers `match` with one text after the other. */
function answers(match: string, ...texts: string[]): void {
  for (const text of texts.toReversed()) rig.model.script({ match, times: 1, behaviour: { kind: 'plain', text } })
}

describe('asking again', () => {
  it('[K39] retries a btw with another model, and keeps every attempt within reach', async () => {
    answers('AGAIN-BTW', 'First try.', 'Second try.', 'Third try.')
    await type(open.page, '/btw AGAIN-BTW question?')
    const card = overlay(open.page)
    await card.getByText('First try.', { exact: true }).waitFor()
    await button(card, 'Retry').click()
    await card.getByText('Second try.', { exact: true }).waitFor()
    await button(card, 'Ask again with another model or effort').click()
    await card.getByRole('menuitemradio', { name: 'DeepSeek-V4-Pro' }).click()
    await card.getByRole('menuitemradio', { name: 'Low' }).click()
    await card.getByText('Another model reads everything anew').waitFor()
    await card.getByRole('menuitem', { name: 'Retry with this' }).click()
    await card.getByText('Third try.', { exact: true }).waitFor()
    expect(sent('AGAIN-BTW')).toMatchObject({ model: 'deepseek-v4-pro', effort: 'low' })
    await card.getByText('3/3', { exact: true }).waitFor()
    await button(card, 'Earlier attempt').click()
    await card.getByText('Second try.', { exact: true }).waitFor()
    await button(card, 'Earlier attempt').click()
    await card.getByText('First try.', { exact: true }).waitFor()
    expect(await card.getByText('Third try.').count()).toBe(0)
  })

  it('retries in a side without teaching the model the failed attempt, which can still be read', async () => {
    rig.model.script({ match: 'AGAIN-SIDE', times: 1, behaviour: { kind: 'status', status: 401 } })
    await type(open.page, '/side KEPT? [[plain Kept answer.]]')
    const panel = side(open.page)
    await panel.getByText('Kept answer.', { exact: true }).waitFor()
    await askIn(panel, 'AGAIN-SIDE question? [[plain It worked.]]')
    await panel.getByText(/refused the key/).waitFor()
    await button(panel, 'Retry').last().click()
    await panel.getByText('It worked.', { exact: true }).waitFor()
    const { all } = sent('AGAIN-SIDE')
    expect(all.split('AGAIN-SIDE question?')).toHaveLength(2)
    expect(all).toContain('Kept answer.')
    await panel.getByText('2/2', { exact: true }).waitFor()
    await button(panel, 'Earlier attempt').click()
    await panel.getByText(/refused the key/).waitFor()
    await button(panel, 'Later attempt').click()
    await panel.getByText('It worked.', { exact: true }).waitFor()
  })
})

describe('the ask box', () => {
  it('[K30] opens in place for /btw alone, stays for the next question, and Up recalls the last one', async () => {
    await type(open.page, '/btw')
    const box = open.page.getByRole('region', { name: 'Ask by the way' })
    const card = overlay(open.page)
    const field = box.or(card).getByRole('textbox', { name: 'Question' })
    await field.waitFor()
    expect(rig.model.requests().some(({ lastUser }) => lastUser?.includes('/btw'))).toBe(false)
    await field.fill('BOX-ONE? [[plain Box one.]]')
    await field.press('Enter')
    await card.getByText('Box one.', { exact: true }).waitFor()
    await field.press('ArrowUp')
    expect(await field.inputValue()).toBe('BOX-ONE? [[plain Box one.]]')
    await field.fill('BOX-TWO? [[plain Box two.]]')
    // An input method has the key: nothing is sent.
    await field.dispatchEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: true })
    expect(await field.inputValue()).toBe('BOX-TWO? [[plain Box two.]]')
    await field.press('Enter')
    await card.getByText('Box two.', { exact: true }).waitFor()
    await card.getByText('2/2', { exact: true }).waitFor()
  })
})

describe('questions that wait', () => {
  it('[K13] [K19] are shown, edited and removed; Esc stops the answer and keeps them', async () => {
    rig.model.script({ match: 'WAIT-FOR', behaviour: { kind: 'gate', name: 'wait', before: 'Working', after: ' on.' } })
    await type(open.page, '/side WAIT-FOR me?')
    const panel = side(open.page)
    await panel.getByText('Working').waitFor()
    const field = panel.getByRole('textbox', { name: 'Question' })
    await open.page.setViewportSize({ width: 1000, height: 800 })
    expect(await field.evaluate((area) => area.scrollHeight <= area.clientHeight + 1)).toBe(true)
    await askIn(panel, 'QUEUED-A [[plain Answer A.]]')
    await askIn(panel, 'QUEUED-B')
    const waiting = panel.getByRole('list', { name: 'Queued questions' })
    await button(waiting, 'Remove').last().click()
    expect(await waiting.getByRole('listitem').count()).toBe(1)
    await button(waiting, 'Edit').click()
    await waiting.getByRole('textbox').fill('QUEUED-A edited [[plain Edited answer.]]')
    await waiting.getByRole('textbox').press('Enter')
    await field.press('Escape')
    await panel.getByText('stopped', { exact: true }).waitFor()
    await panel.getByText('paused', { exact: true }).waitFor()
    await waiting.getByText('QUEUED-A edited').waitFor()
    rig.model.release('wait')
    await button(panel, 'Send now').click()
    await panel.getByText('Edited answer.', { exact: true }).waitFor()
    expect(rig.model.requests().some(({ lastUser }) => lastUser?.includes('QUEUED-B'))).toBe(false)
  })
})

describe('finding again', () => {
  it('goes back to closed answers with the arrows and by search, in this conversation only, also after leaving it', async () => {
    for (const [question, answer] of [
      ['TIDE?', 'It rises at noon.'],
      ['MOON?', 'It is waning.'],
    ] as const) {
      await type(open.page, `/btw ${question} [[plain ${answer}]]`)
      await overlay(open.page).getByText(answer, { exact: true }).waitFor()
    }
    await type(open.page, '/side HARBOUR? [[plain The harbour is shallow at noon.]]')
    await side(open.page).getByText('The harbour is shallow at noon.', { exact: true }).waitFor()
    const card = overlay(open.page)
    await button(card, 'Close').click()
    await overlay(open.page).getByText('It rises at noon.', { exact: true }).waitFor()
    await open.page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'hidden' })
    // The closed one is one step back, read-only.
    await button(card, 'Previous').click()
    await card.getByText('It is waning.', { exact: true }).waitFor()
    await card.getByText('Closed. Its text is kept in this page.').waitFor()
    expect(await button(card, 'Retry').count()).toBe(0)
    await card.focus()
    await open.page.keyboard.press('ArrowRight')
    await card.getByText('It rises at noon.', { exact: true }).waitFor()

    const other = await rig.newSession()
    await rig.ask(other, 'Elsewhere. [[plain Yes.]]')
    await open.page.getByText('Elsewhere.', { exact: true }).first().click()
    await open.page.locator('[data-chat-flow]').getByText('Yes.', { exact: true }).waitFor()
    expect(await open.page.getByText('It rises at noon.').filter({ visible: true }).count()).toBe(0)
    await open.page.getByText('Hello.', { exact: true }).filter({ visible: true }).first().click()
    await overlay(open.page).getByText('It rises at noon.', { exact: true }).waitFor()

    await button(overlay(open.page), 'Find in sides').click()
    const search = open.page.getByRole('dialog', { name: 'Find in sides' })
    await search.getByRole('searchbox').fill('noon')
    await search.getByText('2 found').waitFor()
    await search.getByRole('searchbox').fill('waning')
    await search.getByText('1 found').waitFor()
    await open.page.keyboard.press('Enter')
    await overlay(open.page).getByText('It is waning.', { exact: true }).waitFor()
    // Nothing of it reached main or its composer, and nothing of it is kept by the browser.
    expect(
      await open.page.evaluate(() => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)])),
    ).not.toMatch(/waning|noon/)
    expect(await composer(open.page).inputValue()).toBe('')
  })
})
