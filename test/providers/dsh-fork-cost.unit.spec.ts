/** What a fork costs us, counted: how often an event of a long parent is read, and what of it is copied. */
import { describe, expect, it } from 'vitest'

import { createAsking } from '../../src/providers/dsh/asking.ts'
import { createChild } from '../../src/providers/dsh/child.ts'
import { captureParent } from '../../src/providers/dsh/parent.ts'
import { seedOf } from '../../src/providers/dsh/seed.ts'
import type { SubagentHelpers } from '../../src/providers/dsh/seams.ts'
import type { VendorEvent } from '../../src/providers/dsh/translate.ts'
import { newHost } from '../kit/new-host.ts'

const TURNS = 1_000
const TOOLS = Array.from({ length: 25 }, (_, at) => ({ name: `tool-${at}` }))

/** A log of many turns that counts how often its payloads are read, and how often its tool list is. */
function countedLog() {
  const reads = { data: 0, tools: 0 }
  const events: VendorEvent[] = []
  const add = (type: string, data: unknown): void => {
    const seq = events.length
    events.push({
      type,
      seq,
      time: 0,
      get data() {
        reads.data += 1
        return data
      },
    })
  }
  const text = (words: string): unknown[] => [{ type: 'text', text: words }]
  for (let turn = 1; turn <= TURNS; turn += 1) {
    add('turn/start', { turn })
    if (turn === 1)
      add('request/header', {
        header: {
          system: 'Be brief.',
          get tools() {
            reads.tools += 1
            return TOOLS
          },
        },
      })
    add('user/message', { content: text('And now?'), source: { kind: 'user' } })
    for (let chunk = 0; chunk < 5; chunk += 1)
      add('assistant/chunk', { turn, step: 1, chunk: { type: 'text-delta', index: 0, text: 'so' } })
    add('assistant/message', { turn, message: { content: text('So it is.') } })
    add('turn/end', { turn, reason: { kind: 'completed' } })
  }
  return { events, reads }
}

async function capture(events: readonly VendorEvent[]) {
  const agent = {
    id: 'main',
    status: 'idle',
    options: { provider: 'p', model: 'm' },
    session: { events, header: { id: 'main' }, requestHeader: () => undefined },
  }
  return captureParent({ get: () => undefined } as never, agent as never, () => false, 0)
}

describe('a fork of a long conversation', () => {
  it('reads no event of it twice, and its deltas and its tool list once at most', async () => {
    const { events, reads } = countedLog()
    const { inheritedTurns } = await capture(events)
    expect(inheritedTurns).toBe(TURNS)
    const deltas = events.filter(({ type }) => type === 'assistant/chunk').length
    // A few of its newest turns are read again, for a side that takes none of them.
    expect(reads.data).toBeLessThan(events.length - deltas + 50)
    expect(reads.tools).toBe(1)
  })

  it('hands the host the events themselves', async () => {
    const { events, reads } = countedLog()
    const { from, cut } = await capture(events)
    reads.data = 0
    const seed = seedOf(events, from, cut)
    expect(seed).toHaveLength(events.length)
    expect(seed.every((event, at) => event === events[at])).toBe(true)
    expect(reads.data).toBe(0)
  })

  it('reads no more of it from the capture to the published child, and copies nothing', async () => {
    const { events, reads } = countedLog()
    const host = newHost([])
    const { session } = host.parent as { session: object }
    Object.assign(session, { snapshotEvents: (from = 0) => (from === 0 ? events : events.slice(from)) })
    const source = await captureParent(host.ctx, host.parent, () => false, 0)
    const captured = { ...reads }
    await createChild(
      host.ctx,
      host.parent,
      {
        sessionId: 'side',
        kind: 'btw',
        source,
        boundary: 'BOUNDARY',
        route: null,
        allowed: [],
        surface: 'inherit',
        asking: createAsking(),
      },
      async () => helpers,
    )
    expect(reads).toEqual(captured)
    const seed = host.created['seed'] as readonly VendorEvent[]
    expect(seed).toHaveLength(events.length)
    expect(seed.every((event, at) => event === events[at])).toBe(true)
  })
})

const helpers: SubagentHelpers = {
  resolveChildDepth: () => 1,
  snapshotSubagentDescriptor: () => ({}),
  captureDelegatedPolicyOverrides: () => null,
  appendDelegatedPolicyOverrides: () => undefined,
}
