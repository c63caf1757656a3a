/** Between main and the surfaces, as people ran into it: selecting by touch, a pending approval, ways back to sides that began
 *  as something else. In a browser on the real host, in the native right sidebar, with a short window to undo. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { packWithConfig } from '../kit/broken-plugin.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, composer, overlay, paste, side } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string

beforeAll(async () => {
  rig = await startRig({ plugins: [await packWithConfig({ undoSeconds: 3 })] })
})
afterAll(() => rig?.stop())

beforeEach(async () => {
  rig.model.clear()
  main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain The **first** lock file is old.]]')
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

async function openDesk(): Promise<void> {
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await said().waitFor()
}

const flow = (): Locator => open.page.locator('[data-chat-flow]')
/** What main answered first. */
const said = (): Locator => flow().locator('p').filter({ hasText: 'lock file is old.' })
const ours = (): Locator => open.page.locator('[data-sidemind]')
const bar = (): Locator => ours().getByRole('toolbar')
const askBox = (): Locator => ours().getByRole('region', { name: 'Ask by the way' })
const quoted = (within: Locator): Locator => within.getByRole('group', { name: 'Quoted' })
const answer = (text: string): Locator => open.page.locator('[data-sidemind] [data-answer] p').filter({ hasText: text })
const undo = (): Locator => open.page.getByRole('button', { name: 'Undo' })

const asked = (text: string) =>
  rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))

async function closeTab(title: string): Promise<void> {
  await open.page
    .getByRole('tab', { name: new RegExp(title) })
    .getByRole('button', { name: 'Close' })
    .click()
  await undo().waitFor()
}

async function closeForGood(title: string): Promise<void> {
  await closeTab(title)
  await undo().waitFor({ state: 'detached' })
}

/** Opens the text of a closed side from the list in an empty one. */
async function readRecent(title: string): Promise<Locator> {
  await paste(open.page, '/side')
  const empty = side(open.page, 'New side')
  await empty.getByText('Recent').waitFor()
  await button(empty, new RegExp(`^${title}`)).click()
  return empty
}

describe('on a phone', () => {
  /** What a held finger leaves: the press is taken by the browser, words are selected, and its handles move their ends. */
  async function hold(text: Locator, ...ends: readonly number[]): Promise<void> {
    const box = await text.boundingBox()
    if (box === null) throw new Error('nothing to hold')
    const cdp = await open.page.context().newCDPSession(open.page)
    const point = { x: box.x + 20, y: box.y + box.height / 2 }
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] })
    for (const end of ends)
      await text.evaluate((element, to) => {
        const first = document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode()
        if (first !== null) document.getSelection()?.setBaseAndExtent(first, 0, first, to)
      }, end)
    await cdp.send('Input.dispatchTouchEvent', { type: 'touchCancel', touchPoints: [] })
    await cdp.detach()
  }

  it('[K08] asks about words that were held while main writes them, frozen, with fingers alone', async () => {
    open = await openPage(rig.url, {
      sessionId: main,
      viewport: { width: 390, height: 800 },
      hasTouch: true,
      isMobile: true,
    })
    await said().waitFor()
    rig.model.script({
      match: 'MAIN-STREAMS',
      behaviour: { kind: 'gate', name: 'main', before: 'Frozen words stand here', after: ' and grow. Main is done.' },
    })
    await rig.prompt(main, 'MAIN-STREAMS please')
    const streaming = flow().locator('p', { hasText: 'Frozen words' })
    await streaming.waitFor()
    await hold(streaming, 'Frozen'.length, 'Frozen words'.length)
    const ask = button(bar(), 'Ask aside')
    await ask.waitFor()
    const target = await ask.boundingBox()
    expect(target?.height).toBeGreaterThanOrEqual(44)
    // The phone has its own bar above the words.
    expect(target?.y).toBeGreaterThan((await streaming.boundingBox())?.y ?? Infinity)
    rig.model.release('main')
    await flow().getByText('Main is done.').waitFor()
    await ask.tap()
    await quoted(askBox()).getByText('Frozen words', { exact: true }).waitFor()
    await askBox().getByRole('textbox').fill('TOUCHED what is it? [[plain It is cold.]]')
    await button(askBox(), 'Send').tap()
    await answer('It is cold.').waitFor()
    expect(asked('TOUCHED')?.lastUser).toContain('> Frozen words\n\nTOUCHED what is it?')

    // An answer of ours too, into main's draft.
    await hold(answer('It is cold.'), 'It is'.length)
    await button(bar(), 'Add to draft').tap()
    await expect.poll(() => composer(open.page).inputValue()).toBe('It is')
  })
})

