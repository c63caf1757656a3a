/** The Codex provider against a scripted app-server: what a real one does too rarely to wait for. */
import { beforeEach, describe, expect, it } from 'vitest'

import type { ModelRoute, OpenRequest, SideEvent, SideKind } from '../../src/core/contract.ts'
import { connect, type CodexConnection } from '../../src/providers/codex/connection.ts'
import { isRecent, readServerFacts } from '../../src/providers/codex/protocol.ts'
import { createCodexProvider, type CodexProvider } from '../../src/providers/codex/provider.ts'
import { refusalOf } from '../../src/providers/codex/refusal.ts'
import type { CodexSource } from '../../src/providers/codex/source.ts'
import { manualClock } from '../core/clock.ts'
import { fakeAppServer, type FakeAppServer } from '../kit/fake-app-server.ts'

const CHILD = 'child-1'
const FORK = {
  thread: { id: CHILD, forkedFromId: 'main', ephemeral: true, path: null },
  model: 'm',
  modelProvider: 'p',
  cwd: '/work',
  approvalPolicy: 'never',
  sandbox: { type: 'readOnly' },
  reasoningEffort: null,
}

let server: FakeAppServer
let clock: ReturnType<typeof manualClock>
let connection: CodexConnection
let provider: CodexProvider
let heard: (SideEvent | string)[]

beforeEach(async () => {
  server = fakeAppServer()
  clock = manualClock()
  heard = []
  connection = await connect(server.stream, {
    clock,
    client: { name: 'test', title: 'Test', version: '0.0.0' },
    refuse: refusalOf,
  })
  provider = createCodexProvider({ clock, live: () => connection, start: () => Promise.reject(new Error('no')) })
  server.reply('thread/fork', () => FORK)
  server.reply('turn/start', () => ({ turn: { id: 'codex-turn-1' } }))
  server.reply('thread/unsubscribe', ({ threadId }) => {
    queueMicrotask(() => server.notice('thread/closed', { threadId }))
    return { status: 'unsubscribed' }
  })
})

const source: CodexSource = {
  workspaceId: 'w',
  sessionId: 'main',
  inheritedTurns: 1,
  inheritedTokens: 10,
  liveTurn: null,
  capturedAt: 0,
  started: true,
  isSide: false,
  metadata: {
    threadId: 'main',
    codexHome: '/home',
    model: 'm',
    modelProvider: 'p',
    cwd: '/work',
    hostContext: 'HOST',
    codexVersion: '0.171.0',
  },
}

function request(kind: SideKind = 'side', signal = new AbortController().signal): OpenRequest<CodexSource> {
  const side = { workspaceId: 'w', sourceSessionId: 'main', sideSessionId: 's1', requestId: 'r1' }
  return { source, side, kind, boundary: 'BOUNDARY', signal }
}

const sink = { event: (event: SideEvent) => heard.push(event), lost: (reason: string) => heard.push(reason) }
const methods = (): unknown[] => server.sent.map(({ method }) => method)
const sentTo = (method: string): Record<string, unknown>[] =>
  server.sent.filter((one) => one['method'] === method).map((one) => one['params'] as Record<string, unknown>)
const side = { identity: request().side, kind: 'side', providerSessionId: CHILD } as const

async function opened(kind: SideKind = 'side'): Promise<void> {
  await provider.open(request(kind), sink)
}

async function ask(turnId: string, route?: ModelRoute): Promise<void> {
  const own = route === undefined ? {} : { route }
  await provider.exec(side, { turnId, clientSubmitId: turnId, content: [{ type: 'text', text: 'why?' }], ...own })
}

