/** A side with more messages than a host hands out at once: a reload of the page, and a connection that was lost, keep all of it. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, paste, side } from '../kit/surface.ts'

/** Hosts give the last 50 messages of a log. */
const STEPS = 60

/** One turn of so many messages: each step reads a file, the last one says that it is done. */
function longTurn(): Behaviour {
  let turn: Behaviour = { kind: 'plain', text: 'Read everything.', chunkMs: 0 }
  for (let step = STEPS; step > 0; step -= 1)
    turn = {
      kind: 'tool',
      calls: [{ name: 'read', arguments: { file_path: 'README.md', limit: step } }],
      text: `Looking, ${step} to go.`,
      after: turn,
      chunkMs: 0,
    }
  return turn
}

describe.each([
  ['the native right sidebar', false],
  ['a stock host', true],
])('a long side in %s', (_where, stock) => {
  let rig: Rig
  let open: OpenPage

  beforeAll(async () => {
    rig = await startRig({ stock })
  })
  afterAll(() => rig?.stop())
  beforeEach(async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi there.]]')
    open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  })
  afterEach(async () => {
    await open.close()
    expect(open.errors).toEqual([])
  })

  /** How much of what was asked and answered stands in the side. */
  async function shown(): Promise<{ first: number; turns: number; steps: number }> {
    const panel = side(open.page)
    return {
      first: await panel.getByText('The very first answer.', { exact: true }).count(),
      turns: await panel.locator('[data-turn]').count(),
      steps: await panel.getByText(/^Looking, \d+ to go\.$/).count(),
    }
  }

  it('is after a reload what it was before, its first answer and the first step of a long turn included', async () => {
    rig.model.script({ match: 'THOROUGH', behaviour: longTurn() })
    await paste(open.page, '/side BEGINNING? [[plain The very first answer.]]')
    await side(open.page).getByText('The very first answer.', { exact: true }).waitFor()
    await askIn(side(open.page), 'THOROUGH, please')
    await side(open.page).getByText('Read everything.', { exact: true }).waitFor({ timeout: 120_000 })
    const before = await shown()
    expect(before).toEqual({ first: 1, turns: 2, steps: STEPS })
    await open.page.reload()
    await side(open.page).getByText('Read everything.', { exact: true }).waitFor()
    await expect.poll(shown, { timeout: 15_000 }).toEqual(before)
  })
})
