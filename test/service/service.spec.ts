/** The service over HTTP: every code of its closed set, who is let in, streams, and what nonsense does. */
import { request as httpRequest } from 'node:http'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { Envelope } from '../../src/core/contract.ts'
import { SIDE_ERROR_CODES, SideError } from '../../src/core/errors.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript } from '../../src/core/projector.ts'
import type { SideId, StreamMessage, Told } from '../../src/service/client.ts'
import { ROUTES, type STATUS } from '../../src/service/routes.ts'
import { startService, TOKEN, type ServiceRig } from '../kit/service.ts'
import { waitUntil } from '../kit/codex.ts'

let rig: ServiceRig
beforeEach(async () => {
  rig = await startService()
})
afterEach(() => rig.close())

const source = { workspaceId: 'w', sourceSessionId: 'parent-1' }
const identity = (side: string): SideId => ({ ...source, sideSessionId: side, requestId: `${side}-request` })

async function open(side: string): Promise<SideId> {
  await rig.client.call('open', {
    body: { source, sideSessionId: side, requestId: `${side}-request`, kind: 'side' },
  })
  return identity(side)
}

function send(side: SideId, turnId: string, text = 'why?') {
  return rig.client.call('send', { body: { side, turnId, clientSubmitId: turnId, text } })
}

/** Reads a side's stream into a transcript until `isDone`. */
async function read(
  side: SideId,
  isDone: (transcript: Transcript) => boolean,
  after?: number,
): Promise<{ transcript: Transcript; messages: StreamMessage<Envelope>[] }> {
  const abort = new AbortController()
  let transcript = EMPTY_TRANSCRIPT
  const messages: StreamMessage<Envelope>[] = []
  for await (const message of rig.client.sideEvents(side, {
    signal: abort.signal,
    ...(after === undefined ? {} : { after }),
  })) {
    messages.push(message)
    if (message.kind === 'snapshot')
      transcript = message.events.reduce((view, event) => project(view, event), EMPTY_TRANSCRIPT)
    else transcript = project(transcript, message.event)
    if (isDone(transcript)) break
  }
  abort.abort()
  return { transcript, messages }
}

const settled = (transcript: Transcript): boolean => transcript.turns.at(-1)?.phase === 'settled'

describe('the operations', () => {
  it('resolve, open, send, follow and close a side', async () => {
    expect(await rig.client.call('resolve', { body: { source } })).toMatchObject({
      capabilities: { supported: true },
      liveTurn: false,
    })
    const side = await open('side-1')
    await send(side, 'turn-1')
    const { transcript } = await read(side, settled)
    expect(transcript.turns[0]).toMatchObject({ question: 'why?', outcome: 'completed' })
    expect(await rig.client.call('close', { body: { side } })).toEqual({
      found: true,
      hidden: false,
      cleanupPending: false,
    })
    expect(rig.provider.children()).toEqual([])
  })

  it('hide a side and bring it back', async () => {
    const side = await open('side-1')
    expect(await rig.client.call('close', { body: { side, keepForMs: 5_000 } })).toMatchObject({ hidden: true })
    await rig.client.call('reopen', { body: { side } })
    await rig.client.call('touch', { body: { side, visible: true } })
    await send(side, 'turn-1')
  })

  it('list, start, attach, read, ask, interrupt and answer threads', async () => {
    const params = { threadId: 'parent-1' }
    expect((await rig.client.call('listThreads', {})).threads).toHaveLength(1)
    expect(await rig.client.call('startThread', { body: {} })).toMatchObject(params)
    expect(await rig.client.call('attachThread', { params })).toMatchObject(params)
    expect(await rig.client.call('readThread', { params })).toMatchObject({ ...params, sequence: 0 })
    await rig.client.call('askThread', { params, body: { turnId: 't', text: 'hello' } })
    await rig.client.call('interruptThread', { params, body: { turnId: 't' } })
    await rig.client.call('answerThread', { params, body: { requestId: '0', decision: 'decline' } })
    expect(await rig.client.call('status', {})).toMatchObject({ connected: true })
  })
})

