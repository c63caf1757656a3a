/** A side's own model and effort: what the wire holds, and that main and the host's default stay as they are. */
import type { Locator } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { RecordedRequest } from '../../dev/model/journal.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import type { Rig } from '../kit/host.ts'
import { startProbedRig } from '../kit/probe.ts'
import { closeSide, openSide, sideTurnEnd } from '../kit/side.ts'
import { askIn, button, overlay, side, type } from '../kit/surface.ts'

let rig: Rig

beforeAll(async () => {
  rig = await startProbedRig({ stock: true })
})
afterAll(() => rig?.stop())

/** The newest chat request whose question holds `text`. */
function asked(text: string): RecordedRequest {
  const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
  if (request === undefined) throw new Error(`nothing asked about ${text}`)
  return request
}

/** Model and effort of that request, as the model's API got them. */
function routeOf(text: string): { model: string; effort: string } {
  const { model, reasoning_effort, thinking } = asked(text).body as {
    model: string
    reasoning_effort?: string
    thinking?: { type: string }
  }
  return { model, effort: reasoning_effort ?? thinking?.type ?? '' }
}

function texts(request: RecordedRequest): string[] {
  return (request.body as { messages: { content: string | null }[] }).messages.map(({ content }) => content ?? '')
}

/** The model that the host gives to new conversations, as its settings say. */
async function globalDefault(): Promise<unknown> {
  const { namespaces } = await rig.rpc<{ namespaces: { ns: string; value: unknown; revision: number }[] }>(
    'settings.describe',
  )
  return namespaces.find(({ ns }) => ns === 'agent-default-model')
}

const PROVIDER = 'deepseek-official'

describe('the host half', () => {
  it('[K39] [K40] asks a side’s own model and effort from its next turn on; main and the default stay', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'MAIN-ONE [[plain Hello.]]')
    const before = { main: routeOf('MAIN-ONE'), stored: await globalDefault() }

    const opened = await openSide(rig, main, 'side', 'SIDE-ONE [[plain one]]')
    await sideTurnEnd(rig, opened.id)
    expect(routeOf('SIDE-ONE')).toEqual(before.main)
    await opened.send('SIDE-TWO [[plain two]]', {
      route: { provider: PROVIDER, model: 'deepseek-v4-pro', effort: 'max' },
    })
    await sideTurnEnd(rig, opened.id, 2)
    expect(routeOf('SIDE-TWO')).toEqual({ model: 'deepseek-v4-pro', effort: 'max' })
    await opened.send('SIDE-THREE [[plain three]]')
    await sideTurnEnd(rig, opened.id, 3)
    expect(routeOf('SIDE-THREE')).toEqual({ model: 'deepseek-v4-pro', effort: 'max' })
    // Only the effort.
    await opened.send('SIDE-FOUR [[plain four]]', {
      route: { provider: PROVIDER, model: 'deepseek-v4-pro', effort: 'off' },
    })
    await sideTurnEnd(rig, opened.id, 4)
    expect(routeOf('SIDE-FOUR')).toEqual({ model: 'deepseek-v4-pro', effort: 'disabled' })

    await rig.ask(main, 'MAIN-TWO [[plain Hello again.]]')
    expect(routeOf('MAIN-TWO')).toEqual(before.main)
    expect(await globalDefault()).toEqual(before.stored)
    const next = await openSide(rig, main, 'btw', 'NEXT-SIDE [[plain next]]')
    await sideTurnEnd(rig, next.id)
    expect(routeOf('NEXT-SIDE')).toEqual(before.main)
    await closeSide(rig, opened)
    await closeSide(rig, next)
  })

  it('[K39] asks the first question with the route that it is opened with', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'MAIN-A [[plain Hello.]]')
    const route = { provider: PROVIDER, model: 'deepseek-v4-pro', effort: 'low' }
    const opened = await openSide(rig, main, 'btw', 'FIRST-OWN [[plain own]]', { route })
    await sideTurnEnd(rig, opened.id)
    expect(routeOf('FIRST-OWN')).toEqual({ model: 'deepseek-v4-pro', effort: 'low' })
    await closeSide(rig, opened)
  })

  it('does not show the model an attempt that is asked again', async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'MAIN-B [[plain Hello.]]')
    const opened = await openSide(rig, main, 'side', 'BEFORE-IT [[plain kept answer]]')
    await sideTurnEnd(rig, opened.id)
    rig.model.script({
      match: 'RETRIED',
      times: 1,
      behaviour: {
        kind: 'tool',
        calls: [{ name: 'read', arguments: { file_path: 'README.md' } }],
        after: { kind: 'plain', text: 'first attempt' },
      },
    })
    const first = await opened.send('RETRIED question')
    await sideTurnEnd(rig, opened.id, 2)
    rig.model.script({ match: 'RETRIED', behaviour: { kind: 'plain', text: 'second attempt' } })
    await opened.send('RETRIED question', { instead: first })
    await sideTurnEnd(rig, opened.id, 3)
    const sent = texts(asked('RETRIED'))
    expect(sent.filter((text) => text.includes('RETRIED question'))).toHaveLength(1)
    expect(sent.join('\n')).toContain('kept answer')
    expect(sent.join('\n')).not.toContain('first attempt')
    // The boundary is still told.
    expect(sent.join('\n')).toContain('This is a side conversation')
    await opened.send('AFTER-IT [[plain after]]')
    await sideTurnEnd(rig, opened.id, 4)
    const after = texts(asked('AFTER-IT')).join('\n')
    expect(after).toContain('second attempt')
    expect(after).not.toContain('first attempt')
    await closeSide(rig, opened)
  })
})

