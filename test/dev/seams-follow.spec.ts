/** The follow stream of hosts that have none: `ui/dsh/old-follow.ts` over hosts made of plain arrays. */
import assert from 'node:assert/strict'
import { setImmediate as tick } from 'node:timers/promises'

import * as fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { ensureSeamsPackages } from '../../dev/seams/install.ts'
import { publishedFollowCodec } from '../../dev/seams/published-codec.ts'
import {
  expectOld,
  FollowError,
  followOld,
  oldHost,
  type FollowFrame,
  type Heard,
  type OldHost,
  type SessionAddress,
  type WireEvent,
} from '../../ui/dsh/old-follow.ts'

const CHILD: SessionAddress = {
  kind: 'subagent',
  parentSessionId: 'parent',
  childSessionId: 'child',
  mode: 'one-shot',
}

const event = (seq: number, type = 'assistant/chunk'): WireEvent => ({ type, seq, time: 1000 + seq, data: { n: seq } })

/** A host with one session, whose pages hold `pageSize` events and whose messages can be held back or lost. */
function rig(length: number, pageSize = 1000) {
  const log = Array.from({ length }, (_, seq) => event(seq))
  const listeners = new Set<(news: Heard) => void>()
  let gone = false
  const host: OldHost = {
    async history(_address, { beforeSeq }) {
      await Promise.resolve()
      if (gone) throw new FollowError('subagent/not-found', 'gone')
      const end = beforeSeq ?? log.length
      const start = Math.max(0, end - pageSize)
      const page = { events: log.slice(start, end), hasMore: start > 0 }
      // The answer is on its way: what happens now is not in it.
      await tick()
      return page
    },
    listen(_id, hear) {
      listeners.add(hear)
      return () => listeners.delete(hear)
    },
  }
  return {
    host,
    log,
    listeners,
    append: () => log.push(event(log.length)),
    say: (news: Heard) => listeners.forEach((hear) => hear(news)),
    lose: () => (gone = true),
  }
}

/** Reads a stream into an array in the background. */
function collect(frames: AsyncIterable<FollowFrame>) {
  const got: FollowFrame[] = []
  const end = (async () => {
    for await (const frame of frames) got.push(frame)
  })()
  end.catch(() => undefined)
  return { got, end, seqs: () => got.flatMap((frame) => (frame.type === 'event' ? frame.event.seq : [])) }
}

/** Long enough for a few pages to arrive. */
async function settle(): Promise<void> {
  for (let i = 0; i < 8; i += 1) await tick()
}

