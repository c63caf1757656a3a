/** Opens a side in a real page, beside a long conversation, and tells what the page was sent for it. */
import { expect } from 'vitest'

import { openPage } from './browser.ts'
import type { LongParents } from './long-parent.ts'
import { receivedBy } from './received.ts'
import { button, overlay, paste } from './surface.ts'

/** What a page may be sent when it opens a side, whatever that inherited. */
const MOST_BYTES = 64 * 1024

/** Fails when opening a side of so many turns sends its page a word of them, or more than a side's own events take.
 *  @param patience milliseconds that the host and its page may need for a conversation of that size. */
export async function expectSmallOpening(
  { rig, ofTurns }: LongParents,
  turns: number,
  patience: number,
): Promise<void> {
  const main = await ofTurns(turns)
  rig.model.script({
    match: 'LONG-ANSWER',
    behaviour: { kind: 'plain', text: 'INHERITED words. '.repeat(8_000), chunkChars: 4_000 },
  })
  await rig.ask(main, 'A LONG-ANSWER please.', patience)
  const open = await openPage(rig.url, { sessionId: main })
  open.page.setDefaultTimeout(patience)
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
  console.log(`${turns} turns: ${Buffer.byteLength(sent)} bytes`)
  await open.close()
  expect(open.errors).toEqual([])
}
