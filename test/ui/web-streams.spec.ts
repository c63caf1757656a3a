/** Many sides over one connection: nothing is lost and nobody is forgotten. */

import { describe, expect, it } from 'vitest'
import type { Envelope, StreamSignal } from '../../src/wire/index.ts'
import type { SideId, StreamMessage, Told, Wanted } from '../../src/service/client.ts'
import { createLine } from '../../ui/web/line.ts'
import { followSide } from '../../ui/web/streams.ts'

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

const ofSide = (name: string, message: StreamMessage<Envelope>): Told => ({ kind: 'side', side: sideOf(name), message })
const refused = (name: string): Told => ({ kind: 'refusedSide', side: sideOf(name), code: 'expired' })

/** A service of which the test says what it streams. */
function startRig() {
  const timers: (() => void)[] = []
  const lines: { wanted: Wanted; push: (next: Told | Error | null) => void; over: boolean }[] = []
  const heard = new Map<string, StreamSignal[]>()
  let trouble = 0
  const line = createLine({
    client: {
      async *events(wanted, signal) {
        const queue: (Told | Error | null)[] = []
        let wake = (): void => {}
        const one = {
          wanted,
          over: false,
          push(next: Told | Error | null) {
            queue.push(next)
            wake()
          },
        }
        lines.push(one)
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
          one.over = true
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
    line,
    heard,
    trouble: () => trouble,
    settle,
    open: () => lines.filter((one) => !one.over),
    /** What the newest line was asked for: names of sides, with what they had. */
    wanted: () =>
      Object.fromEntries(
        lines.at(-1)?.wanted.sides.map(({ side, after }) => [side.sideSessionId, after ?? null]) ?? [],
      ),
    async push(...told: (Told | Error | null)[]) {
      for (const one of told) lines.at(-1)?.push(one)
      await settle()
    },
    /** Lets the time pass that somebody waits for. */
    async pass() {
      for (const task of timers.splice(0)) task()
      await settle()
    },
    follow(name: string) {
      heard.set(name, [])
      return followSide(line, sideOf(name), (signal) => heard.get(name)?.push(signal))
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

describe('the line of a page', () => {
  it('is one for all sides, and goes on where it was for those who were there when another joins or leaves', async () => {
    const rig = startRig()
    const names = ['a', 'b', 'c', 'd', 'e']
    const stops = names.map((name) => rig.follow(name))
    await rig.pass()
    expect(rig.open().length).toBe(1)
    await rig.push(
      { kind: 'open' },
      ...names.map((name) => ofSide(name, { kind: 'snapshot', sequence: 4, events: [] })),
    )
    await rig.push(ofSide('b', event('b', 5, 'one ')))
    rig.follow('f')
    stops[0]?.()
    await rig.pass()
    expect(rig.open().length).toBe(1)
    expect(rig.wanted()).toEqual({ b: 5, c: 4, d: 4, e: 4, f: null })
    await rig.push({ kind: 'open' }, ofSide('b', event('b', 6, 'two')))
    expect(rig.said('b')).toEqual(['one ', 'two'])
    for (const name of names) expect(rig.heard.get(name)?.filter(({ kind }) => kind === 'reset').length, name).toBe(1)
    for (const name of names) expect(rig.heard.get(name)?.at(-1), name).not.toMatchObject({ state: 'disconnected' })
    expect(rig.trouble()).toBe(0)
  })

  it('comes back behind the last event after a drop, and says so meanwhile', async () => {
    const rig = startRig()
    rig.follow('a')
    rig.follow('quiet')
    await rig.pass()
    await rig.push({ kind: 'open' }, ofSide('quiet', { kind: 'snapshot', sequence: 7, events: [] }))
    await rig.push(ofSide('a', { kind: 'snapshot', sequence: 1, events: [] }), ofSide('a', event('a', 2, 'one ')), null)
    expect(rig.trouble()).toBe(1)
    for (const name of ['a', 'quiet'])
      expect(rig.heard.get(name)?.at(-1)).toEqual({ kind: 'connection', state: 'disconnected' })
    await rig.pass()
    expect(rig.wanted()).toEqual({ a: 2, quiet: 7 })
    // What is told twice counts once. One to whom nothing happened is back all the same.
    await rig.push({ kind: 'open' }, ofSide('a', event('a', 2, 'one ')), ofSide('a', event('a', 3, 'two')))
    expect(rig.said('a')).toEqual(['one ', 'two'])
    for (const name of ['a', 'quiet'])
      expect(rig.heard.get(name)?.findLast(({ kind }) => kind === 'connection')).toMatchObject({ state: 'connected' })
  })

  it.each([
    ['a gap', ofSide('a', event('a', 9, 'far')), 'expired sequence_gap'],
    ['a service that cannot go on', refused('a'), 'expired stream_lost'],
  ])('lets a side end at %s', async (_what, next, expected) => {
    const rig = startRig()
    rig.follow('a')
    await rig.pass()
    await rig.push({ kind: 'open' }, ofSide('a', { kind: 'snapshot', sequence: 1, events: [] }), next)
    await rig.pass()
    expect(rig.said('a')).toEqual([expected])
    expect(rig.open()).toEqual([])
  })

  it('tells nobody what is of a side that nobody follows', async () => {
    const rig = startRig()
    rig.follow('a')
    await rig.pass()
    await rig.push({ kind: 'open' }, ofSide('b', event('b', 1, 'foreign')))
    expect(rig.said('a')).toEqual([])
  })

  it('says of a side that the service does not know that its page was gone too long', async () => {
    const rig = startRig()
    rig.follow('a')
    await rig.pass()
    await rig.push({ kind: 'open' }, refused('a'))
    expect(rig.said('a')).toEqual(['expired client_lost'])
  })

  it('is let go when nobody follows', async () => {
    const rig = startRig()
    const stop = rig.follow('a')
    await rig.pass()
    stop()
    await rig.pass()
    expect(rig.open()).toEqual([])
    await rig.pass()
    expect(rig.open()).toEqual([])
  })
})