describe('main', () => {
  it('[K15] [K16] waits for an approval: said quietly, asked about with one click, and still waiting after every Esc', async () => {
    await openDesk()
    const file = join(rig.home, 'allowed.txt')
    rig.model.script({
      match: 'MAIN-WRITES',
      behaviour: {
        kind: 'tool',
        calls: [
          {
            name: 'write',
            arguments: {
              file_path: file,
              content: 'written',
              sandbox_permissions: 'danger-full-access',
              justification: 'To keep it.',
            },
          },
        ],
        after: 'Main has written.',
      },
    })
    await paste(open.page, '/side BESIDE? [[plain Yes.]]')
    const panel = side(open.page)
    await button(panel, 'Retry').waitFor()
    const field = panel.getByRole('textbox', { name: 'Question' })
    await field.click()
    await open.page.keyboard.type('half a ')
    await rig.prompt(main, 'MAIN-WRITES something')
    await panel.getByText('main needs your approval').waitFor()
    const before = await rig.history(main)
    // The keyboard stays where somebody is typing.
    await open.page.keyboard.type('thought ')
    expect(await field.inputValue()).toBe('half a thought ')

    await button(panel, 'Ask aside').click()
    await quoted(panel).getByText('To keep it.').first().waitFor()
    await open.page.keyboard.type('IN-SIDE is it safe? [[plain It is.]]')
    await open.page.keyboard.press('Enter')
    await answer('It is.').waitFor()
    expect(asked('IN-SIDE')?.lastUser).toMatch(/^> write\n> .*To keep it\.\n> \{\n/)
    expect(asked('IN-SIDE')?.lastUser).toContain('allowed.txt')

    await open.page.locator('[data-sidemind] [data-ask-pending]').getByRole('button').click()
    await quoted(askBox()).getByText('To keep it.').first().waitFor()
    rig.model.script({ match: 'ABOVE-IT', behaviour: { kind: 'stall', text: 'It only writes' } })
    await open.page.keyboard.type('ABOVE-IT what does it do?')
    await open.page.keyboard.press('Enter')
    await overlay(open.page).getByText('It only writes').waitFor()
    await open.page.keyboard.press('Escape')
    await overlay(open.page).getByText('stopped', { exact: true }).first().waitFor()
    for (let times = 3; times > 0; times -= 1) await open.page.keyboard.press('Escape')
    await overlay(open.page).waitFor({ state: 'detached' })

    const own = (events: readonly { type: string }[]) => events.filter(({ type: kind }) => !kind.startsWith('command/'))
    expect(own(await rig.history(main))).toEqual(own(before))
    await panel.getByText('main needs your approval').waitFor()
    await open.page.getByRole('button', { name: 'Allow once' }).click()
    await flow().getByText('Main has written.').waitFor()
    expect(await readFile(file, 'utf8')).toBe('written')
  })

  it('[K15] fails, and a side says so without taking the keyboard', async () => {
    await openDesk()
    await paste(open.page, '/side BESIDE? [[plain Yes.]]')
    const panel = side(open.page)
    await button(panel, 'Retry').waitFor()
    const field = panel.getByRole('textbox', { name: 'Question' })
    await field.click()
    rig.model.script({ match: 'MAIN-FAILS', behaviour: { kind: 'status', status: 401 } })
    await rig.prompt(main, 'MAIN-FAILS now')
    await button(panel, /^main has failed/).waitFor({ timeout: 30_000 })
    await open.page.keyboard.type('still here')
    expect(await field.inputValue()).toBe('still here')
  })

  it('[K25] goes on when Esc is pressed in a side’s composer, whether the side answers or not', async () => {
    await openDesk()
    rig.model.script([
      {
        match: 'MAIN-STREAMS',
        behaviour: { kind: 'gate', name: 'main', before: 'Main writes', after: ' to its end.' },
      },
      { match: 'SIDE-STREAMS', behaviour: { kind: 'stall', text: 'A side begins' } },
    ])
    await rig.prompt(main, 'MAIN-STREAMS please')
    await flow().getByText('Main writes').waitFor()
    await paste(open.page, '/side SIDE-STREAMS?')
    const panel = side(open.page)
    await panel.getByText('A side begins').waitFor()
    await panel.getByRole('textbox', { name: 'Question' }).click()
    await open.page.keyboard.press('Escape')
    await panel.getByText('stopped', { exact: true }).waitFor()
    for (let times = 3; times > 0; times -= 1) await open.page.keyboard.press('Escape')
    await expect.poll(() => asked('SIDE-STREAMS')?.aborted).toBe(true)
    expect(asked('MAIN-STREAMS')?.aborted).toBe(false)
    rig.model.release('main')
    await flow().getByText('Main writes to its end.').waitFor()
    const end = (await rig.history(main)).findLast(({ type: kind }) => kind === 'turn/end')
    expect(end?.data).toMatchObject({ reason: { kind: 'completed' } })
  })

  it('[K35] gets a whole answer behind what is in its draft, while it works, and is not told', async () => {
    await openDesk()
    rig.model.script({
      match: 'MAIN-STREAMS',
      behaviour: { kind: 'gate', name: 'main', before: 'Main writes', after: ' to its end.' },
    })
    await rig.prompt(main, 'MAIN-STREAMS please')
    await flow().getByText('Main writes').waitFor()
    await paste(open.page, '/side SUMMARY? [[plain Use **npm**.]]')
    const panel = side(open.page)
    await button(panel, 'Retry').waitFor()
    await composer(open.page).fill('Then do this:')
    await button(panel, 'Add to draft').click()
    await expect.poll(() => composer(open.page).inputValue()).toBe('Then do this:\n\nUse **npm**.')
    await open.page.keyboard.type(' Now.')
    expect(await composer(open.page).inputValue()).toBe('Then do this:\n\nUse **npm**. Now.')
    rig.model.release('main')
    await flow().getByText('Main writes to its end.').waitFor()
    const told = (await rig.history(main)).filter(({ type: kind }) => kind === 'user/message')
    expect(JSON.stringify(told)).not.toContain('npm')
    await composer(open.page).press('Enter')
    await expect.poll(() => asked('Then do this:')?.lastUser).toBe('Then do this:\n\nUse **npm**. Now.')
  })
})

describe('the way back', () => {
  it('[K32] leads to a side that began as a card, alive with Undo and as text afterwards, by the list and by a search', async () => {
    await openDesk()
    await paste(open.page, '/btw WHICH file? [[plain Which one do you mean?]]')
    await button(overlay(open.page), 'Retry').waitFor()
    await button(overlay(open.page), 'Continue as side').click()
    await answer('Which one do you mean?').waitFor()
    await closeTab('WHICH file')
    await undo().click()
    await answer('Which one do you mean?').waitFor()
    await expect
      .poll(() => open.page.evaluate(() => document.activeElement?.closest('[data-sidemind-side]') != null))
      .toBe(true)
    await askIn(side(open.page), 'THE-FIRST [[plain Thank you.]]')
    await answer('Thank you.').waitFor()
    expect(JSON.stringify(asked('THE-FIRST')?.body)).toContain('Which one do you mean?')
    await closeForGood('WHICH file')
    const read = await readRecent('WHICH file')
    await read.getByText('Which one do you mean?', { exact: true }).waitFor()
    await read.getByText('Thank you.', { exact: true }).waitFor()
    // An empty one has nothing that could be undone.
    await open.page.getByRole('tab', { name: 'Side', selected: true }).getByRole('button', { name: 'Close' }).click()
    await read.waitFor({ state: 'detached' })

    // Where no side is on screen a search in the card opens one for it.
    await paste(open.page, '/btw')
    await button(askBox(), 'Find in sides').click()
    const search = open.page.getByRole('dialog', { name: 'Find in sides' })
    await search.getByRole('searchbox').fill('thank')
    await search.getByText('1 found').waitFor()
    await open.page.keyboard.press('Enter')
    await side(open.page).getByText('Thank you.', { exact: true }).waitFor()
  })

  it('[K32] [K08] keeps what was quoted: with Undo, in the list, and when it is asked again', async () => {
    await openDesk()
    await said().click({ clickCount: 3 })
    await button(bar(), 'Ask aside').click()
    await open.page.keyboard.type('ASIDE why? [[plain Because.]]')
    await button(askBox(), 'Continue as side').click()
    await quoted(side(open.page, 'New side')).getByText('lock file is old.').waitFor()
    // Not sent yet.
    await open.page.getByRole('tab', { name: 'Side', selected: true }).getByRole('button', { name: 'Close' }).click()
    await undo().click()
    const panel = side(open.page, 'New side')
    await quoted(panel).getByText('lock file is old.').waitFor()
    const field = panel.getByRole('textbox', { name: 'Question' })
    expect(await field.inputValue()).toBe('ASIDE why? [[plain Because.]]')
    await field.press('Enter')
    await answer('Because.').waitFor()
    // Up brings it back as it was typed.
    const now = side(open.page)
    await now.getByRole('textbox', { name: 'Question' }).press('ArrowUp')
    expect(await now.getByRole('textbox', { name: 'Question' }).inputValue()).toBe('ASIDE why? [[plain Because.]]')
    await button(now, 'Remove the quote').waitFor()
    await now.getByRole('textbox', { name: 'Question' }).fill('')
    await button(now, 'Remove the quote').click()

    await closeForGood('ASIDE why')
    const read = await readRecent('ASIDE why')
    await answer('Because.').waitFor()
    await quoted(read).getByText('lock file is old.').waitFor()
    await button(read, 'Start again').click()
    expect(await read.getByRole('textbox', { name: 'Question' }).inputValue()).toBe('ASIDE why? [[plain Because.]]')
    await button(read, 'Remove the quote').waitFor()
    await read.getByRole('textbox', { name: 'Question' }).press('Enter')
    await expect
      .poll(() => rig.model.requests().filter(({ lastUser }) => lastUser?.includes('ASIDE why?')).length)
      .toBe(2)
    expect(asked('ASIDE why?')?.lastUser).toContain('> The first lock file is old.\n\nASIDE why?')
  })
})