describe('every code of the closed set has its status', () => {
  const reached = new Set<string>()
  async function expectCode(code: keyof typeof STATUS, work: Promise<unknown>): Promise<void> {
    await expect(work).rejects.toMatchObject({ code })
    reached.add(code)
  }

  it('unsupported', async () => {
    rig.provider.faults.capabilities = { ...rig.provider.faults.capabilities, ephemeral: false }
    await expectCode('unsupported', open('side-1'))
  })
  it('conflict', async () => {
    await open('side-1')
    await expectCode(
      'conflict',
      rig.client.call('open', { body: { source, sideSessionId: 'side-1', requestId: 'other', kind: 'side' } }),
    )
    await expectCode('conflict', open('a-session'))
  })
  it('in_progress', async () => {
    const side = await open('side-1')
    rig.provider.fail('close', 1)
    expect(await rig.client.call('close', { body: { side } })).toMatchObject({ cleanupPending: true })
    await expectCode('in_progress', open('side-1'))
  })
  it('turn_active', async () => {
    rig.provider.script('stall')
    const side = await open('side-1')
    await send(side, 'turn-1')
    await expectCode('turn_active', send(side, 'turn-2'))
  })
  it('expired', async () => {
    await expectCode('expired', send(identity('side-9'), 'turn-1'))
    await expectCode('expired', rig.client.call('touch', { body: { side: identity('side-9'), visible: true } }))
    await expectCode(
      'expired',
      read(identity('side-9'), () => true),
    )
  })
  it('limit_reached', async () => {
    for (let at = 0; at < 8; at += 1) await open(`side-${at}`)
    await expectCode('limit_reached', open('side-8'))
  })
  it('interaction_not_live, interaction_invalid_response, interaction_already_answered', async () => {
    rig.provider.script('ask')
    const side = await open('side-1')
    await send(side, 'turn-1')
    const { transcript } = await read(side, (view) => (view.turns[0]?.interactions.length ?? 0) > 0)
    const requestId = transcript.turns[0]?.interactions[0]?.requestId ?? ''
    const respond = (id: string, response: unknown) =>
      rig.client.call('respond', { body: { side, turnId: 'turn-1', requestId: id, response } })
    await expectCode('interaction_not_live', respond('nothing', { decision: 'allow' }))
    await expectCode('interaction_invalid_response', respond(requestId, {}))
    await respond(requestId, { decision: 'allow' })
    await expectCode('interaction_already_answered', respond(requestId, { decision: 'allow' }))
  })
  it('invalid_request', async () => {
    const side = await open('side-1')
    await expectCode('invalid_request', send(side, 'turn-1', '   '))
    await expectCode('invalid_request', send(side, 'turn-1', 'x'.repeat(100_001)))
    await expectCode('invalid_request', send(side, 'turn-1', 'x'.repeat(1_000_000)))
    await expectCode('invalid_request', open('  '))
  })
  it('not_found', async () => {
    await expectCode('not_found', rig.client.call('readThread', { params: { threadId: 'other' } }))
    await expectCode(
      'not_found',
      rig.client.call('resolve', { body: { source: { workspaceId: 'w', sourceSessionId: 'unknown' } } }),
    )
  })
  it('stream_unavailable', async () => {
    await rig.close()
    rig = await startService({ streams: 1 })
    const side = await open('side-1')
    const abort = new AbortController()
    const first = rig.client.sideEvents(side, { signal: abort.signal })
    await first.next()
    await expectCode(
      'stream_unavailable',
      read(side, () => true),
    )
    abort.abort()
  })
  it('provider_error', async () => {
    rig.provider.fail('open', 1, new Error('broken'))
    await expectCode('provider_error', open('side-1'))
  })
  it('and no code is left out', () => {
    expect([...reached].toSorted()).toEqual([...SIDE_ERROR_CODES].toSorted())
  })

  it('says it in a sentence, English or Chinese', async () => {
    const ask = (language: string) =>
      rig.fetch('/v1/threads/other', { headers: { 'accept-language': language } }).then((response) => response.json())
    expect(await ask('en-GB')).toEqual({ code: 'not_found', message: 'There is nothing of this name.' })
    expect(await ask('zh-CN,en;q=0.5')).toEqual({ code: 'not_found', message: '没有找到。' })
  })
})

