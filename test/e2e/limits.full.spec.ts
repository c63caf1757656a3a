/** What a person sees of an answer that outgrows its limit, on the real host (D10). */
import { afterAll, beforeAll, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { paste } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage

beforeAll(async () => {
  rig = await startRig()
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main })
})
afterAll(async () => {
  await open?.close()
  await rig?.stop()
})

it('keeps four megabytes of an answer, says so, and stays responsive', async () => {
  const text = `\`\`\`text\n${'A line of a long listing.\n'.repeat(165_000)}`
  rig.model.script({ match: 'LARGE.', behaviour: { kind: 'plain', text, chunkMs: 1, chunkChars: 100_000 } })
  await paste(open.page, '/side LARGE.')
  // Read without locators: those measure all four megabytes at every look.
  const shown = (): Promise<string> =>
    open.page.evaluate(() => document.querySelector('[data-sidemind] [data-turn]')?.textContent ?? '')
  await expect
    .poll(async () => (await shown()).includes('The answer grew beyond 4 MB'), { timeout: 120_000, interval: 3_000 })
    .toBe(true)
  expect((await shown()).length).toBeLessThan(4_001_000)
  expect(open.errors).toEqual([])
})
