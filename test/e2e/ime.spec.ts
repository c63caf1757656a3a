/** Composing with candidates that Enter confirms never sends, in main's composer and in ours, whatever shape the browser gives the
 *  event (K23). */
import type { CDPSession, Locator, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { composer, overlay, paste, side } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let input: CDPSession

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())
beforeEach(async () => {
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  input = await open.page.context().newCDPSession(open.page)
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

/** An input method's window over the field, with `text` in it. */
async function compose(text: string): Promise<void> {
  for (let end = 1; end <= text.length; end += 1) {
    await input.send('Input.imeSetComposition', { text: text.slice(0, end), selectionStart: end, selectionEnd: end })
  }
}

async function enter(): Promise<void> {
  const key = { key: 'Enter', code: 'Enter', windowsVirtualKeyCode: 13, nativeVirtualKeyCode: 13 }
  await input.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', ...key })
  await input.send('Input.dispatchKeyEvent', { type: 'keyUp', ...key })
}

/** The Enter of input methods that end the composition first: not composing any more, and 229. */
function lateEnter(field: Locator): Promise<boolean> {
  return field.evaluate((element) => {
    const event = new KeyboardEvent('keydown', { key: 'Enter', code: 'Enter', bubbles: true, cancelable: true })
    Object.defineProperty(event, 'keyCode', { value: 229 })
    element.dispatchEvent(event)
    return event.isComposing
  })
}

/** The plain Enter that comes in the same moment as the end of the composition. */
function enterAtTheEnd(field: Locator): Promise<void> {
  return field.evaluate((element) => {
    element.dispatchEvent(new CompositionEvent('compositionend', { bubbles: true, data: '你好' }))
    const init = { key: 'Enter', code: 'Enter', keyCode: 13, bubbles: true, cancelable: true }
    element.dispatchEvent(new KeyboardEvent('keydown', init))
  })
}

function asked(text: string): boolean {
  return rig.model.requests().some(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
}

async function quiet(page: Page): Promise<void> {
  // Long enough for a request to leave if one were to.
  await page.waitForTimeout(400)
}

describe('[K23] an Enter that belongs to an input method', () => {
  it('sends nothing from a side’s composer, and the next one does', async () => {
    await paste(open.page, '/side')
    await side(open.page, 'New side').waitFor()
    const field = open.page.locator('[data-sidemind-side] textarea')
    await field.click()
    await open.page.keyboard.insertText('IME-SIDE ')
    await compose('nihao')
    expect(await field.inputValue()).toBe('IME-SIDE nihao')
    await enter()
    await quiet(open.page)
    expect(asked('IME-SIDE')).toBe(false)
    await input.send('Input.insertText', { text: '你好' })
    await lateEnter(field)
    await enterAtTheEnd(field)
    await quiet(open.page)
    expect(asked('IME-SIDE')).toBe(false)
    expect(await field.inputValue()).toContain('你好')
    await field.press('Enter')
    await expect.poll(() => asked('IME-SIDE')).toBe(true)
    expect(await field.inputValue()).toBe('')
  })

  it('sends nothing from main’s composer with a claimed line, and the next one does', async () => {
    const field = composer(open.page)
    await field.click()
    await field.pressSequentially('/btw IME-MAIN ')
    await compose('nihao')
    await enter()
    await quiet(open.page)
    expect(await overlay(open.page).count()).toBe(0)
    await input.send('Input.insertText', { text: '你好' })
    await lateEnter(field)
    await quiet(open.page)
    expect(await overlay(open.page).count()).toBe(0)
    await enterAtTheEnd(field)
    await quiet(open.page)
    expect(await overlay(open.page).count()).toBe(0)
    expect(asked('IME-MAIN')).toBe(false)
    await field.press('Enter')
    await overlay(open.page).waitFor()
    await expect.poll(() => asked('IME-MAIN')).toBe(true)
  })
})
