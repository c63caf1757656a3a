/** Every fault of the model in every phase of a `/side`: what is read, what is kept, and the way on; docs/faults.md is the
 *  table. Slow, because the host asks again five times, with growing pauses, before it gives up on some of them. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { askIn, button, paste, side } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string

beforeAll(async () => {
  rig = await startRig({ stock: true })
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

const HALF = 'Half an answer'
/** Calls that are refused, one after the other, with tools and without. */
const ONLY_CALLS = Array.from({ length: 12 }).reduce<Behaviour>(
  (after) => ({ kind: 'tool', calls: [{ name: 'bash', arguments: { command: 'touch REFUSED.txt' } }], after }),
  { kind: 'plain', text: 'At last.' },
)
const FAULTS: Record<string, { readonly behaviour: Behaviour; readonly sentence: string }> = {
  '401': { behaviour: { kind: 'status', status: 401 }, sentence: 'The model service refused the key.' },
  '429': { behaviour: { kind: 'status', status: 429 }, sentence: 'The model service asks for a pause.' },
  '500': { behaviour: { kind: 'status', status: 500 }, sentence: 'The model service is busy.' },
  overflow: { behaviour: { kind: 'overflow' }, sentence: 'The conversation is too long for the model.' },
  reset: { behaviour: { kind: 'reset', text: HALF }, sentence: 'The connection to the model service broke.' },
  cut: { behaviour: { kind: 'cut', text: HALF }, sentence: 'The ' },
  'refused calls': { behaviour: ONLY_CALLS, sentence: 'The model only called tools that do not run here.' },
  malformed: { behaviour: { kind: 'malformed', text: HALF }, sentence: 'The model service sent something incomplete.' },
}
const PHASES = ['opening', 'tool', 'idle'] as const
const CELLS = Object.keys(FAULTS).flatMap((fault) => PHASES.map((phase) => [fault, phase] as const))

/** Asks what will fail, as that phase has it. */
async function fail(phase: (typeof PHASES)[number], behaviour: Behaviour): Promise<void> {
  const read = { name: 'read', arguments: { file_path: 'README.md' } }
  rig.model.script({
    match: 'FAILING',
    behaviour: phase === 'tool' ? { kind: 'tool', text: 'Let me look.', calls: [read], after: behaviour } : behaviour,
  })
  if (phase === 'idle') {
    await paste(open.page, '/side FIRST? [[plain First.]]')
    await side(open.page).getByText('First.', { exact: true }).waitFor()
    await askIn(side(open.page), 'FAILING follow-up')
  } else await paste(open.page, '/side FAILING question')
}

async function retryWorks(): Promise<void> {
  rig.model.clear()
  rig.model.script({ match: 'FAILING', behaviour: { kind: 'plain', text: 'Now it works.' } })
  await button(side(open.page), 'Retry').last().click()
  await side(open.page).getByText('Now it works.', { exact: true }).waitFor()
  await rig.ask(main, 'Main afterwards. [[plain Fine.]]')
}

describe('a fault of the model', () => {
  it.each(CELLS)(
    '%s, %s: a sentence, what was written stays, and Retry works',
    async (fault, phase) => {
      const cell = FAULTS[fault]
      if (cell === undefined) throw new Error(`no fault ${fault}`)
      await fail(phase, cell.behaviour)
      const panel = side(open.page)
      await button(panel, 'Retry').last().waitFor({ timeout: 120_000 })
      await panel.getByText(cell.sentence).first().waitFor({ timeout: 120_000 })
      const text = await panel.innerText()
      expect(text).toContain('FAILING')
      if ('text' in cell.behaviour) expect(text).toContain(fault === 'malformed' ? 'Half an' : HALF)
      if (phase === 'tool') expect(text).toContain('Let me look.')
      if (phase === 'idle') expect(text).toContain('First.')
      await retryWorks()
    },
    200_000,
  )

  it.each(PHASES)('a stall, %s: Stop keeps what was written, and Retry works', async (phase) => {
    await fail(phase, { kind: 'stall', text: HALF })
    const panel = side(open.page)
    await panel.getByText(HALF).first().waitFor()
    await button(panel, 'Stop').first().click()
    await panel.getByText('stopped', { exact: true }).waitFor()
    expect(await panel.innerText()).toContain(HALF)
    await retryWorks()
  })

  it('refused calls, in Chinese: the sentence is written in it', async () => {
    await open.close()
    open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 }, locale: 'zh-CN' })
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
    rig.model.script({ match: 'FAILING', behaviour: ONLY_CALLS })
    await paste(open.page, '/btw FAILING question')
    await open.page.locator('[data-sidemind]').getByText('模型一直在调用这里不能用的工具，没有作答。').first().waitFor()
  })
})
