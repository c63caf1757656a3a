/** What a page is sent when a side of a long conversation opens: the side's own events, and nothing that it inherited. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openPage } from '../kit/browser.ts'
import { startLongParents, type LongParents } from '../kit/long-parent.ts'
import { receivedBy } from '../kit/received.ts'
import { button, overlay, paste } from '../kit/surface.ts'

const MOST_BYTES = 64 * 1024

let parents: LongParents

beforeAll(async () => {
  parents = await startLongParents()
})
afterAll(() => parents?.rig.stop())

describe('opening a side', () => {
  it('of a conversation of 1,000 turns sends its page none of them', async () => {
    const { rig } = parents
    const main = await parents.ofTurns(1_000)
    rig.model.script({
      match: 'LONG-ANSWER',
      behaviour: { kind: 'plain', text: 'INHERITED words. '.repeat(8_000), chunkChars: 4_000 },
    })
    await rig.ask(main, 'A LONG-ANSWER please.')
    const open = await openPage(rig.url, { sessionId: main })
    const received = receivedBy(open.page)
    await open.page.reload()
    await open.page.locator('[data-chat-flow]').getByText('A LONG-ANSWER please.').waitFor()
    expect(await received.take()).toContain('INHERITED')

    await paste(open.page, '/btw How many turns? [[plain Quite a few.]]')
    await overlay(open.page).getByText('Quite a few.', { exact: true }).waitFor()
    await button(overlay(open.page), 'Retry').waitFor()
    const sent = await received.take()
    expect(sent).toContain('Quite a few.')
    expect(sent).not.toContain('INHERITED')
    expect(Buffer.byteLength(sent)).toBeLessThan(MOST_BYTES)
    await open.close()
    expect(open.errors).toEqual([])
  })
})