describe('a fork', () => {
  it('hears what came before its answer, in order, and the source hears nothing of it', async () => {
    const ofSource: string[] = []
    connection.listen('main', ({ method }) => ofSource.push(method))
    server.reply('thread/fork', () => {
      server.notice('mcpServer/startupStatus/updated', { threadId: CHILD, name: 'x' })
      server.notice('thread/closed', { threadId: CHILD })
      return FORK
    })
    await expect(provider.open(request(), sink)).resolves.toMatchObject({ providerSessionId: CHILD })
    // It was already unloaded when the answer came: that is a loss, not a silence.
    expect(heard).toEqual(['provider_lost'])
    expect(ofSource).toEqual([])
    expect(connection.sizes.kept).toBe(0)
  })

  it('fails when more came early than is kept, and unsubscribes the child', async () => {
    server.reply('thread/fork', () => {
      for (let at = 0; at < 300; at += 1) server.notice('warning', { threadId: CHILD })
      return FORK
    })
    const failed = expect(provider.open(request(), sink)).rejects.toMatchObject({ code: 'provider_error' })
    await clock.advance(2_500)
    await failed
    expect(sentTo('thread/unsubscribe')).toEqual([{ threadId: CHILD }])
    expect(connection.sizes.kept).toBe(0)
    expect(provider.isSide(CHILD)).toBe(false)
  })

  it('refuses at once what is asked for a thread that may become its own', async () => {
    server.reply('thread/fork', () => {
      server.request(0, 'item/commandExecution/requestApproval', { threadId: CHILD })
      server.request('a', 'something/new', { threadId: CHILD })
      return FORK
    })
    await opened()
    expect(server.sent).toContainEqual({ id: 0, result: { decision: 'decline' } })
    expect(server.sent).toContainEqual({ id: 'a', error: expect.objectContaining({ code: -32_000 }) })
  })

  it.each([
    ['another source', { forkedFromId: 'somebody' }],
    ['no source', { forkedFromId: null }],
    ['the source itself', { id: 'main' }],
    ['a thread that is stored', { ephemeral: false, path: '/home/rollout' }],
  ])('fails for %s and touches no such thread', async (_what, wrong) => {
    server.reply('thread/fork', () => ({ ...FORK, thread: { ...FORK.thread, ...wrong } }))
    await expect(provider.open(request(), sink)).rejects.toMatchObject({ code: 'provider_error' })
    expect(methods()).not.toContain('thread/unsubscribe')
    expect(methods()).not.toContain('thread/delete')
  })

  it.each([
    ['may write', { sandbox: { type: 'workspaceWrite' } }],
    ['may ask', { approvalPolicy: 'on-request' }],
    ['asks another model', { model: 'other' }],
    ['works elsewhere', { cwd: '/etc' }],
    ['is stored after all', { thread: { ...FORK.thread, path: '/home/rollout' } }],
  ])('closes a child of its own that %s, and fails', async (_what, wrong) => {
    server.reply('thread/fork', () => ({ ...FORK, ...wrong }))
    await expect(provider.open(request(), sink)).rejects.toMatchObject({ code: 'unsupported' })
    expect(sentTo('thread/unsubscribe')).toEqual([{ threadId: CHILD }])
    expect(heard).toEqual([])
  })

  it('closes the child when the boundary was not taken', async () => {
    server.reply('thread/inject_items', () => new Error('items[0] is not valid'))
    await expect(provider.open(request(), sink)).rejects.toMatchObject({ code: 'provider_error' })
    expect(sentTo('thread/unsubscribe')).toEqual([{ threadId: CHILD }])
    expect(connection.sizes).toEqual({ threads: 0, kept: 0 })
  })

  it('releases a child whose answer comes after the open was given up', async () => {
    server.reply('thread/fork', () => 'never')
    const abort = new AbortController()
    const outcome = provider.open(request('side', abort.signal), sink)
    await clock.advance(0)
    abort.abort()
    await expect(outcome).rejects.toMatchObject({ code: 'provider_error' })
    const asked = server.sent.find(({ method }) => method === 'thread/fork')
    server.answer(asked?.['id'] as number, FORK)
    await clock.advance(0)
    expect(sentTo('thread/unsubscribe')).toEqual([{ threadId: CHILD }])
  })

  it('asks for everything by name and turns the MCP servers of a one-shot question off', async () => {
    server.reply('config/read', () => ({ config: { mcp_servers: { files: {}, web: {} } } }))
    await opened('btw')
    const [fork] = sentTo('thread/fork')
    expect(fork).toMatchObject({
      threadId: 'main',
      ephemeral: true,
      excludeTurns: true,
      model: 'm',
      modelProvider: 'p',
      cwd: '/work',
      sandbox: 'read-only',
      approvalPolicy: 'never',
      config: {
        thread_unload_delay_secs: 0,
        'features.shell_snapshot': false,
        notify: [],
        mcp_servers: { files: { enabled: false }, web: { enabled: false } },
      },
    })
    expect(fork?.['developerInstructions']).toContain('HOST')
    expect(JSON.stringify(sentTo('thread/inject_items'))).toContain('BOUNDARY')
  })
})