describe('followOld', () => {
  it('sends the log so far, then each later event once', async () => {
    const { host, append, say, log } = rig(3)
    const stop = new AbortController()
    const { got, seqs, end } = collect(followOld({ address: CHILD }, host, stop.signal))
    await settle()
    for (let i = 0; i < 3; i += 1) {
      append()
      say(log.at(-1)!)
    }
    await settle()
    expect(got[0]).toMatchObject({ type: 'snapshot', cursor: 2, hasMore: false, header: { id: 'child' } })
    expect(seqs()).toEqual([3, 4, 5])
    stop.abort()
    await end
  })

  it('drops what the log already had when its reading began', async () => {
    const { host, append, say, log } = rig(2)
    const stop = new AbortController()
    const { got, seqs, end } = collect(followOld({ address: CHILD }, host, stop.signal))
    // Heard while the log is being read, and in it.
    append()
    say(log[2]!)
    await settle()
    append()
    say(log[3]!)
    await settle()
    expect(got[0]).toMatchObject({ cursor: 2 })
    expect(seqs()).toEqual([3])
    stop.abort()
    await end
  })

  it('keeps what happens while the log is on its way', async () => {
    const { host, append, say, log } = rig(2)
    const stop = new AbortController()
    const { got, seqs, end } = collect(followOld({ address: CHILD }, host, stop.signal))
    await Promise.resolve()
    await Promise.resolve()
    append()
    say(log[2]!)
    await settle()
    expect(got[0]).toMatchObject({ cursor: 1 })
    expect(seqs()).toEqual([2])
    stop.abort()
    await end
  })

  it('reads on, page by page, when the connection lost events', async () => {
    const { host, append, say, log } = rig(1, 2)
    const stop = new AbortController()
    const { seqs, end } = collect(followOld({ address: CHILD }, host, stop.signal))
    await settle()
    for (let i = 0; i < 5; i += 1) append()
    say('missed')
    await settle()
    append()
    say(log.at(-1)!)
    await settle()
    expect(seqs()).toEqual([1, 2, 3, 4, 5, 6])
    stop.abort()
    await end
  })

  it('says so when the session is gone after a lost connection', async () => {
    const { host, say, lose } = rig(1)
    const { end } = collect(followOld({ address: CHILD }, host))
    await settle()
    lose()
    say('missed')
    await expect(end).rejects.toMatchObject({ name: 'FollowError', code: 'subagent/not-found' })
  })

  it('fails rather than leaving something out', async () => {
    const { host, say } = rig(1)
    const { end } = collect(followOld({ address: CHILD }, host))
    await settle()
    say(event(7))
    await expect(end).rejects.toMatchObject({ code: 'gateway/internal' })
  })

  it('ends quietly on abort and stops listening', async () => {
    const { host, listeners } = rig(1)
    const stop = new AbortController()
    const { end } = collect(followOld({ address: CHILD }, host, stop.signal))
    await settle()
    expect(listeners.size).toBe(1)
    stop.abort()
    await end
    expect(listeners.size).toBe(0)
  })

  it('names the end of the inherited part', async () => {
    const { host, log } = rig(4)
    log[2] = event(2, 'session/end-seed')
    const stop = new AbortController()
    const { got, end } = collect(followOld({ address: CHILD }, host, stop.signal))
    await settle()
    expect(got[0]).toMatchObject({ header: { seedLength: 2, parentSession: 'parent', origin: 'subagent' } })
    stop.abort()
    await end
  })

  it('shows every event exactly once however arrival, loss and reading interleave', async () => {
    const steps = fc.array(fc.constantFrom('append', 'deliver', 'lose', 'reconnect', 'wait'), { maxLength: 60 })
    await fc.assert(
      fc.asyncProperty(steps, fc.integer({ min: 1, max: 4 }), async (plan, pageSize) => {
        const { host, log, append, say } = rig(2, pageSize)
        const stop = new AbortController()
        const { got, seqs, end } = collect(followOld({ address: CHILD }, host, stop.signal))
        const line: WireEvent[] = []
        let broken = false
        for (const step of plan) {
          if (step === 'append') {
            append()
            if (!broken) line.push(log.at(-1)!)
          } else if (step === 'deliver') {
            const next = line.shift()
            if (next !== undefined) say(next)
          } else if (step === 'lose') {
            broken = true
            line.length = 0
          } else if (step === 'reconnect') {
            broken = false
            say('missed')
          } else await tick()
        }
        if (broken) say('missed')
        for (const late of line) say(late)
        for (let i = 0; i < 30; i += 1) await tick()
        const first = got[0]
        assert(first?.type === 'snapshot')
        expect(seqs()).toEqual(log.map(({ seq }) => seq).filter((seq) => seq > first.cursor))
        stop.abort()
        await end
      }),
      { numRuns: 100 },
    )
  })
})

/** The page's connection of such a host, as far as it is looked at. */
function connection(answers: { session: unknown; subagent: unknown }) {
  const asked: string[] = []
  const taps = new Set<(batch: readonly unknown[]) => void>()
  const watchers = new Set<() => void>()
  let description: object | undefined = {}
  const answer = (name: string, result: unknown) => async () => {
    asked.push(name)
    await Promise.resolve()
    return { rpcId: 'r', result }
  }
  return {
    asked,
    tell: (...batch: unknown[]) => taps.forEach((tap) => tap(batch)),
    connected: (now: boolean) => {
      description = now ? {} : undefined
      watchers.forEach((changed) => changed())
    },
    handle: {
      api: {
        sessions: { history: answer('session', answers.session) },
        subagents: { history: answer('subagent', answers.subagent) },
        subscribeEnvelopes(tap: (batch: readonly unknown[]) => void) {
          taps.add(tap)
          return () => taps.delete(tap)
        },
      },
      hostDescription: {
        getSnapshot: () => description,
        subscribe(changed: () => void) {
          watchers.add(changed)
          return () => watchers.delete(changed)
        },
      },
    },
  }
}

/** What its RPC says when it cannot. */
const missing = (code: string) => ({ ok: false, error: { code, message: 'no', details: {} } })

