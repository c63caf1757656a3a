/** A page whose host was restarted: its sides are over, it says so, and it tells the new host nothing about them. */
import { afterAll, beforeAll, expect, it } from 'vitest'

import { PREFIX } from '../../src/wire/index.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { overlay, type } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage

beforeAll(async () => {
  rig = await startRig({ stock: true })
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi.]]')
  open = await openPage(rig.url, { sessionId: main })
})
afterAll(async () => {
  await open?.close()
  await rig?.stop()
})

it.each(['a page that stays', 'a page that is reloaded'])(
  'asks the model nothing by itself: %s',
  async (which) => {
    await type(open.page, `/btw BEFORE the restart, ${which}? [[plain Before.]]`)
    await overlay(open.page).getByText('Before.', { exact: true }).waitFor()
    await rig.crash()
    await rig.restartHost()
    const asked = rig.model.requests().length
    if (which.endsWith('reloaded')) await open.page.reload()
    await new Promise((resolve) => setTimeout(resolve, 12_000))
    expect(rig.model.requests().slice(asked)).toEqual([])
    expect(JSON.stringify(rig.model.requests().map(({ body }) => body))).not.toContain(PREFIX)
  },
  90_000,
)