describe('a turn', () => {
  it('may begin before its request is answered, and its late errors stay its own (E3)', async () => {
    await opened()
    server.reply('turn/start', () => {
      server.notice('turn/started', { threadId: CHILD, turn: { id: 'codex-turn-1' } })
      server.notice('item/agentMessage/delta', { threadId: CHILD, turnId: 'codex-turn-1', itemId: 'i', delta: 'One' })
      return { turn: { id: 'codex-turn-1' } }
    })
    await ask('turn-1')
    const failed = { id: 'codex-turn-1', status: 'failed', error: { message: 'late', codexErrorInfo: 'other' } }
    server.notice('turn/completed', { threadId: CHILD, turn: failed })
    server.reply('turn/start', () => ({ turn: { id: 'codex-turn-2' } }))
    await ask('turn-2')
    const before = heard.length
    server.notice('error', { threadId: CHILD, turnId: 'codex-turn-1', willRetry: false, error: { message: 'x' } })
    server.notice('item/agentMessage/delta', { threadId: CHILD, turnId: 'codex-turn-1', itemId: 'i', delta: 'late' })
    expect(heard).toHaveLength(before)
    server.notice('item/agentMessage/delta', { threadId: CHILD, turnId: 'codex-turn-2', itemId: 'j', delta: 'Two' })
    expect(heard.at(-1)).toMatchObject({ data: { turnId: 'turn-2', content: { text: 'Two' } } })
    expect(JSON.stringify(heard.filter((one) => JSON.stringify(one).includes('One')))).toContain('turn-1')
  })

  it('is never sent while another runs: it would steer that one', async () => {
    await opened()
    await ask('turn-1')
    await expect(ask('turn-2')).rejects.toMatchObject({ code: 'turn_active' })
    expect(sentTo('turn/start')).toHaveLength(1)
  })

  it('can be sent again after the app-server refused it', async () => {
    await opened()
    server.reply('turn/start', () => new Error('no'))
    await expect(ask('turn-1')).rejects.toMatchObject({ code: 'provider_error' })
    server.reply('turn/start', () => ({ turn: { id: 'codex-turn-1' } }))
    await ask('turn-2')
    expect(sentTo('turn/start')).toHaveLength(2)
  })

  it('carries host and side instructions every time, and no environment in a one-shot question', async () => {
    await opened('btw')
    server.notice('thread/settings/updated', {
      threadId: 'main',
      threadSettings: { collaborationMode: { settings: { developer_instructions: 'LATER' } } },
    })
    await ask('turn-1')
    const [turn] = sentTo('turn/start')
    expect(JSON.stringify(turn?.['collaborationMode'])).toMatch(/LATER.*side conversation/)
    expect(turn?.['environments']).toEqual([])
  })

  it('[K40] asks another model and effort from that turn on, of the same provider only', async () => {
    await opened()
    await expect(ask('turn-0', { provider: 'q', model: 'n' })).rejects.toMatchObject({ code: 'invalid_request' })
    await ask('turn-1', { provider: 'p', model: 'own', effort: 'low' })
    server.notice('turn/completed', {
      threadId: CHILD,
      turn: { id: 'codex-turn-1', status: 'completed', items: [], error: null },
    })
    server.reply('turn/start', () => ({ turn: { id: 'codex-turn-2' } }))
    await ask('turn-2')
    const own = { settings: { model: 'own', reasoning_effort: 'low' } }
    expect(sentTo('turn/start').map((turn) => turn['collaborationMode'])).toMatchObject([own, own])
  })

  it('stops by its own id, and says so when it does not stop', async () => {
    await opened()
    await ask('turn-1')
    const stopped = expect(provider.cancel(side, 'turn-1')).rejects.toMatchObject({ code: 'provider_error' })
    await clock.advance(2_500)
    await stopped
    expect(sentTo('turn/interrupt')).toEqual([{ threadId: CHILD, turnId: 'codex-turn-1' }])
    await provider.cancel(side, 'turn-0')
    expect(sentTo('turn/interrupt')).toHaveLength(1)
  })
})