describe('who is let in', () => {
  /** Raw, because fetch sets Host and Origin itself. */
  function raw(headers: Record<string, string>, path = '/v1/status'): Promise<{ status: number; body: string }> {
    return new Promise((resolve, reject) => {
      const sent = httpRequest({ host: '127.0.0.1', port: rig.port, path, headers }, (answer) => {
        let body = ''
        answer.on('data', (chunk: Buffer) => (body += chunk.toString()))
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
      })
      sent.on('error', reject)
      sent.end()
    })
  }
  const authorization = `Bearer ${TOKEN}`

  it('a program with the token, and a page of the service’s own origin', async () => {
    expect((await raw({ authorization })).status).toBe(200)
    expect((await raw({ authorization, origin: rig.url })).status).toBe(200)
    expect((await raw({ authorization, host: `localhost:${rig.port}` })).status).toBe(200)
  })

  it.each([
    ['no token', {}, 401],
    ['a wrong token', { authorization: 'Bearer wrong' }, 401],
    ['a token of another length', { authorization: `${authorization}x` }, 401],
    ['another origin', { authorization, origin: 'http://evil.example' }, 403],
    ['a null origin', { authorization, origin: 'null' }, 403],
    ['a foreign Host', { authorization, host: 'evil.example' }, 403],
    ['another port of this machine', { authorization, host: '127.0.0.1:1' }, 403],
    ['a cross-site page', { authorization, 'sec-fetch-site': 'cross-site' }, 403],
  ])('nobody with %s, and they get nothing', async (_who, headers, status) => {
    for (const path of ['/v1/status', '/v1/threads', '/v1/sides/events?x=1'])
      expect(await raw(headers as Record<string, string>, path)).toEqual({ status, body: '' })
  })

  it('only on loopback', () => {
    expect(rig.url).toContain('127.0.0.1')
  })
})

describe('streams', () => {
  it('resume behind any sequence as if the client had never left', async () => {
    const side = await open('side-1')
    await send(side, 'turn-1')
    const whole = await read(side, settled)
    const last = whole.messages.at(-1)?.sequence ?? 0
    const numbered = await read(side, settled, 0)
    expect(numbered.messages.map(({ sequence }) => sequence)).toEqual(Array.from({ length: last }, (_, at) => at + 1))
    expect(numbered.transcript).toEqual(whole.transcript)
    for (let after = 1; after < last; after += 1) {
      const rest = await read(side, settled, after)
      expect(rest.messages[0]?.sequence).toBe(after + 1)
    }
  })

  it('end the side when a client resumes behind what is not there', async () => {
    const side = await open('side-1')
    await expect(read(side, () => true, 99)).rejects.toMatchObject({ code: 'expired' })
    await waitUntil('the side is gone', () => rig.provider.children().length === 0)
    const { transcript } = await read(side, () => true)
    expect(transcript).toMatchObject({ lifecycle: 'expired', reason: 'sequence_gap' })
  })

  it('tell the end and close', async () => {
    const side = await open('side-1')
    const reading = read(side, () => false)
    await rig.client.call('close', { body: { side } })
    expect((await reading).transcript.lifecycle).toBe('closed')
  })

  it('of a thread carry what is said in it', async () => {
    const abort = new AbortController()
    const events = rig.client.threadEvents('parent-1', { signal: abort.signal })
    expect((await events.next()).value).toMatchObject({ kind: 'snapshot', sequence: 0 })
    rig.say({ eventType: 'state_patch', data: { turn: { turnId: 't', phase: 'submitted' } } })
    expect((await events.next()).value).toMatchObject({ kind: 'event', sequence: 1 })
    abort.abort()
  })

  it('of many come over one connection, each with whose it is, and what cannot be told is named', async () => {
    const [first, second] = [await open('side-1'), await open('side-2')]
    const gone = { ...first, sideSessionId: 'side-9' }
    const abort = new AbortController()
    const line = rig.client.events(
      {
        sides: [{ side: first }, { side: second, after: 1 }, { side: gone }],
        threads: [{ threadId: 'parent-1' }, { threadId: 'other' }],
      },
      abort.signal,
    )
    const told: Told[] = []
    const until = async (isIt: (one: Told) => boolean): Promise<void> => {
      for (;;) {
        const { value, done } = await line.next()
        if (done === true) return
        told.push(value)
        if (isIt(value)) return
      }
    }
    await until((one) => one.kind === 'thread')
    expect(told[0]).toEqual({ kind: 'open' })
    expect(told.filter(({ kind }) => kind.startsWith('refused'))).toMatchObject([
      { kind: 'refusedSide', side: { sideSessionId: 'side-9' }, code: 'expired' },
      { kind: 'refusedThread', threadId: 'other', code: 'not_found' },
    ])
    expect(told.filter(({ kind }) => kind === 'side')[0]).toMatchObject({
      side: { sideSessionId: 'side-1' },
      message: { kind: 'snapshot' },
    })
    await send(second, 'turn-2', 'and this?')
    await rig.client.call('close', { body: { side: first } })
    await rig.client.call('close', { body: { side: second } })
    rig.say({ eventType: 'state_patch', data: { lifecycleStatus: 'closed' } })
    // When all of them ended, so does the line.
    await until(() => false)
    for (const [side, from] of [
      [first, 0],
      [second, 1],
    ] as const) {
      const mine = told.flatMap((one) =>
        one.kind === 'side' && one.side.sideSessionId === side.sideSessionId ? [one.message] : [],
      )
      const events = mine.flatMap((message) => (message.kind === 'event' ? [message.event] : []))
      expect(events.map(({ sequence }) => sequence)).toEqual(
        events.map((_event, at) => at + 1 + (mine[0]?.kind === 'snapshot' ? mine[0].sequence : from)),
      )
      expect(events.at(-1)).toMatchObject({ eventType: 'state_patch', data: { lifecycleStatus: 'closed' } })
    }
    abort.abort()
  })

  it('of many keep their sides alive, and let them go with the line', async () => {
    await rig.close()
    rig = await startService({ limits: { lostClientMs: 40 } })
    const side = await open('side-1')
    const abort = new AbortController()
    const line = rig.client.events({ sides: [{ side }], threads: [] }, abort.signal)
    await line.next()
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(rig.provider.children().length).toBe(1)
    abort.abort()
    await waitUntil('the side is let go', () => rig.provider.children().length === 0)
  })

  it('end with the service, and leave no socket', async () => {
    const side = await open('side-1')
    const reading = read(side, () => false)
    await rig.client.call('status', {})
    await rig.listening.close()
    await reading
    await expect(rig.client.call('status', {})).rejects.toBeInstanceOf(SideError)
  })
})

