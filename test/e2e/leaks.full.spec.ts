/** A thousand sides leave the host as they found it: agents, sessions, listeners, timers, and its heap (I6). */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { recordFigures } from '../../dev/figures.ts'
import type { Rig } from '../kit/host.ts'
import { expectNoHeapGrowth, heapGrowth, megabytes } from '../kit/leaks.ts'
import { askProbe, startProbedRig } from '../kit/probe.ts'
import { closeSide, openSide, sideTurnEnd } from '../kit/side.ts'

const CYCLES = 1_000
/** So many sides before the first look: until then the heap grows by compiled code and filled caches. */
const WARM_UP = 500

let rig: Rig

beforeAll(async () => {
  rig = await startProbedRig({ stock: true })
})
afterAll(() => rig?.stop())

async function heap(session: string): Promise<{ heapUsed: number; timers: number }> {
  return JSON.parse((await rig.command(session, '/probe-heap')).result.text ?? '') as {
    heapUsed: number
    timers: number
  }
}

describe('the host', () => {
  it(`is after ${CYCLES} sides what it was before`, async () => {
    rig.model.script({ behaviour: { kind: 'plain', text: 'Short.', chunkMs: 0 } })
    const cycles = async (session: string, count: number): Promise<void> => {
      for (let cycle = 0; cycle < count; cycle += 1) {
        const side = await openSide(rig, session, cycle % 2 === 0 ? 'btw' : 'side', `Question ${cycle}?`)
        await sideTurnEnd(rig, side.id)
        await closeSide(rig, side)
        if (cycle % 50 === 0) rig.model.clear()
        if (cycle % 50 === 0) rig.model.script({ behaviour: { kind: 'plain', text: 'Short.', chunkMs: 0 } })
      }
    }
    const main = await rig.newSession()
    await rig.ask(main, 'Hello.')
    const idle = await rig.newSession()
    await rig.ask(idle, 'Hello.')
    await cycles(main, WARM_UP)
    await askProbe(rig, main)
    const before = { ...(await askProbe(rig, main)), ...(await heap(main)) }

    await cycles(main, CYCLES)
    const after = { ...(await askProbe(rig, main)), ...(await heap(main)) }
    // As many commands that do nothing, in a conversation of their own: the price that the host itself takes.
    for (let command = 0; command < 2 * CYCLES; command += 1) await rig.command(idle, '/probe-nothing')
    const commands = await heap(main)

    const looks = { before: before.heapUsed, after: after.heapUsed, afterNothing: commands.heapUsed }
    const { ours, theirs } = heapGrowth(looks)
    recordFigures('leaks-host', [
      {
        what: `the host's heap after ${CYCLES.toLocaleString('en')} sides`,
        measured: megabytes(ours),
        beside: `${(2 * CYCLES).toLocaleString('en')} commands that do nothing: ${megabytes(theirs)}`,
      },
      {
        what: '  agents, sessions, listeners, timers',
        measured: [after.agents.length, after.sessions.length, after.listeners, after.timers].join(', '),
        beside: `before: ${[before.agents.length, before.sessions.length, before.listeners, before.timers].join(', ')}`,
      },
    ])
    console.log(`${CYCLES} sides: heap ${megabytes(ours)}; commands that do nothing: ${megabytes(theirs)}`)
    expect(after.agents).toEqual(before.agents)
    expect(after.sessions).toEqual(before.sessions)
    expect(after.listeners).toBe(before.listeners)
    expect(after.timers).toBeLessThanOrEqual(before.timers + 2)
    expectNoHeapGrowth(looks)
  }, 900_000)
})
