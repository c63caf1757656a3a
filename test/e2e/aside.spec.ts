/** What goes between main and the surfaces: quoting main's text, going on as a side, bringing an answer back. */
import type { Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, composer, overlay, side, type } from '../kit/surface.ts'

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
  await rig.ask(main, 'Hello. [[plain The **first** lock file is old.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await said().waitFor()
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

function flow(): Locator {
  return open.page.locator('[data-chat-flow]')
}

/** What main answered first. */
function said(): Locator {
  return flow().locator('p').filter({ hasText: 'lock file is old.' })
}

/** Selects the text of an element with the mouse, as three clicks do. */
async function select(text: Locator): Promise<void> {
  await text.click({ clickCount: 3 })
}

/** The card before its first question. */
function askBox(): Locator {
  return open.page.locator('[data-sidemind]').getByRole('region', { name: 'Ask by the way' })
}

/** An answer's paragraph on one of our surfaces. */
function answer(text: string): Locator {
  return open.page.locator('[data-sidemind] [data-answer] p').filter({ hasText: text })
}

function bar(): Locator {
  return open.page.locator('[data-sidemind]').getByRole('toolbar')
}

function asked(text: string) {
  return rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
}

describe('a quotation of main', () => {
  it('[K08] is frozen when it is asked about, while main goes on writing', async () => {
    rig.model.script({
      match: 'MAIN-STREAMS',
      behaviour: { kind: 'gate', name: 'main', before: 'Frozen words', after: ' that grow. Main is done.' },
    })
    await rig.prompt(main, 'MAIN-STREAMS please')
    await flow().getByText('Frozen words').waitFor()
    await select(flow().getByText('Frozen words'))
    await button(bar(), 'Ask aside').waitFor()
    // Main writes on: the browser drops the selection, what was picked stays.
    rig.model.release('main')
    await flow().getByText('Main is done.').waitFor()
    await button(bar(), 'Ask aside').click()
    await askBox().getByRole('group', { name: 'Quoted' }).getByText('Frozen words', { exact: true }).waitFor()
    expect(await bar().count()).toBe(0)
    await open.page.keyboard.type('QUOTED what does it mean? [[plain It means cold.]]')
    await open.page.keyboard.press('Enter')
    const card = overlay(open.page)
    await card.getByText('It means cold.', { exact: true }).waitFor()
    expect(asked('QUOTED')?.lastUser).toContain('> Frozen words\n\nQUOTED what does it mean?')
    expect(await card.getAttribute('aria-label')).toMatch(/^btw: QUOTED/)
    // Main heard nothing of it.
    await rig.ask(main, 'Main goes on. [[plain Fine.]]')
    expect(JSON.stringify(asked('Main goes on.')?.body)).not.toContain('QUOTED')
  })

  it('[K08] is reached with Tab, left with Esc, removed with its button, and never offered for a text field', async () => {
    await select(said())
    await button(bar(), 'Ask aside').waitFor()
    await open.page.keyboard.press('Tab')
    await expect.poll(() => open.page.evaluate(() => document.activeElement?.textContent)).toBe('Ask aside')
    await open.page.keyboard.press('Escape')
    await bar().waitFor({ state: 'detached' })

    await select(said())
    await button(bar(), 'Ask aside').waitFor()
    await open.page.keyboard.press('Tab')
    await open.page.keyboard.press('Enter')
    const quote = askBox().getByRole('group', { name: 'Quoted' })
    await quote.getByText('The first lock file is old.').waitFor()
    await button(quote, 'Remove the quote').click()
    await quote.waitFor({ state: 'detached' })
    await open.page.keyboard.type('UNQUOTED [[plain Yes.]]')
    await open.page.keyboard.press('Enter')
    await overlay(open.page).getByText('Yes.', { exact: true }).waitFor()
    expect(asked('UNQUOTED')?.lastUser).not.toContain('>')

    await composer(open.page).fill('typed in main')
    await composer(open.page).selectText()
    await open.page.waitForTimeout(400)
    expect(await bar().count()).toBe(0)
    await select(overlay(open.page).locator('span', { hasText: 'UNQUOTED' }).first())
    await open.page.waitForTimeout(400)
    expect(await bar().count()).toBe(0)
  })

  it('[K08] of a whole message comes from its own action, as Markdown', async () => {
    await said().hover()
    await flow().getByRole('button', { name: 'Ask aside about this message' }).click()
    await open.page.keyboard.type('WHOLE message? [[plain Right.]]')
    await open.page.keyboard.press('Enter')
    await overlay(open.page).getByText('Right.', { exact: true }).waitFor()
    expect(asked('WHOLE')?.lastUser).toContain('> The **first** lock file is old.\n\nWHOLE message?')
  })

  it('[K08] goes into a side instead, as the ask box’s second choice', async () => {
    await select(said())
    await button(bar(), 'Ask aside').click()
    await open.page.keyboard.type('AS-SIDE why?')
    await button(askBox(), 'Continue as side').click()
    const panel = side(open.page, 'New side')
    await panel.getByRole('group', { name: 'Quoted' }).getByText('lock file is old.').waitFor()
    expect(await panel.getByRole('textbox').inputValue()).toBe('AS-SIDE why?')
    expect(await overlay(open.page).count()).toBe(0)
    await panel.getByRole('textbox').press('Enter')
    await expect.poll(() => asked('AS-SIDE')?.lastUser ?? '').toContain('> The first lock file is old.\n\nAS-SIDE why?')
    await side(open.page, 'AS-SIDE why?').waitFor()
  })
})

describe('an answer', () => {
  it('[K35] goes into main’s draft in part, behind what is there, with the caret at its end', async () => {
    await type(open.page, '/btw SHORT answer? [[plain Take the second one.]]')
    await button(overlay(open.page), /^Retry$/).waitFor()
    await composer(open.page).fill('Use this:')
    const before = (await rig.history(main)).length
    await select(answer('Take the second one.'))
    await button(bar(), 'Add to draft').click()
    await expect.poll(() => composer(open.page).inputValue()).toBe('Use this:\n\nTake the second one.')
    await expect.poll(() => composer(open.page).evaluate((field) => document.activeElement === field)).toBe(true)
    await open.page.keyboard.type(' Please.')
    expect(await composer(open.page).inputValue()).toBe('Use this:\n\nTake the second one. Please.')
    expect((await rig.history(main)).length).toBe(before)
  })

  it('of a side is quoted in that side’s next question', async () => {
    await type(open.page, '/side FIRST question? [[plain A word to ask about.]]')
    const panel = side(open.page)
    await answer('A word to ask about.').waitFor()
    await button(panel, /^Retry$/).waitFor()
    await select(answer('A word to ask about.'))
    await button(bar(), 'Ask about this').click()
    await panel.getByRole('group', { name: 'Quoted' }).getByText('A word to ask about.').waitFor()
    await open.page.keyboard.type('FOLLOW-UP which word? [[plain That one.]]')
    await open.page.keyboard.press('Enter')
    await panel.getByText('That one.', { exact: true }).waitFor()
    expect(asked('FOLLOW-UP')?.lastUser).toContain('> A word to ask about.\n\nFOLLOW-UP which word?')
  })
})

describe('what main waits for', () => {
  it('[K16] can be asked about with one click, above it and in a side, and goes on waiting', async () => {
    rig.model.script({
      match: 'MAIN-ASKS',
      behaviour: {
        kind: 'tool',
        calls: [
          {
            name: 'ask_user_question',
            arguments: {
              questions: [
                { id: 'q', question: 'Which file is meant?', options: [{ label: 'a.txt' }, { label: 'b.txt' }] },
              ],
            },
          },
        ],
        after: 'Thanks.',
      },
    })
    await type(open.page, '/side BESIDE? [[plain Yes.]]')
    const panel = side(open.page)
    await button(panel, /^Retry$/).waitFor()
    await rig.prompt(main, 'MAIN-ASKS something')
    await open.page.getByRole('button', { name: 'Submit' }).waitFor()
    const before = await rig.history(main)

    await open.page.locator('[data-sidemind]').getByRole('button', { name: 'Ask aside' }).last().waitFor()
    await button(panel, 'Ask aside').click()
    await panel.getByRole('group', { name: 'Quoted' }).getByText('Which file is meant?').waitFor()
    await open.page.keyboard.type('IN-SIDE what would you say? [[plain Take a.]]')
    await open.page.keyboard.press('Enter')
    await answer('Take a.').waitFor()
    expect(asked('IN-SIDE')?.lastUser).toContain('> Which file is meant?\n> - a.txt\n> - b.txt\n\nIN-SIDE')

    await open.page.locator('[data-sidemind] [data-ask-pending]').getByRole('button').click()
    await askBox().getByRole('group', { name: 'Quoted' }).getByText('Which file is meant?').waitFor()
    await open.page.keyboard.type('ABOVE-IT which one? [[plain Take b.]]')
    await open.page.keyboard.press('Enter')
    await answer('Take b.').waitFor()

    const own = (events: readonly { type: string }[]) => events.filter(({ type: kind }) => !kind.startsWith('command/'))
    expect(own(await rig.history(main))).toEqual(own(before))
    await open.page.getByText('a.txt', { exact: true }).last().click()
    await open.page.getByRole('button', { name: 'Submit' }).click()
    await flow().getByText('Thanks.').waitFor()
  })
})

describe('main’s later turns', () => {
  it('are counted in the side, go along with its next question once, and survive a reload', async () => {
    await type(open.page, '/side EARLY? [[plain Early answer.]]')
    const panel = side(open.page)
    await button(panel, /^Retry$/).waitFor()
    await rig.ask(main, 'LATER one. [[plain The port is 8123.]]')
    await rig.ask(main, 'LATER two. [[tool:read {"file_path":"README.md"}]]')
    await panel.getByText('main is 2 turns ahead').waitFor()
    await button(panel, 'Add them').click()
    await panel.getByText('goes along with your next question').waitFor()
    await askIn(panel, 'CAUGHT-UP which port? [[plain 8123 it is.]]')
    await answer('8123 it is.').waitFor()
    await panel.getByText('ahead').waitFor({ state: 'detached' })
    const text = JSON.stringify(asked('CAUGHT-UP')?.body)
    expect(text).toContain('> LATER one.')
    expect(text).toContain('> The port is 8123.')
    expect(text).toContain('> read README.md')
    expect(text.indexOf('Early answer.')).toBeLessThan(text.indexOf('> The port is 8123.'))
    // On screen it is the question alone.
    expect(await panel.innerText()).not.toContain('The main conversation has gone on')

    await open.page.reload()
    await answer('8123 it is.').waitFor()
    expect(await side(open.page).getByText('ahead').count()).toBe(0)
    await askIn(side(open.page), 'AFTERWARDS and now? [[plain Still.]]')
    await answer('Still.').waitFor()
    const later = JSON.stringify(asked('AFTERWARDS')?.body)
    expect(later.split('> The port is 8123.')).toHaveLength(2)
    await rig.ask(main, 'LATER three. [[plain Fine.]]')
    expect(JSON.stringify(asked('LATER three')?.body)).not.toContain('gone on since this side')
    await side(open.page).getByText('main is 1 turn ahead').waitFor()
  })
})