describe('nonsense', () => {
  const posts = Object.values(ROUTES)
    .filter((route) => route.method === 'post')
    .map((route) => route.path.replace('{threadId}', 'parent-1'))

  it('never yields a 500, whatever the body', async () => {
    const seen = new Map<number, number>()
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...posts),
        fc.oneof(
          fc.json(),
          fc.string(),
          fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('latin1')),
          fc
            .record(
              {
                source: fc.anything(),
                side: fc.record({
                  workspaceId: fc.anything(),
                  sourceSessionId: fc.anything(),
                  sideSessionId: fc.anything(),
                  requestId: fc.anything(),
                }),
                sideSessionId: fc.anything(),
                requestId: fc.anything(),
                kind: fc.constantFrom('side', 'btw', 'x'),
                turnId: fc.anything(),
                text: fc.anything(),
                response: fc.anything(),
              },
              { requiredKeys: [] },
            )
            .map((value) => {
              try {
                return JSON.stringify(value) ?? ''
              } catch {
                return '{'
              }
            }),
        ),
        fc.constantFrom('application/json', 'text/plain', ''),
        async (path, body, type) => {
          const response = await rig.fetch(path, { method: 'POST', body, headers: { 'content-type': type } })
          await response.arrayBuffer()
          seen.set(response.status, (seen.get(response.status) ?? 0) + 1)
          expect(response.status).toBeLessThan(500)
        },
      ),
      { numRuns: 600 },
    )
    expect(seen.get(400) ?? 0).toBeGreaterThan(100)
    expect(await rig.client.call('status', {})).toMatchObject({ connected: true })
  })

  it.each(['/', '/v1', '/v1/nothing', '/v1/sides/%00', '/v1/threads/..%2f..%2fetc', '/t/x/', '/%'])(
    'answers %s in words',
    async (path) => {
      expect((await rig.fetch(path)).status).toBe(404)
    },
  )
})