describe('the page', () => {
  let open: OpenPage
  let main: string

  beforeEach(async () => {
    rig.model.clear()
    main = await rig.newSession()
    await rig.ask(main, 'MAIN-PAGE [[plain Hi there.]]')
    open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  })
  afterEach(async () => {
    await open.close()
    expect(open.errors).toEqual([])
  })

  const pick = async (within: Locator, ...names: string[]): Promise<void> => {
    await button(within, /^Model: /).click()
    for (const name of names) await within.getByRole('menuitemradio', { name }).click()
    await open.page.keyboard.press('Escape')
  }

  it('[K39] [K40] [K46] lets a side have its own model and effort, shown in its composer; main keeps its own', async () => {
    const stored = await globalDefault()
    await type(open.page, '/side')
    const panel = side(open.page)
    await button(panel, 'Model: Main’s model').waitFor()
    await askIn(panel, 'PAGE-ONE [[plain one]]')
    await panel.getByText('one', { exact: true }).waitFor()
    expect(routeOf('PAGE-ONE')).toEqual(routeOf('MAIN-PAGE'))
    await pick(panel, 'DeepSeek-V4-Pro', 'Max')
    await panel.getByText('Another model reads everything anew').waitFor()
    await askIn(panel, 'PAGE-TWO [[plain two]]')
    await panel.getByText('two', { exact: true }).waitFor()
    expect(routeOf('PAGE-TWO')).toEqual({ model: 'deepseek-v4-pro', effort: 'max' })
    expect(await panel.getByText('Another model reads everything anew').count()).toBe(0)
    await rig.ask(main, 'MAIN-AFTER [[plain fine]]')
    expect(routeOf('MAIN-AFTER')).toEqual(routeOf('MAIN-PAGE'))
    expect(await globalDefault()).toEqual(stored)
    // It survives a reload, because the side itself has it.
    await open.page.reload()
    await button(side(open.page), /^Model: .*Pro, Max/).waitFor()
    // The next side asks main's model.
    await type(open.page, '/btw PAGE-THREE [[plain three]]')
    await overlay(open.page).getByText('three', { exact: true }).waitFor()
    expect(routeOf('PAGE-THREE')).toEqual(routeOf('MAIN-PAGE'))
  })
})
