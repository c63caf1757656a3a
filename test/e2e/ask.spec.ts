/** A side that asks its person: in the side and nowhere else, on a real host whose configuration lists the question tool. */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { button, composer, overlay, side, type } from '../kit/surface.ts'

const CONFIGURED = `- id: sidemind-for-dsh
  config:
    tools: [read, grep, glob, ask_user_question]
`
const MANAGERS = {
  id: 'manager',
  question: 'Which manager is meant?',
  header: 'Lockfile',
  options: [{ label: 'npm' }, { label: 'pnpm', description: 'The one of this project.' }],
}
const FILES = {
  id: 'files',
  question: 'Which files matter?',
  options: [{ label: 'a.txt' }, { label: 'b.txt' }, { label: 'c.txt' }],
  multi_select: true,
}
const WHY = { id: 'why', question: 'What for?' }

const asks = (after: string, ...questions: readonly object[]): Behaviour => ({
  kind: 'tool',
  calls: [{ name: 'ask_user_question', arguments: { questions } }],
  after,
})

describe('a side that asks its person', () => {
  let rig: Rig
  let open: OpenPage
  let main: string
  let since: number

  beforeAll(async () => {
    rig = await startRig()
    await writeFile(join(rig.home, 'profiles/web/cordis.patch.yml'), CONFIGURED)
    await rig.restartHost()
  })
  afterAll(() => rig?.stop())

  beforeEach(async () => {
    rig.model.clear()
    since = rig.frames.all.length
    main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi there.]]')
    open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  })
  afterEach(async () => {
    await open.close()
    expect(open.errors).toEqual([])
  })

  /** What every page of the host was sent about questions in this test. */
  const askedOfPages = () => rig.frames.all.slice(since).filter((frame) => frame.type === 'question/requested')
  const prompt = () => side(open.page).getByRole('group', { name: 'It has a question' })
  /** How often the page shows these words outside of our surfaces. */
  const inMain = (words: string) =>
    open.page.evaluate(
      (text) =>
        [...document.querySelectorAll('body *')].filter(
          (one) =>
            one.closest('[data-sidemind]') === null && one.children.length === 0 && one.textContent?.includes(text),
        ).length,
      words,
    )

  it('T5 T6 asks inside the side while main asks too; each gets its own answer and neither ends the other', async () => {
    rig.model.script([
      { match: 'SIDE-ASKS', behaviour: asks('So it is settled.', MANAGERS, FILES, WHY) },
      { match: 'MAIN-ASKS', behaviour: asks('Main thanks.', { ...MANAGERS, question: 'Which one for main?' }) },
    ])
    await type(open.page, '/side SIDE-ASKS something')
    await prompt().waitFor()
    const other = await openPage(rig.url, { sessionId: main })
    // Main is as it was: its composer is there, and no page is asked.
    expect(await composer(open.page).isVisible()).toBe(true)
    expect(await inMain(MANAGERS.question)).toBe(0)
    expect(askedOfPages()).toEqual([])
    expect(await other.page.locator('body').innerText()).not.toContain(MANAGERS.question)
    await other.close()

    await rig.prompt(main, 'MAIN-ASKS something')
    await open.page.getByText('Which one for main?').waitFor()
    expect(await inMain(MANAGERS.question)).toBe(0)
    expect(askedOfPages()).toMatchObject([{ sessionId: main }])

    expect(await button(prompt(), /^Answer$/).isDisabled()).toBe(true)
    await prompt().getByRole('radio', { name: /^pnpm/ }).check()
    await prompt().getByRole('checkbox', { name: 'a.txt' }).check()
    await prompt().getByRole('checkbox', { name: 'c.txt' }).focus()
    await open.page.keyboard.press('Space')
    await prompt().getByRole('textbox', { name: 'Your answer' }).fill('To install it.')
    await open.page.keyboard.press('Enter')
    await prompt().waitFor({ state: 'detached' })
    await side(open.page).getByText('So it is settled.', { exact: true }).waitFor()
    const told = rig.model.requests().findLast(({ lastUser }) => lastUser?.includes('SIDE-ASKS'))
    expect(toolTexts(told?.body).map((text) => JSON.parse(text))).toEqual([
      {
        answers: [
          { id: 'manager', selected: ['pnpm'] },
          { id: 'files', selected: ['a.txt', 'c.txt'] },
          { id: 'why', selected: [], custom: 'To install it.' },
        ],
      },
    ])
    // The keyboard stays in the side.
    expect(await side(open.page).evaluate((one) => one.contains(document.activeElement))).toBe(true)

    // Main's question was pending all the time, and still is.
    expect(await open.page.getByText('Which one for main?').isVisible()).toBe(true)
    await open.page.getByText('npm', { exact: true }).first().click()
    await open.page.getByRole('button', { name: 'Submit' }).click()
    await open.page.getByText('Main thanks.').waitFor()
  })

  it('T5 [D7] keeps the prompt over a reload; Stop takes it away and brings typed words back', async () => {
    rig.model.script({ match: 'SIDE-ASKS', behaviour: asks('Never said.', WHY) })
    await type(open.page, '/side SIDE-ASKS something')
    await prompt().waitFor()
    await open.page.reload()
    await prompt().getByRole('textbox', { name: 'Your answer' }).fill('half an answer')
    await side(open.page).getByText('waiting for you').waitFor()
    await button(side(open.page), 'Stop').click()
    await side(open.page).getByText('stopped', { exact: true }).waitFor()
    await prompt().waitFor({ state: 'detached' })
    expect(await side(open.page).getByRole('textbox').last().inputValue()).toBe('half an answer')
    expect(askedOfPages()).toEqual([])
  })

  it('T5 lets a question be put aside, and goes on with the next question that the model has', async () => {
    rig.model.script({
      match: 'SIDE-ASKS',
      behaviour: { kind: 'tool', calls: [call(WHY)], after: { kind: 'tool', calls: [call(MANAGERS)], after: 'Good.' } },
    })
    await type(open.page, '/side SIDE-ASKS something')
    await prompt().getByText('What for?').waitFor()
    await button(prompt(), 'Do not answer').click()
    await prompt().getByText(MANAGERS.question).waitFor()
    await prompt().getByRole('textbox', { name: 'In your own words' }).fill('yarn')
    await button(prompt(), /^Answer$/).click()
    await side(open.page).getByText('Good.', { exact: true }).waitFor()
    const told = rig.model.requests().findLast(({ lastUser }) => lastUser?.includes('SIDE-ASKS'))
    expect(toolTexts(told?.body)).toEqual([
      'Error: the user cancelled ask_user_question',
      '{"answers":[{"id":"manager","selected":[],"custom":"yarn"}]}',
    ])
  })

  it('[I3] lets a one-shot question ask nothing, whatever the configuration lists', async () => {
    rig.model.script({ match: 'BTW-ASKS', behaviour: asks('Then in words.', WHY) })
    await type(open.page, '/btw BTW-ASKS something')
    await overlay(open.page).getByText('Then in words.').waitFor()
    expect(await overlay(open.page).getByRole('group').count()).toBe(0)
    expect(await overlay(open.page).innerText()).toContain('refused')
  })
})

function call(question: object) {
  return { name: 'ask_user_question', arguments: { questions: [question] } }
}

/** What the tools answered in a request, oldest first. */
function toolTexts(body: unknown): readonly string[] {
  const { messages } = body as { messages: readonly { role: string; content: unknown }[] }
  return messages.filter(({ role }) => role === 'tool').map(({ content }) => String(content))
}