describe('the end', () => {
  it('interrupts, then unsubscribes, and never deletes', async () => {
    await opened()
    await ask('turn-1')
    server.reply('turn/interrupt', () => {
      const turn = { id: 'codex-turn-1', status: 'interrupted' }
      queueMicrotask(() => server.notice('turn/completed', { threadId: CHILD, turn }))
      return {}
    })
    await provider.close(side)
    expect(methods().slice(-2)).toEqual(['turn/interrupt', 'thread/unsubscribe'])
    expect(heard.at(-1)).toMatchObject({ data: { turn: { outcome: 'canceled' } } })
    expect(connection.sizes).toEqual({ threads: 0, kept: 0 })
    await provider.close(side)
    expect(methods().filter((method) => method === 'thread/unsubscribe')).toHaveLength(1)
  })

  it('rejects while the child is still loaded, and tries again when it is asked again (T8)', async () => {
    await opened()
    server.reply('thread/unsubscribe', () => ({ status: 'unsubscribed' }))
    server.reply('thread/loaded/list', () => ({ data: ['main', CHILD] }))
    const closing = expect(provider.close(side)).rejects.toMatchObject({ code: 'provider_error' })
    await clock.advance(2_500)
    await closing
    expect(provider.isSide(CHILD)).toBe(true)
    server.reply('thread/loaded/list', () => ({ data: ['main'] }))
    const again = provider.close(side)
    await clock.advance(2_500)
    await again
    expect(provider.isSide(CHILD)).toBe(false)
  })

  it('tells every side that the connection is gone, and asks nothing any more', async () => {
    await opened()
    await ask('turn-1')
    server.reply('thread/read', () => 'never')
    const waiting = expect(connection.request('thread/read', {})).rejects.toMatchObject({ code: 'expired' })
    server.close('killed')
    await waiting
    expect(heard.at(-1)).toBe('provider_lost')
    await expect(connection.request('thread/read', {})).rejects.toMatchObject({ code: 'expired' })
    const before = server.sent.length
    await provider.close(side)
    expect(server.sent).toHaveLength(before)
  })

  it('drops what still comes for a closed child, and answers what nobody owns', async () => {
    await opened()
    await provider.close(side)
    const before = heard.length
    server.notice('thread/status/changed', { threadId: CHILD, status: { type: 'notLoaded' } })
    server.request(3, 'item/tool/call', { threadId: CHILD })
    expect(heard).toHaveLength(before)
    expect(server.sent.at(-1)).toMatchObject({ id: 3, error: { code: -32_000 } })
  })
})

describe('the wire', () => {
  it('survives lines that are no messages', async () => {
    for (const line of [
      '',
      '{',
      '[]',
      '"x"',
      '{"id":1.5}',
      '{"id":99,"result":{}}',
      '{"method":7}',
      '{"id":{},"method":"x"}',
    ])
      server.line(line)
    await opened()
    expect(provider.isSide(CHILD)).toBe(true)
  })

  it('gives a request up after its time', async () => {
    server.reply('thread/read', () => 'never')
    const waiting = expect(connection.request('thread/read', {}, { timeoutMs: 100 })).rejects.toMatchObject({
      code: 'provider_error',
    })
    await clock.advance(200)
    await waiting
  })

  it.each([
    ['test/0.171.0 (Debian 12.0.0; x86_64) unknown', '0.171.0', true],
    ['test/0.155.0 (x)', '0.155.0', true],
    ['test/1.0.0', '1.0.0', true],
    ['test/0.154.99 (x)', '0.154.99', false],
    ['test/0.171.0-alpha.1 (x)', '0.171.0', true],
    ['test', null, false],
    ['', null, false],
  ])('reads the version of %j', (userAgent, version, recent) => {
    expect(readServerFacts({ userAgent, codexHome: '/h' }).version).toBe(version)
    expect(isRecent(version)).toBe(recent)
  })
})
