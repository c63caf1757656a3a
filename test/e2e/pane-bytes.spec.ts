/** What a page is sent when a side of a long conversation opens: the side's own events, and nothing that it inherited. */
import { afterAll, beforeAll, describe, it } from 'vitest'

import { startLongParents, type LongParents } from '../kit/long-parent.ts'
import { expectSmallOpening } from '../kit/opening.ts'

let parents: LongParents

beforeAll(async () => {
  parents = await startLongParents()
})
afterAll(() => parents?.rig.stop())

describe('opening a side', () => {
  it('of a conversation of 1,000 turns sends its page none of them', () => expectSmallOpening(parents, 1_000, 60_000))
})
