/** The same as pane-bytes.spec.ts for a conversation of ten thousand turns. */
import { afterAll, beforeAll, describe, it } from 'vitest'

import { startLongParents, type LongParents } from '../kit/long-parent.ts'
import { expectSmallOpening } from '../kit/opening.ts'

let parents: LongParents

beforeAll(async () => {
  parents = await startLongParents()
})
afterAll(() => parents?.rig.stop())

describe('opening a side', () => {
  it('of a conversation of 10,000 turns sends its page none of them', () =>
    expectSmallOpening(parents, 10_000, 300_000))
})
