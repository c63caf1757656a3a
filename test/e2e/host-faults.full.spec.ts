/** What a person sees when the host around a side breaks, is taken apart or tidied up; docs/faults.md is the table of it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { filesHolding } from '../kit/disk.ts'
import type { Rig } from '../kit/host.ts'
import { hostLog, liveChildren, sabotage, startSabotagedRig, switchPlugin } from '../kit/saboteur.ts'
import { openSide } from '../kit/side.ts'
import { askIn, button, composer, overlay, paste, side } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
/** The conversation of the test, and one that nothing happens to. */
let main: string
let other: string
let mains = 0
let earlier: string[] = []

beforeAll(async () => {
  rig = await startSabotagedRig()
  other = await rig.newSession()
  await rig.ask(other, 'Elsewhere. [[plain Yes.]]')
})
afterAll(() => rig?.stop())

beforeEach(async () => {
  rig.model.clear()
  earlier = await liveChildren(rig, other)
  main = await rig.newSession()
  mains += 1
  await rig.ask(main, `Main ${mains}. [[plain Hi there.]]`)
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

/** A side whose answer comes in many pieces over some seconds. */
async function streamingSide(word: string): Promise<void> {
  const text = Array.from({ length: 60 }, (_, at) => `piece${at}`).join(' ')
  rig.model.script({ match: word, behaviour: { kind: 'plain', text, chunkMs: 120, chunkChars: 8 } })
  await paste(open.page, `/side ${word}?`)
  await side(open.page).getByText('piece3').waitFor()
}

/** Children that came to life in this test; a page that is gone leaves its own for a minute (D7). */
const children = async (): Promise<string[]> => (await liveChildren(rig, other)).filter((id) => !earlier.includes(id))

const noChild = (): Promise<void> => expect.poll(children, { timeout: 20_000 }).toEqual([])

/** The page goes to main through the host's own list of conversations, unless it is there. */
async function goToMain(): Promise<void> {
  const there = open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true })
  const row = open.page.getByText(`Main ${mains}.`, { exact: true }).filter({ visible: true }).first()
  await expect
    .poll(async () => {
      if (!(await there.isVisible())) await row.click({ timeout: 500 }).catch(() => undefined)
      return there.isVisible()
    })
    .toBe(true)
}

async function mainAnswers(): Promise<void> {
  await rig.ask(main, 'Main afterwards. [[plain Fine.]]')
  expect(JSON.stringify(await rig.history(main))).toContain('Fine.')
}

describe('main is closed with a side open', () => {
  it('an archived conversation takes its sides with it, in the middle of an answer', async () => {
    await streamingSide('ARCHIVED')
    await rig.rpc('workspace.archiveSession', { sessionId: main })
    await noChild()
    await side(open.page).waitFor({ state: 'hidden' })
    // The host keeps its agent alive; it answers as before.
    await mainAnswers()
    expect(await filesHolding(rig.home, 'piece3')).toEqual([])
  })

  it('removing the workspace from the list closes nothing: the side goes on', async () => {
    await streamingSide('UNLISTED')
    await rig.rpc('workspace.delete', { workspaceId: rig.workspaceId })
    await side(open.page).getByText('piece59').waitFor()
    await askIn(side(open.page), 'Still there? [[plain Still there.]]')
    await side(open.page).getByText('Still there.', { exact: true }).waitFor()
    await mainAnswers()
    const { workspace } = await rig.rpc<{ workspace: { workspaceId: string } }>('workspace.create', {
      path: rig.workspace,
    })
    rig.workspaceId = workspace.workspaceId
  })

  it('an agent that the host ends takes its sides with it; their text waits where main is', async () => {
    await streamingSide('ENDED')
    await sabotage(rig, other, 'dispose', main)
    await noChild()
    await mainAnswers()
    await goToMain()
    const panel = side(open.page)
    await panel.getByText('The main conversation was closed').first().waitFor()
    expect(await panel.innerText()).toContain('piece3')
    await button(panel, 'Start again').click()
    await askIn(side(open.page), 'From here? [[plain From here.]]')
    await side(open.page).getByText('From here.', { exact: true }).waitFor()
  })

  it.each(['dispose-before-child', 'dispose-inside-child'] as const)(
    'an agent that ends while its side opens (%s) leaves no child, and the text stays',
    async (moment) => {
      await sabotage(rig, other, moment, main)
      await paste(open.page, '/side HALFWAY? [[plain Opened.]]')
      await expect.poll(() => rig.model.requests().some(({ lastUser }) => lastUser?.includes('HALFWAY'))).toBe(false)
      await noChild()
      await mainAnswers()
      await goToMain()
      await expect
        .poll(async () => (await composer(open.page).inputValue()) + (await side(open.page).innerText()))
        .toContain('HALFWAY?')
      await side(open.page).getByText('This side has ended.').first().waitFor()
      await button(side(open.page), 'Retry').first().click()
      await side(open.page).getByText('Opened.', { exact: true }).waitFor()
    },
  )
})

