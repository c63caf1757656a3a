/** Everything with the keyboard alone: no click in this file, and no focus that is put anywhere. The browser has caret browsing on
 *  (F7), as somebody who selects text without a mouse has. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openBrowser, openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { button, composer, overlay, side } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage

beforeAll(async () => {
  await openBrowser('--blink-settings=caretBrowsingEnabled=true')
  rig = await startRig({ stock: true })
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  rig.model.clear()
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  await open.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  // The page itself puts the caret into main's composer.
  await expect.poll(() => focused(open.page)).toBe('main’s composer')
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

/** Presses Tab until the focus is on the button of ours with this name. */
async function tabTo(page: Page, name: string | RegExp, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  const passed: string[] = []
  for (let presses = 0; presses < 80; presses += 1) {
    const here = await page.evaluate(() => {
      const element = document.activeElement
      return element?.closest('[data-sidemind]')
        ? (element.getAttribute('aria-label') ?? element.textContent ?? '')
        : ''
    })
    if (typeof name === 'string' ? here === name : name.test(here)) return
    passed.push(here)
    await page.keyboard.press(key)
  }
  throw new Error(`Tab never reached ${String(name)}: ${passed.join(' | ')}`)
}

const focused = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const element = document.activeElement
    if (element?.closest('[data-composer-card]')) return 'main’s composer'
    return element?.closest('[data-sidemind-side]') ? 'the side' : (element?.getAttribute('aria-label') ?? 'elsewhere')
  })

/** Whether the focused element shows that it is: an outline, or a border that differs from its unfocused twin. */
const ring = (page: Page): Promise<string> =>
  page.evaluate(() => getComputedStyle(document.activeElement ?? document.body).outlineStyle)

