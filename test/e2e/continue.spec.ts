/** A `/btw` that goes on as a `/side`, in a browser on the real host: in the native right sidebar and in our drawer. */
import type { Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import type { Rig } from '../kit/host.ts'
import { askProbe, startProbedRig } from '../kit/probe.ts'
import { askIn, button, overlay, side, type } from '../kit/surface.ts'

describe.each([
  ['the native right sidebar', false],
  ['our drawer on a stock host', true],
] as const)('[K07] a question that goes on as a side, in %s', (_where, stock) => {
  let rig: Rig
  let open: OpenPage
  let main: string

  beforeAll(async () => {
    rig = await startProbedRig({ stock })
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

  const liveSides = async (): Promise<string[]> =>
    (await askProbe(rig, main)).agents.filter((id) => !id.startsWith('session-'))
  const answer = (text: string): Locator =>
    open.page.locator('[data-sidemind] [data-answer] p').filter({ hasText: text })
  const asked = (text: string) =>
    rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))

  it('keeps its exchange and its child, may read from now on, and survives a reload', async () => {
    await type(open.page, '/btw WHICH file? [[plain Which one do you mean?]]')
    await answer('Which one do you mean?').waitFor()
    await button(overlay(open.page), /^Retry$/).waitFor()
    const before = await liveSides()
    await button(overlay(open.page), 'Continue as side').click()
    const panel = side(open.page)
    await panel.getByText('Which one do you mean?', { exact: true }).waitFor()
    expect(await overlay(open.page).count()).toBe(0)
    expect(await liveSides()).toEqual(before)

    await askIn(panel, 'THE-README [[tool:read {"file_path":"README.md"}]]')
    await panel.getByText('ok', { exact: true }).waitFor()
    await button(panel, /^Retry$/)
      .last()
      .waitFor()
    const body = JSON.stringify(asked('THE-README')?.body)
    expect(body).toContain('WHICH file?')
    expect(body).toContain('Which one do you mean?')
    expect(body).toContain('Only these tools may run: read')
    expect(body).toContain('"name":"read","description"')
    // Still nothing but reading.
    await askIn(panel, 'WRITE-IT [[write notes.txt]]')
    await panel.getByText('refused (read-only)').waitFor()
    await button(panel, /^Retry$/)
      .last()
      .waitFor()

    await open.page.reload()
    await side(open.page).getByText('Which one do you mean?', { exact: true }).waitFor()
    await askIn(side(open.page), 'AFTER-RELOAD [[plain Still here.]]')
    await answer('Still here.').waitFor()
    expect(JSON.stringify(asked('AFTER-RELOAD')?.body)).toContain('Which one do you mean?')
    // One quiet row in main, which leads to the side.
    await open.page.locator('[data-chat-flow]').getByText('side conversation').waitFor()
    await rig.ask(main, 'Main goes on. [[plain Fine.]]')
    expect(JSON.stringify(asked('Main goes on.')?.body)).not.toMatch(/WHICH file|README\.md/)
  })

  it('goes on while it is being answered', async () => {
    rig.model.script({
      match: 'SLOW',
      behaviour: { kind: 'gate', name: 'slow', before: 'It begins', after: ' and ends.' },
    })
    await type(open.page, '/btw SLOW question')
    await answer('It begins').waitFor()
    await button(overlay(open.page), 'Continue as side').click()
    await side(open.page).getByText('It begins').waitFor()
    rig.model.release('slow')
    await side(open.page).getByText('It begins and ends.').waitFor()
  })

  // What the page does without a child is the same in both places.
  if (stock) return

  it('is quoted in a new side when its child is gone', async () => {
    rig.model.script([
      { match: 'GONE question', behaviour: { kind: 'plain', text: 'An answer to keep.' } },
      { match: 'GOES-ON', behaviour: { kind: 'plain', text: 'It does.' } },
    ])
    await type(open.page, '/btw GONE question')
    await answer('An answer to keep.').waitFor()
    await button(overlay(open.page), /^Retry$/).waitFor()
    await rig.crash()
    await rig.restartHost()
    await overlay(open.page).getByRole('button', { name: 'Start again' }).waitFor({ timeout: 30_000 })
    await button(overlay(open.page), 'Continue as side').click()
    const panel = side(open.page, 'New side')
    await panel.getByRole('group', { name: 'Quoted' }).getByText('GONE question').waitFor()
    await askIn(panel, 'GOES-ON please')
    await answer('It does.').waitFor()
    expect(asked('GOES-ON')?.lastUser).toContain('> GONE question\n>\n> An answer to keep.\n\nGOES-ON please')
    // The page had lost its host for a moment.
    open.errors.length = 0
  })
})