describe('the plugin is switched off in the middle of an answer', () => {
  it('ends the child, says so, keeps what was read and typed; switched on again, a side works', async () => {
    await streamingSide('SWITCHED')
    const panel = side(open.page)
    await composer(open.page).fill('A draft for main.')
    await panel.getByRole('textbox').last().fill('A draft for the side.')
    await switchPlugin(rig, false)
    await panel.getByText('The agent behind this side is gone.').first().waitFor()
    expect(await panel.innerText()).toContain('piece3')
    expect(await composer(open.page).inputValue()).toBe('A draft for main.')
    await noChild()
    await mainAnswers()

    await paste(open.page, '/btw While it is off?')
    await overlay(open.page).getByText('This conversation cannot have a side here.').first().waitFor()
    expect(await composer(open.page).inputValue()).toContain('While it is off?')
    expect(rig.model.requests().some(({ lastUser }) => lastUser?.includes('While it is off?'))).toBe(false)

    await switchPlugin(rig, true)
    await button(panel, 'Start again').click()
    expect(await side(open.page).getByRole('textbox').last().inputValue()).toBe('A draft for the side.')
    await askIn(side(open.page), 'On again? [[plain On again.]]')
    await side(open.page).getByText('On again.', { exact: true }).waitFor()
    expect(await children()).toHaveLength(1)
  })
})

describe('a child does not want to go', () => {
  it('is tried again until it is gone, and the log says so', async () => {
    await sabotage(rig, other, 'refuse-dispose', 2)
    const stubborn = await openSide(rig, main, 'side', 'STUBBORN? [[plain Here I am.]]')
    await stubborn.control({ op: 'close', keep: 0 })
    expect(await children()).toEqual([stubborn.id])
    await noChild()
    const told = await hostLog(rig, other, stubborn.id)
    expect(told.filter((line) => line.includes('cleanup_failed'))).toHaveLength(2)
    expect(told.filter((line) => line.includes('cleanup_done'))).toHaveLength(1)
    await mainAnswers()
  })

  it('on a page: a retried card answers while the earlier child is still being removed', async () => {
    await sabotage(rig, other, 'refuse-dispose', 2)
    await paste(open.page, '/btw STUBBORN CARD? [[plain First.]]')
    await overlay(open.page).getByText('First.', { exact: true }).waitFor()
    rig.model.script({ match: 'STUBBORN CARD', behaviour: { kind: 'plain', text: 'Second.' } })
    await button(overlay(open.page), 'Retry').click()
    await expect.poll(() => rig.model.requests().filter(({ lastUser }) => lastUser?.includes('CARD')).length).toBe(2)
    await expect.poll(async () => (await children()).length, { timeout: 20_000 }).toBe(1)
  })

  it('counts as gone when it is, whatever its dispose says', async () => {
    await sabotage(rig, other, 'reject-dispose')
    const rejected = await openSide(rig, main, 'side', 'REJECTED? [[plain Here I am.]]')
    await rejected.control({ op: 'close', keep: 0 })
    expect(await children()).toEqual([])
    expect(await hostLog(rig, other, rejected.id)).toEqual([])
    await mainAnswers()
  })
})

it('a conversation without a folder can have a side', async () => {
  const { sessionId } = await rig.rpc<{ sessionId: string }>('session.create', {})
  await rig.ask(sessionId, 'Nowhere. [[plain Fine.]]')
  await openSide(rig, sessionId, 'side', 'Here? [[plain Here too.]]')
})
