/** What people ran into elsewhere, as they would meet it here: chips and pastes, closing by mistake, hidden sides, a full
 *  context. In a browser on the real host, in the native right sidebar, with a short window to undo. */
import type { Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { packWithConfig } from '../kit/broken-plugin.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, composer, overlay, paste, side, type } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string

beforeAll(async () => {
  rig = await startRig({ plugins: [await packWithConfig({ undoSeconds: 3, parkedMinutes: 12 })] })
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

function asked(text: string): string[] {
  return rig.model
    .requests()
    .filter(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
    .map(({ lastUser }) => lastUser ?? '')
}

describe('what is typed into main’s composer', () => {
  /** Types a line, picks a file from the menu, types on, and sends. The composer shows the file's name only. */
  async function sendWithChip(before: string): Promise<void> {
    await composer(open.page).click()
    await composer(open.page).pressSequentially(`${before} @harb`)
    await open.page.getByText('· harbours.js').first().waitFor()
    await open.page.keyboard.press('Enter')
    await expect.poll(() => composer(open.page).inputValue()).toBe(`${before} @harbours.js `)
    await composer(open.page).pressSequentially('please')
    await open.page.keyboard.press('Enter')
  }

  it('[K27] sends what a chip stands for, as main would get it', async () => {
    await sendWithChip('MAIN-CHIP')
    await expect.poll(() => asked('MAIN-CHIP')).toEqual(['MAIN-CHIP @src/harbours.js please'])
    for (const kind of ['btw', 'side']) {
      await sendWithChip(`/${kind} SIDE-CHIP-${kind}`)
      await expect.poll(() => asked(`SIDE-CHIP-${kind}`)).toEqual([`SIDE-CHIP-${kind} @src/harbours.js please`])
    }
  })

  it('[K31] takes a long paste along whole, while main streams', async () => {
    rig.model.script({
      match: 'MAIN-STREAMS',
      behaviour: { kind: 'gate', name: 'main', before: 'Main writes. '.repeat(20), after: 'Done.' },
    })
    await rig.prompt(main, 'MAIN-STREAMS please')
    await open.page.locator('[data-chat-flow]').getByText('Main writes.').first().waitFor()
    const pasted = Array.from({ length: 400 }, (_, at) => `line ${at}: the tide stands at ${at * 7} cm`).join('\n')
    await composer(open.page).click()
    await composer(open.page).pressSequentially('/btw PASTED what is wrong here? ')
    await composer(open.page).evaluate((field, text) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', text)
      field.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true }))
    }, pasted)
    await open.page.keyboard.press('Enter')
    await button(overlay(open.page), 'Retry').waitFor()
    expect(asked('PASTED')).toEqual([`PASTED what is wrong here? ${pasted}`])
    rig.model.release('main')
    await open.page.locator('[data-chat-flow]').getByText('Done.').waitFor()
  })
})

describe('a side', () => {
  const tab = (title: string): Locator => open.page.getByRole('tab', { name: new RegExp(title) })
  const row = (): Locator => open.page.locator('[data-chat-flow]').getByText('side conversation')

  it('[K32] says beforehand that it is temporary, comes back with Undo, and is in Recent afterwards', async () => {
    await paste(open.page, '/side MISTAKE? [[plain Worth keeping.]]')
    const panel = side(open.page)
    await panel.getByText('Worth keeping.', { exact: true }).waitFor()
    await panel.getByText('not stored').waitFor()
    await button(panel, 'About this side').click()
    await panel.getByText(/^It ends when you close it \(undo for/).waitFor()
    await open.page.keyboard.press('Escape')

    await tab('MISTAKE').getByRole('button', { name: 'Close' }).click()
    await open.page.getByRole('button', { name: 'Undo' }).click()
    await side(open.page).getByText('Worth keeping.', { exact: true }).waitFor()

    await tab('MISTAKE').getByRole('button', { name: 'Close' }).click()
    await open.page.getByRole('button', { name: 'Undo' }).waitFor()
    const closed = Date.now()
    await open.page.getByRole('button', { name: 'Undo' }).waitFor({ state: 'detached' })
    // The window that the host was configured with, not the usual eight seconds.
    expect(Date.now() - closed).toBeLessThan(7_000)
    await type(open.page, '/side')
    const empty = open.page.locator('[data-sidemind]').getByText('Recent').first()
    await empty.waitFor()
    await open.page
      .locator('[data-sidemind]')
      .getByText(/^MISTAKE/)
      .first()
      .click()
    await open.page.locator('[data-sidemind]').getByText('Worth keeping.', { exact: true }).waitFor()
  })

  it('[K33] shows when it ends once it is hidden, and never while it is seen', async () => {
    await paste(open.page, '/side PARKED? [[plain Here to stay.]]')
    await side(open.page).getByText('Here to stay.', { exact: true }).waitFor()
    expect(await row().locator('..').innerText()).not.toContain('ends in')
    await open.page
      .getByRole('button', { name: /collapse|hide|close.*sidebar/i })
      .last()
      .click()
    // The host's own configuration, counted by the page.
    await open.page.locator('[data-chat-flow]').getByText('ends in 12 min').waitFor()
    await row().click()
    await side(open.page).getByText('Here to stay.', { exact: true }).filter({ visible: true }).waitFor()
    await open.page.locator('[data-chat-flow]').getByText('ends in').waitFor({ state: 'detached' })
  })

  it('[K05] compacts at most once a turn, and says the way out when it does not fit even so', async () => {
    // Every step after a tool's result is too long again, however often the conversation is shortened.
    rig.model.script({
      match: 'FULL',
      behaviour: {
        kind: 'tool',
        calls: [{ name: 'read', arguments: { file_path: 'README.md' } }],
        after: { kind: 'overflow' },
      },
    })
    await paste(open.page, '/side FULL?')
    const panel = side(open.page)
    await panel.getByText('The conversation is too long for the model.').first().waitFor({ timeout: 30_000 })
    const compactions = rig.model.requests().filter(({ kind }) => kind === 'compaction')
    expect(compactions).toHaveLength(1)
    // The next turn may be shortened once more, and works.
    rig.model.clear()
    await askIn(panel, 'AND-NOW? [[plain It fits.]]')
    await panel.getByText('It fits.', { exact: true }).waitFor()
    await rig.ask(main, 'Main afterwards. [[plain Fine.]]')
  })
})