describe('a session that is heard of since before it exists', () => {
  /** A child that inherited 1,000 events; its own begin at 1,000. */
  function early(inherited = 1_000) {
    const one = rig(inherited)
    let reads = 0
    const host: OldHost = {
      ...one.host,
      history(...wanted) {
        reads += 1
        return one.host.history(...wanted)
      },
    }
    const expected = expectOld('child', host)
    const stop = new AbortController()
    const follow = () => collect(followOld({ address: CHILD }, host, stop.signal, { expected, from: inherited }))
    const happen = (): void => {
      one.append()
      one.say(one.log.at(-1)!)
    }
    return { ...one, expected, stop, follow, happen, reads: () => reads }
  }

  it('is followed without reading its log: what it inherited is not sent', async () => {
    const { follow, happen, reads, stop } = early()
    happen()
    happen()
    const { got, seqs, end } = follow()
    await settle()
    happen()
    await settle()
    expect(got[0]).toMatchObject({ type: 'snapshot', cursor: 999, records: [], hasMore: true })
    expect(seqs()).toEqual([1_000, 1_001, 1_002])
    expect(reads()).toBe(0)
    stop.abort()
    await end
  })

  it('reads the log when nothing was heard: the line to the host may have come up when all was over', async () => {
    const { follow, append, reads, stop } = early()
    append()
    const { got, end } = follow()
    await settle()
    expect(reads()).toBe(1)
    expect(JSON.stringify(got)).toContain('1000')
    stop.abort()
    await end
  })

  it.each(['an event was not heard', 'the connection was lost'])('reads the log when %s', async (why) => {
    const { follow, append, happen, say, reads, stop } = early(2)
    if (why === 'an event was not heard') append()
    else say('missed')
    happen()
    const { got, end } = follow()
    await settle()
    expect(reads()).toBe(1)
    expect(got[0]).toMatchObject({ cursor: why === 'an event was not heard' ? 3 : 2 })
    stop.abort()
    await end
  })

  it('is not heard any more when it is given up, nor when its stream ends', async () => {
    const one = early()
    one.expected.drop()
    expect(one.listeners.size).toBe(0)
    const two = early()
    const { end } = two.follow()
    await settle()
    two.expected.drop()
    expect(two.listeners.size).toBe(1)
    two.stop.abort()
    await end
    expect(two.listeners.size).toBe(0)
  })
})

describe('oldHost', () => {
  const page = { ok: true, value: { events: [{ event: event(0), view: { for: 'call' } }], hasMore: false } }
  const signal = new AbortController().signal

  it('is not there for connections of another kind', () => {
    expect(oldHost(undefined)).toBeUndefined()
    expect(oldHost({ api: { sessions: {} } })).toBeUndefined()
  })

  it('reads a child over either history and says not found when neither has it', async () => {
    const direct = connection({ session: page, subagent: missing('subagent-not-found') })
    await expect(oldHost(direct.handle)!.history(CHILD, {}, signal)).resolves.toEqual({
      events: [event(0)],
      hasMore: false,
    })
    expect(direct.asked).toEqual(['session'])

    const linked = connection({ session: missing('session-not-found'), subagent: page })
    await expect(oldHost(linked.handle)!.history(CHILD, {}, signal)).resolves.toMatchObject({ hasMore: false })

    const none = connection({ session: missing('session-not-found'), subagent: missing('subagent-not-found') })
    await expect(oldHost(none.handle)!.history(CHILD, {}, signal)).rejects.toMatchObject({ code: 'subagent/not-found' })
    const session: SessionAddress = { kind: 'session', sessionId: 'x' }
    await expect(oldHost(none.handle)!.history(session, {}, signal)).rejects.toMatchObject({
      code: 'session/not-found',
    })
  })

  it('hears its own session only, and that it may have missed something', () => {
    const { handle, tell, connected } = connection({ session: page, subagent: page })
    const heard: Heard[] = []
    const stop = oldHost(handle)!.listen('child', (news) => heard.push(news))
    const told = (sessionId: string) => ({
      type: 'server-request',
      method: 'session/event',
      payload: { type: 'session/event', sessionId, event: event(5) },
    })
    tell(told('other'), { type: 'client-request', method: 'session.list', payload: {} }, told('child'), null)
    connected(false)
    connected(true)
    stop()
    tell(told('child'))
    connected(false)
    connected(true)
    expect(heard).toEqual([event(5), 'missed'])
  })
})

describe('the published protocol', () => {
  let codec: Awaited<ReturnType<typeof publishedFollowCodec>>
  beforeAll(async () => {
    await ensureSeamsPackages()
    codec = await publishedFollowCodec()
  }, 120_000)

  it('takes our request and every frame of ours as it is', async () => {
    const request = { address: CHILD, maxMessages: 5 }
    expect(codec.request.parse(request)).toEqual(request)
    const { host, append, say, log } = rig(3)
    const stop = new AbortController()
    const { got, end } = collect(followOld(request, host, stop.signal))
    await settle()
    append()
    say(log.at(-1)!)
    await settle()
    stop.abort()
    await end
    expect(got).toHaveLength(2)
    expect(got.map((frame) => codec.frame.parse(frame))).toEqual(got)
  })
})
