/** What a person sees when something around a side breaks; docs/faults.md is the table of it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { filesHolding } from '../kit/disk.ts'
import type { Rig } from '../kit/host.ts'
import { startProbedRig } from '../kit/probe.ts'
import { askIn, button, composer, overlay, paste, side } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string

beforeAll(async () => {
  rig = await startProbedRig({ stock: true })
})
afterAll(() => rig?.stop())

beforeEach(async () => {
  rig.model.clear()
  main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
})
afterEach(() => open.close())

/** An answer in many pieces over a few seconds. */
function slowly(match: string): string {
  const text = Array.from({ length: 40 }, (_, at) => `piece${at}`).join(' ')
  rig.model.script({ match, behaviour: { kind: 'plain', text, chunkMs: 80, chunkChars: 8 } })
  return text
}

describe('while an answer streams', () => {
  it('a lost connection is taken up again without a gap and without a second question', async () => {
    const text = slowly('DROPPED')
    await paste(open.page, '/side DROPPED?')
    const panel = side(open.page)
    await panel.getByText('piece3').waitFor()
    await open.page.context().setOffline(true)
    await open.page.waitForTimeout(1_500)
    await open.page.context().setOffline(false)
    await panel.getByText(text).waitFor({ timeout: 40_000 })
    expect(
      rig.model.requests().filter(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes('DROPPED')),
    ).toHaveLength(1)
    await askIn(panel, 'Still there? [[plain Still there.]]')
    await panel.getByText('Still there.', { exact: true }).waitFor({ timeout: 40_000 })
  })

  it('a reload of the page shows all of it, from the first word on', async () => {
    const text = slowly('RELOADED')
    await paste(open.page, '/btw RELOADED?')
    await overlay(open.page).getByText('piece3').waitFor()
    await open.page.reload()
    await overlay(open.page, 'RELOADED?').getByText(text).waitFor({ timeout: 30_000 })
    expect(
      rig.model.requests().filter(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes('RELOADED')),
    ).toHaveLength(1)
  })

  it('a restart of the host ends the side in words, keeps what was read, and offers a way on', async () => {
    slowly('RESTARTED')
    await paste(open.page, '/side RESTARTED?')
    const panel = side(open.page)
    await panel.getByText('piece3').waitFor()
    await rig.host.stop()
    await rig.restartHost()
    await panel.getByText('The agent behind this side is gone.').first().waitFor()
    expect(await panel.innerText()).toContain('piece3')
    await button(panel, 'Start again').waitFor()
    expect(await filesHolding(rig.home, 'piece3')).toEqual([])
    await rig.ask(main, 'Main afterwards. [[plain Fine.]]')
  })
})

describe('nothing typed is lost', () => {
  it('when the host is gone at the moment of a follow-up', async () => {
    await paste(open.page, '/side FOLLOWED? [[plain First.]]')
    const panel = side(open.page)
    await panel.getByText('First.', { exact: true }).waitFor()
    await rig.host.stop()
    await askIn(panel, 'TYPED into the void')
    await expect
      .poll(async () => (await panel.innerText()) + (await panel.getByRole('textbox').last().inputValue()), {
        timeout: 20_000,
      })
      .toContain('TYPED into the void')
    await rig.restartHost()
    expect(await composer(open.page).inputValue()).toBe('')
  })
})