describe('the keyboard alone', () => {
  it('asks, stops, retries, copies, closes, takes back and closes for good', async () => {
    const { page } = open
    rig.model.script({ match: 'KEYS', times: 1, behaviour: { kind: 'stall', text: 'It began' } })
    rig.model.script({ match: 'KEYS', behaviour: { kind: 'plain', text: 'The **whole** answer.' } })
    rig.model.script({ match: 'KEYS', times: 1, behaviour: { kind: 'stall', text: 'It began' } })
    await page.keyboard.type('/side KEYS?')
    await page.keyboard.press('Enter')
    const panel = side(page, 'KEYS?')
    await panel.getByText('It began', { exact: true }).waitFor()
    await page.keyboard.press('Control+Shift+Comma')
    await expect.poll(() => focused(page)).toBe('the side')
    await page.keyboard.press('Escape')
    await panel.getByText('stopped', { exact: true }).waitFor()
    expect(await focused(page)).toBe('the side')
    await tabTo(page, 'Close KEYS?')
    await tabTo(page, 'Retry')
    expect(await ring(page)).toBe('solid')
    await page.keyboard.press('Enter')
    await panel.getByText('The whole answer.').waitFor()
    await button(panel, 'Stop').waitFor({ state: 'detached' })
    await tabTo(page, 'Copy answer')
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe('The **whole** answer.')
    await tabTo(page, 'Close KEYS?')
    await page.keyboard.press('Enter')
    await panel.waitFor({ state: 'detached' })
    await expect.poll(() => focused(page)).toBe('main’s composer')
    await tabTo(page, 'Undo')
    await page.keyboard.press('Enter')
    await panel.getByText('The whole answer.').waitFor()
    await tabTo(page, 'Close KEYS?')
    await page.keyboard.press('Enter')
    await panel.waitFor({ state: 'detached' })
  })

  it('asks by the way, stops, retries, and is back in main’s composer afterwards', async () => {
    const { page } = open
    rig.model.script({ match: 'WAY', behaviour: { kind: 'plain', text: 'Done at once.' } })
    rig.model.script({ match: 'WAY', times: 1, behaviour: { kind: 'stall', text: 'It began' } })
    await page.keyboard.type('/btw WAY?')
    await page.keyboard.press('Enter')
    const card = overlay(page, 'WAY?')
    await card.getByText('It began', { exact: true }).waitFor()
    await expect.poll(() => card.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await card.getByText('stopped', { exact: true }).first().waitFor()
    await tabTo(page, 'Retry')
    await page.keyboard.press('Enter')
    await card.getByText('Done at once.').waitFor()
    await expect.poll(() => card.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })
    expect(await focused(page)).toBe('main’s composer')
  })

  it('[K07] goes on from a card as a side, with the caret in it, and adds the answer to main’s draft', async () => {
    const { page } = open
    await page.keyboard.type('/btw GO-ON? [[plain Which **one**?]]')
    await page.keyboard.press('Enter')
    const card = overlay(page)
    await button(card, 'Retry').waitFor()
    await expect.poll(() => card.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await tabTo(page, 'Continue as side')
    await page.keyboard.press('Enter')
    const panel = side(page)
    await panel.getByText('Which one?').waitFor()
    await expect.poll(() => focused(page)).toBe('the side')
    await page.keyboard.type('THE-FIRST one. [[plain Then **that** one.]]')
    await page.keyboard.press('Enter')
    await panel.getByText('Then that one.').waitFor()
    await button(panel, 'Stop').waitFor({ state: 'detached' })
    await tabTo(page, 'Add to draft', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await expect.poll(() => composer(page).inputValue()).toBe('Then **that** one.')
    await expect.poll(() => focused(page)).toBe('main’s composer')
    await page.keyboard.type(' Please.')
    expect(await composer(page).inputValue()).toBe('Then **that** one. Please.')
    expect(rig.model.requests().filter(({ lastUser }) => lastUser?.includes('Please.'))).toEqual([])
  })

  it('[K08] quotes words of main that are selected with the arrows, and a whole message by its action', async () => {
    const { page } = open
    await tabTo(page, 'Ask aside about this message', 'Shift+Tab')
    // Backwards from the end of the message's text.
    await page.keyboard.press('ArrowUp')
    await page.keyboard.press('End')
    for (let left = 'there.'.length; left > 0; left -= 1) await page.keyboard.press('Shift+ArrowLeft')
    await expect.poll(() => page.evaluate(() => document.getSelection()?.toString())).toBe('there.')
    await page.locator('[data-sidemind] [role="toolbar"]').waitFor()
    await page.keyboard.press('Tab')
    await tabTo(page, 'Ask aside')
    await page.keyboard.press('Enter')
    const box = page.locator('[data-sidemind]').getByRole('region', { name: 'Ask by the way' })
    await box.getByRole('group', { name: 'Quoted' }).getByText('there.', { exact: true }).waitFor()
    await page.keyboard.type('WHERE? [[plain Here.]]')
    await page.keyboard.press('Enter')
    const card = overlay(page)
    await card.getByText('Here.', { exact: true }).waitFor()
    const asked = (): string =>
      rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes('WHERE?'))
        ?.lastUser ?? ''
    expect(asked()).toContain('> there.\n\nWHERE?')
    // Up brings the question back as it was typed, and what it quoted above it.
    await page.keyboard.press('ArrowUp')
    const field = card.getByRole('textbox', { name: 'Question' })
    expect(await field.inputValue()).toBe('WHERE? [[plain Here.]]')
    await button(card, 'Remove the quote').waitFor()
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'detached' })

    await tabTo(page, 'Ask aside about this message', 'Shift+Tab')
    await page.keyboard.press('Enter')
    await box.getByRole('group', { name: 'Quoted' }).getByText('Hi there.', { exact: true }).waitFor()
    await expect.poll(() => box.evaluate((one) => one.contains(document.activeElement))).toBe(true)
  })

  it('moves nothing by itself when less motion is wanted', async () => {
    const { page } = open
    await page.emulateMedia({ reducedMotion: 'reduce' })
    rig.model.script({ match: 'STILL', behaviour: { kind: 'gate', name: 'still', before: 'It be', after: 'gins.' } })
    await page.keyboard.type('/btw STILL?')
    await page.keyboard.press('Enter')
    await overlay(page, 'STILL?').getByText('It be').waitFor()
    const moving = await page.evaluate(() =>
      document
        .getAnimations()
        .map((animation) => (animation.effect as KeyframeEffect | null)?.target)
        .filter((target) => target?.closest('[data-sidemind]') != null)
        .map((target) => target?.outerHTML.slice(0, 80)),
    )
    expect(moving).toEqual([])
    rig.model.release('still')
  })

  it('tells a screen reader states, one region and at most one a second, never the text that streams', async () => {
    const { page } = open
    const text = 'word '.repeat(60).trim()
    rig.model.script({ match: 'HEARD', behaviour: { kind: 'plain', text, chunkMs: 30, chunkChars: 5 } })
    await page.evaluate(() => {
      const said: { at: number; text: string }[] = []
      Object.assign(window, { said })
      new MutationObserver((changes) => {
        for (const { target } of changes) {
          const region = (target instanceof Element ? target : target.parentElement)?.closest(
            '[data-sidemind] [aria-live]',
          )
          const now = region?.textContent?.trim() ?? ''
          if (region && now !== '' && now !== said.at(-1)?.text) said.push({ at: performance.now(), text: now })
        }
      }).observe(document.body, { subtree: true, childList: true, characterData: true })
    })
    await page.keyboard.type('/btw HEARD?')
    await page.keyboard.press('Enter')
    await button(overlay(page, 'HEARD?'), 'Retry').waitFor()
    await expect
      .poll(() => page.evaluate(() => (window as unknown as { said: { text: string }[] }).said.at(-1)?.text))
      .toBe('Answer complete')
    const said = await page.evaluate(() => (window as unknown as { said: { at: number; text: string }[] }).said)
    expect(said.map((one) => one.text).filter((one) => one !== 'thinking')).toEqual(['Answering', 'Answer complete'])
    for (const [at, one] of said.entries()) expect(one.at - (said[at - 1]?.at ?? -Infinity)).toBeGreaterThan(900)
    expect(await overlay(page).locator('[aria-live], [role="status"], [role="alert"]').count()).toBe(1)
  })
})
