/** Many sides over few connections: nothing is lost and nobody is forgotten. */

import { describe, expect, it } from 'vitest'
import { SideError, type Envelope, type StreamSignal } from '../../src/wire/index.ts'
import type { SideId, StreamMessage } from '../../src/service/client.ts'
import { createStreams } from '../../ui/web/streams.ts'

const sideOf = (name: string): SideId => ({
  workspaceId: 'w',
  sourceSessionId: 'p',
  sideSessionId: name,
  requestId: `${name}-r`,
})

const event = (name: string, sequence: number, text: string): StreamMessage<Envelope> => ({
  kind: 'event',
  sequence,
  event: {
    workspaceId: 'w',
    sourceSessionId: 'p',
    sideSessionId: name,
    sequence,
    eventType: 'message_delta',
    data: {
      messageId: 'm',
      turnId: 't',
      role: 'assistant',
      kind: 'text',
      content: { operation: 'append_text', text },
    },
  },
})

/** A service of which the test says what it streams. */
function startRig() {
  const timers: (() => void)[] = []
  const open = new Map<
    string,
    { after: number | undefined; push: (next: StreamMessage<Envelope> | Error | null) => void }
  >()
  const heard = new Map<string, StreamSignal[]>()
  let trouble = 0
  const streams = createStreams({
    client: {
      async *sideEvents({ sideSessionId }, { after, signal }) {
        const queue: (StreamMessage<Envelope> | Error | null)[] = []
        let wake = (): void => {}
        const one = {
          after,
          push(next: StreamMessage<Envelope> | Error | null) {
            queue.push(next)
            wake()
          },
        }
        open.set(sideSessionId, one)
        signal.addEventListener('abort', () => one.push(null))
        try {
          for (;;) {
            const next = queue.shift()
            if (next === undefined) await new Promise<void>((resolve) => (wake = resolve))
            else if (next === null) return
            else if (next instanceof Error) throw next
            else yield next
          }
        } finally {
          if (open.get(sideSessionId) === one) open.delete(sideSessionId)
        }
      },
    },
    wait(_ms, task) {
      timers.push(task)
      return () => void timers.splice(timers.indexOf(task), timers.includes(task) ? 1 : 0)
    },
    onTrouble: () => (trouble += 1),
  })
  const settle = () => new Promise((resolve) => setTimeout(resolve))
  return {
    open,
    heard,
    trouble: () => trouble,
    settle,
    /** Lets the time pass that somebody waits for. */
    async pass() {
      for (const task of timers.splice(0)) task()
      await settle()
    },
    follow(name: string) {
      heard.set(name, [])
      return streams.follow(sideOf(name), (signal) => heard.get(name)?.push(signal))
    },
    said: (name: string) =>
      (heard.get(name) ?? []).flatMap((signal) =>
        signal.kind === 'events'
          ? signal.events.map((one) =>
              one.eventType === 'message_delta'
                ? one.data.content.text
                : one.eventType === 'state_patch'
                  ? `${one.data.lifecycleStatus} ${one.data.reason ?? ''}`.trim()
                  : one.eventType,
            )
          : [],
      ),
  }
}

describe('streams of sides', () => {
  it('are read three at once, take turns when there are more, and go on where they were', async () => {
    const rig = startRig()
    const names = ['a', 'b', 'c', 'd', 'e']
    for (const name of names) rig.follow(name)
    await rig.settle()
    expect([...rig.open.keys()]).toEqual(['a', 'b', 'c'])
    for (const name of names.slice(0, 3)) rig.open.get(name)?.push({ kind: 'snapshot', sequence: 4, events: [] })
    await rig.settle()
    const seen = new Set<string>()
    for (let turn = 0; turn < 5; turn += 1) {
      await rig.pass()
      expect(rig.open.size).toBe(3)
      for (const [name, { after, push }] of rig.open) {
        if (names.indexOf(name) > 2 && !seen.has(name)) push({ kind: 'snapshot', sequence: 4, events: [] })
        else expect(after === undefined || after >= 4 || seen.has(name)).toBe(true)
        seen.add(name)
      }
      await rig.settle()
    }
    expect([...seen].toSorted()).toEqual(names)
    rig.open.get('a')?.push(event('a', 5, 'later'))
    await rig.settle()
    for (const name of names) expect(rig.heard.get(name)?.filter(({ kind }) => kind === 'reset').length, name).toBe(1)
    expect(rig.trouble()).toBe(0)
  })

  it('come back behind the last event after a drop, and say so meanwhile', async () => {
    const rig = startRig()
    rig.follow('a')
    await rig.settle()
    rig.open.get('a')?.push({ kind: 'snapshot', sequence: 1, events: [] })
    rig.open.get('a')?.push(event('a', 2, 'one '))
    await rig.settle()
    rig.open.get('a')?.push(null)
    await rig.settle()
    expect(rig.trouble()).toBe(1)
    expect(rig.heard.get('a')?.at(-1)).toEqual({ kind: 'connection', state: 'disconnected' })
    await rig.pass()
    expect(rig.open.get('a')?.after).toBe(2)
    // What is told twice counts once.
    rig.open.get('a')?.push(event('a', 2, 'one '))
    rig.open.get('a')?.push(event('a', 3, 'two'))
    await rig.settle()
    expect(rig.said('a')).toEqual(['one ', 'two'])
    expect(rig.heard.get('a')?.findLast(({ kind }) => kind === 'connection')).toMatchObject({ state: 'connected' })
  })

  it.each([
    ['a gap', event('a', 9, 'far'), 'expired sequence_gap'],
    ['another side', event('b', 2, 'foreign'), 'expired identity_mismatch'],
    ['a service that cannot go on', new SideError('expired', 'not kept'), 'expired stream_lost'],
  ])('end at %s', async (_what, next, expected) => {
    const rig = startRig()
    rig.follow('a')
    await rig.settle()
    rig.open.get('a')?.push({ kind: 'snapshot', sequence: 1, events: [] })
    await rig.settle()
    rig.open.get('a')?.push(next)
    await rig.settle()
    await rig.pass()
    expect(rig.said('a')).toEqual([expected])
    expect(rig.open.size).toBe(0)
  })

  it('are let go when nobody follows', async () => {
    const rig = startRig()
    const stop = rig.follow('a')
    await rig.settle()
    stop()
    await rig.settle()
    expect(rig.open.size).toBe(0)
    await rig.pass()
    expect(rig.open.size).toBe(0)
  })
})
