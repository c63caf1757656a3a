/** A crash of the host at any moment of a side's life leaves nothing of it, and main as it was (I5, I6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { recordFigures } from '../../dev/figures.ts'
import { filesHolding, filesUnder } from '../kit/disk.ts'
import type { Rig } from '../kit/host.ts'
import { askProbe, startProbedRig } from '../kit/probe.ts'
import { openSide } from '../kit/side.ts'

const ROUNDS = 25
/** How long after a side was asked for the host is killed at most; the answer takes longer than that. */
const WITHIN_MS = 900

let rig: Rig

beforeAll(async () => {
  rig = await startProbedRig({ stock: true })
})
afterAll(() => rig?.stop())

describe('SIGKILL', () => {
  it(`at ${ROUNDS} random moments of a side's life leaves no word of it and no orphan`, async () => {
    const main = await rig.newSession()
    await rig.ask(main, 'Main is here. [[plain And answers.]]')
    rig.model.script({
      match: 'KILLED',
      behaviour: { kind: 'slow', text: 'KILLED-ANSWER '.repeat(80), totalMs: 1_500 },
    })
    const moments: number[] = []
    let clean = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const moment = Math.random() * WITHIN_MS
      moments.push(Math.round(moment))
      const asked = openSide(rig, main, round % 2 === 0 ? 'btw' : 'side', `KILLED-QUESTION ${round}`).catch(() => null)
      await new Promise((resolve) => setTimeout(resolve, moment))
      await rig.crash()
      await asked
      await rig.restartHost()
      expect(await filesHolding(rig.home, 'KILLED-'), `killed after ${moment} ms`).toEqual([])
      const logs = await filesUnder(`${rig.home}/sessions`)
      expect(
        logs.filter((path) => !path.includes('/session-')),
        `killed after ${moment} ms`,
      ).toEqual([])
      // Main loads, knows nothing of it, and only its own agent comes to life.
      const history = JSON.stringify(await rig.history(main))
      expect(history).toContain('And answers.')
      expect(history).not.toContain('KILLED-')
      expect((await askProbe(rig, main)).agents.filter((id) => !id.startsWith('session-'))).toEqual([])
      clean += 1
    }
    recordFigures('sigkill', [
      {
        what: 'the host killed at random moments: no word on disk, no orphan',
        measured: `${clean} of ${ROUNDS}`,
        beside: `after ${Math.min(...moments)} to ${Math.max(...moments)} ms of a side's life`,
      },
    ])
    console.log(`killed after ${moments.join(', ')} ms: nothing found, ${ROUNDS} of ${ROUNDS}`)
    await rig.ask(main, 'Main goes on. [[plain As ever.]]')
  }, 600_000)
})
