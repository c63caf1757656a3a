/** Every part of an answer as a person uses it, and the page around it: phases, thoughts, tools, Markdown that streams, long
 *  code, the way to what came below; the language and the light of the host; fingers; a model that is remembered. */
import type { Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { crowdedButtons } from '../kit/geometry.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, composer, overlay, paste, side } from '../kit/surface.ts'

const DESK = { width: 1440, height: 900 }

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
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

async function openAt(more: Parameters<typeof openPage>[1] = {}): Promise<void> {
  open = await openPage(rig.url, { sessionId: main, viewport: DESK, ...more })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
}

const clipboard = (): Promise<string> => open.page.evaluate(() => navigator.clipboard.readText())

async function setHost(namespace: string, preference: string | null): Promise<void> {
  const { namespaces } = await rig.rpc<{ namespaces: { ns: string; revision: number }[] }>('settings.describe')
  const expectedRevision = namespaces.find(({ ns }) => ns === namespace)?.revision
  const path = ['preference']
  const ops = preference === null ? [{ op: 'unset', path }] : [{ op: 'set', path, value: preference }]
  await rig.rpc('settings.mutate', { ns: namespace, ops, expectedRevision })
}

describe('an answer', () => {
  it('[K44] says what it does and for how long, keeps thoughts folded, and shows what a tool gave', async () => {
    await openAt()
    rig.model.script({
      match: 'PHASES',
      behaviour: {
        kind: 'steps',
        steps: [
          { do: 'think', text: 'Let me look at the file.' },
          { do: 'gate', name: 'thought' },
          { do: 'call', name: 'read', arguments: { file_path: 'README.md' } },
        ],
        after: { kind: 'gate', name: 'told', before: 'It says', after: ' **so**.' },
      },
    })
    await paste(open.page, '/side PHASES?')
    const panel = side(open.page, 'PHASES?')
    const thinking = button(panel, /^thinking/)
    await thinking.getByText(/^[1-9]\d* s$/).waitFor()
    expect(await panel.innerText()).not.toContain('Let me look')
    rig.model.release('thought')
    await panel.getByText('It says', { exact: true }).waitFor()
    await panel.getByText('answering', { exact: true }).waitFor()
    await panel.getByText(/^[1-9]\d* s$/).waitFor()
    const thought = button(panel, /^thought for [\d.]+ s$/)
    expect(await thought.getAttribute('aria-expanded')).toBe('false')
    await thought.click()
    await panel.getByText('Let me look at the file.', { exact: true }).waitFor()
    const row = button(panel, /^read.*README\.md.*ok$/)
    await row.click()
    await expect.poll(() => panel.locator('pre').innerText()).toContain('tideline')
    await row.click()
    expect(await panel.locator('pre').count()).toBe(0)
    rig.model.release('told')
    await panel.getByText('It says so.').waitFor()
    await panel.getByText('answering', { exact: true }).waitFor({ state: 'detached' })
    await panel.getByText(/ in \(\d+ % cached\), \d+ out · .*, first word /).waitFor()
  })

  it('is set while it streams: a table, tasks, a formula, code that says its language, is copied whole and folded', async () => {
    await openAt()
    await open.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const code = Array.from({ length: 40 }, (_, at) => `const line${at} = ${at}`).join('\n')
    rig.model.script({
      match: 'RICH',
      behaviour: {
        kind: 'gate',
        name: 'rich',
        before: '| file | by |\n|---|---|\n| a.lock | npm |\n\nThe rest',
        after: ` is: $x^2$\n\n- [x] read\n- [ ] choose\n\n\`\`\`ts\n${code}\n\`\`\`\n\nEnd.`,
      },
    })
    await paste(open.page, '/side RICH?')
    const panel = side(open.page, 'RICH?')
    await panel.getByText('The rest', { exact: true }).waitFor()
    expect(await panel.locator('td').allTextContents()).toEqual(['a.lock', 'npm'])
    rig.model.release('rich')
    await button(panel, 'Retry').waitFor()
    await panel.locator('math').waitFor()
    expect(await panel.getByRole('checkbox').evaluateAll((all) => all.map((one) => one.matches(':checked')))).toEqual([
      true,
      false,
    ])
    await panel.getByText('ts', { exact: true }).waitFor()
    expect(await panel.locator('pre').innerText()).not.toContain('line39')
    await button(panel, 'Copy code').click()
    await expect.poll(clipboard).toBe(code)
    await button(panel, 'Show all 40 lines').click()
    expect(await panel.locator('pre').innerText()).toContain('line39')
    await button(panel, 'Show less').click()
    expect(await panel.locator('pre').innerText()).not.toContain('line39')
    await button(panel, 'Copy answer').click()
    await expect.poll(clipboard).toContain('- [x] read')
  })

  it('[K24] counts what came below for a reader who scrolled up, and leads there', async () => {
    await openAt({ viewport: { width: 1440, height: 600 } })
    const lines = Array.from({ length: 60 }, (_, at) => `Line ${at}.`).join('\n\n')
    rig.model.script({
      match: 'LONG',
      behaviour: {
        kind: 'gate',
        name: 'long',
        before: lines,
        after: {
          kind: 'tool',
          calls: [{ name: 'read', arguments: { file_path: 'README.md' } }],
          after: 'At the very end.',
        },
      },
    })
    await paste(open.page, '/side LONG?')
    const panel = side(open.page, 'LONG?')
    await panel.getByText('Line 59.', { exact: true }).waitFor()
    await panel.getByText('Line 50.', { exact: true }).hover()
    await open.page.mouse.wheel(0, -5_000)
    await button(panel, 'Jump to latest').waitFor()
    rig.model.release('long')
    await button(panel, 'Retry').waitFor({ state: 'attached' })
    const jump = button(panel, /^[1-9] new below$/)
    await jump.click()
    await jump.waitFor({ state: 'detached' })
    const end = panel.getByText('At the very end.', { exact: true })
    await expect.poll(async () => (await end.boundingBox())?.y ?? 9_999).toBeLessThan(600)
  })
})

describe('the page', () => {
  it('changes its language and its light with the host’s, at once and without losing what is typed', async () => {
    await openAt()
    await paste(open.page, '/side LIVE? [[plain Yes.]]')
    const panel = open.page.locator('[data-sidemind-side]')
    await button(panel, 'Retry').waitFor()
    const field = panel.getByRole('textbox')
    await field.fill('half a thought')
    await paste(open.page, '/btw CARD? [[plain Here.]]')
    await button(overlay(open.page), 'Retry').waitFor()
    const ground = (): Promise<string> =>
      overlay(open.page).evaluate((card) => getComputedStyle(card).getPropertyValue('background-color'))
    const light = await ground()
    try {
      await setHost('locale', 'zh')
      await panel.getByRole('button', { name: '重试', exact: true }).waitFor()
      expect(await panel.getByRole('button', { name: 'Retry', exact: true }).count()).toBe(0)
      expect(await field.inputValue()).toBe('half a thought')
      await setHost('locale', 'en')
      await button(panel, 'Retry').waitFor()
      await setHost('ui-theme', 'dark')
      await expect.poll(ground).not.toBe(light)
      await setHost('ui-theme', 'light')
      await expect.poll(ground).toBe(light)
    } finally {
      await setHost('locale', null)
      await setHost('ui-theme', null)
    }
  })

  it('has targets of 44 pixels for fingers, on a card and in a side', async () => {
    await openAt({ viewport: { width: 390, height: 800 }, hasTouch: true, isMobile: true })
    const small = (): Promise<string[]> => crowdedButtons(open.page, 44, ['Jump to latest'])
    await paste(open.page, '/btw FINGERS? [[plain Yes.]]')
    const card = overlay(open.page)
    await button(card, 'Retry').waitFor()
    await expect.poll(small, { timeout: 5_000 }).toEqual([])
    await button(card, 'Continue as side').tap()
    const panel = side(open.page)
    await button(panel, 'Retry').waitFor()
    await expect.poll(small, { timeout: 5_000 }).toEqual([])
    await button(panel, 'About this side').tap()
    await panel.getByText(/^It ends when/).waitFor()
  })
})

describe('a model', () => {
  it('[K39] is remembered for new sides of this conversation, cards too, and for no other one', async () => {
    await openAt()
    const modelOf = (text: string): string => {
      const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
      return (request?.body as { model?: string } | undefined)?.model ?? ''
    }
    const finished = async (within: Locator): Promise<void> => button(within, 'Retry').last().waitFor()
    await paste(open.page, '/side')
    const panel = side(open.page)
    await button(panel, /^Model: /).click()
    await panel.getByRole('menuitemradio', { name: 'DeepSeek-V4-Pro' }).click()
    await panel.getByRole('menuitemcheckbox', { name: 'Use for new sides here' }).click()
    await open.page.keyboard.press('Escape')
    await askIn(panel, 'REMEMBER-ONE [[plain one]]')
    await finished(side(open.page))
    await paste(open.page, '/btw REMEMBER-TWO [[plain two]]')
    await finished(overlay(open.page))
    expect([modelOf('REMEMBER-ONE'), modelOf('REMEMBER-TWO')]).toEqual(['deepseek-v4-pro', 'deepseek-v4-pro'])
    await rig.ask(main, 'REMEMBER-MAIN [[plain fine]]')
    expect(modelOf('REMEMBER-MAIN')).toBe(modelOf('Hello.'))

    const other = await rig.newSession()
    await rig.ask(other, 'ELSEWHERE. [[plain Yes.]]')
    await open.page.getByText('ELSEWHERE.', { exact: true }).first().click()
    await open.page.locator('[data-chat-flow]').getByText('Yes.', { exact: true }).waitFor()
    await composer(open.page).waitFor()
    await paste(open.page, '/btw REMEMBER-THREE [[plain three]]')
    await finished(overlay(open.page))
    expect(modelOf('REMEMBER-THREE')).toBe(modelOf('ELSEWHERE.'))
  })
})
