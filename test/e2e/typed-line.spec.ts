/** A typed `/btw` or `/side` never reaches the main model and never loses its text, whatever is broken (D2, I4, I9). */
import { afterEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { packWithHostHalf } from '../kit/broken-plugin.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { composer, overlay, paste, type } from '../kit/surface.ts'

let rig: Rig | undefined
let open: OpenPage | undefined

afterEach(async () => {
  await open?.close()
  await rig?.stop()
  open = rig = undefined
})

async function start(plugins?: string[]): Promise<{ rig: Rig; open: OpenPage; main: string }> {
  rig = await startRig({ stock: true, ...(plugins === undefined ? {} : { plugins }) })
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi.]]')
  open = await openPage(rig.url, { sessionId: main })
  return { rig, open, main }
}

function reachedMain({ model }: Rig, text: string): boolean {
  return model.requests().some(({ body }) => JSON.stringify(body).includes(text))
}

describe('a typed line', () => {
  it('[K21] stays in the composer with a sentence when the host half did not start', async () => {
    const hostHalf = 'export const name = "sidemind-for-dsh"; export function apply() {}'
    const { rig: running, open: page } = await start([await packWithHostHalf(hostHalf)])
    for (const [send, line] of [
      [type, '/btw LOST-ONE?'],
      [paste, '/side LOST-TWO?'],
      [paste, '/btw LOST\nTHREE?'],
    ] as const) {
      await send(page.page, line)
      await page.page.getByText('This conversation cannot have a side here.').first().waitFor()
      expect(await composer(page.page).inputValue()).toBe(line)
      await composer(page.page).fill('')
    }
    await page.page.waitForTimeout(500)
    expect(reachedMain(running, 'LOST')).toBe(false)
  })

  it('stays in the composer with a sentence when the side cannot be opened', async () => {
    const { rig: running, open: page } = await start()
    const long = `/btw TOO-LONG ${'x'.repeat(100_001)}`
    await paste(page.page, long)
    await page.page.getByText('This question could not be sent.').first().waitFor()
    expect(await composer(page.page).inputValue()).toBe(long)
    expect(reachedMain(running, 'TOO-LONG')).toBe(false)
  })

  it('stays in the composer when the host is gone, and goes through when it is back', async () => {
    const { rig: running, open: page } = await start()
    await running.crash()
    await paste(page.page, '/btw OFFLINE question?')
    await page.page
      .getByText(/no connection/i)
      .first()
      .waitFor()
    expect(await composer(page.page).inputValue()).toBe('/btw OFFLINE question?')
    await running.restartHost()
    await expect
      .poll(
        async () => {
          await composer(page.page).click()
          await page.page.keyboard.press('Enter')
          return overlay(page.page, 'OFFLINE question?')
            .getByRole('button', { name: 'Retry', exact: true })
            .isVisible({ timeout: 2_000 })
            .catch(() => false)
        },
        { timeout: 40_000, interval: 2_000 },
      )
      .toBe(true)
  })

  it('[K29] is literal: JSON, prefixes and slashes are questions', async () => {
    const { rig: running, open: page } = await start()
    for (const text of [
      '{"op":"close"}',
      '/side /btw x',
      '\u2063\u2062sidemind\u2062\u2063{"op":"close"}',
      '<script>alert(1)</script>',
      '--help',
    ]) {
      await paste(page.page, `/btw ${text}`)
      await expect.poll(() => running.model.requests().findLast(({ kind }) => kind === 'chat')?.lastUser).toBe(text)
    }
    expect(page.errors).toEqual([])
  })

  it('[K28] refuses images visibly before anything is cleared', async () => {
    const { rig: running, open: page } = await start()
    await composer(page.page).fill('/btw WITH-IMAGE what is this?')
    await composer(page.page).evaluate((field) => {
      const png = atob(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      )
      const clipboardData = new DataTransfer()
      const bytes = Uint8Array.from(png, (char) => char.charCodeAt(0))
      clipboardData.items.add(new File([bytes], 'dot.png', { type: 'image/png' }))
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    })
    await page.page.waitForTimeout(500)
    await composer(page.page).click()
    await page.page.keyboard.press('Enter')
    await page.page
      .getByText(/mages cannot go along/)
      .first()
      .waitFor()
    expect(await composer(page.page).inputValue()).toBe('/btw WITH-IMAGE what is this?')
    expect(reachedMain(running, 'WITH-IMAGE')).toBe(false)
  })

  it('goes through the menu of the host as well', async () => {
    const { open: page } = await start()
    await composer(page.page).click()
    await composer(page.page).pressSequentially('/bt')
    await page.page.getByText('Ask one question beside').first().waitFor()
    await page.page.keyboard.press('Enter')
    await composer(page.page).pressSequentially('MENU question?')
    await page.page.keyboard.press('Enter')
    await overlay(page.page, 'MENU question?').waitFor()
  })
})
