/** The service over the real Codex: threads and sides over HTTP, a hundred sides at once, lost and restarted processes. */
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { KEY_VARIABLE } from '../../dev/codex/home.ts'
import { startCodexService, type CodexService } from '../../src/codex.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript } from '../../src/core/projector.ts'
import { findCodex } from '../../src/providers/codex/find.ts'
import { createClient, type SideClient, type SideId, type StreamMessage } from '../../src/service/client.ts'
import type { SideEvent } from '../../src/core/contract.ts'
import { startLab, waitUntil, type CodexLab } from '../kit/codex.ts'
import { family, survivors } from '../kit/processes.ts'

let lab: CodexLab
let state: string
let service: CodexService
let client: SideClient
const readers = new Set<AbortController>()

async function start(): Promise<void> {
  service = await startCodexService({
    binary: lab.binary,
    codexHome: lab.home,
    cwd: lab.work,
    state,
    port: 0,
    version: '0.0.0',
    env: { [KEY_VARIABLE]: 'any' },
    limits: { sidesPerSource: 120, sidesPerHost: 120 },
    report: () => undefined,
  })
  client = createClient({ url: service.url, token: service.token })
}

beforeEach(async () => {
  lab = await startLab()
  state = await mkdtemp(join(tmpdir(), 'sidemind-state-'))
  await start()
})
afterEach(async () => {
  for (const reader of readers) reader.abort()
  readers.clear()
  await service.close()
  await lab.end()
  await rm(state, { recursive: true, force: true })
})

/** Reads a stream for as long as the test runs. */
function follow(read: (signal: AbortSignal) => AsyncGenerator<StreamMessage<SideEvent>>): { transcript: Transcript } {
  const abort = new AbortController()
  readers.add(abort)
  const view = { transcript: EMPTY_TRANSCRIPT }
  void (async () => {
    for await (const message of read(abort.signal)) {
      if (message.kind === 'snapshot')
        view.transcript = message.events.reduce((now, event) => project(now, event), EMPTY_TRANSCRIPT)
      else view.transcript = project(view.transcript, message.event)
    }
  })().catch(() => undefined)
  return view
}

async function mainThread(
  question: string,
): Promise<{ source: { workspaceId: string; sourceSessionId: string }; view: { transcript: Transcript } }> {
  const thread = await client.call('startThread', { body: {} })
  const params = { threadId: thread.threadId }
  const view = follow((signal) => client.threadEvents(thread.threadId, { signal }))
  await client.call('askThread', { params, body: { turnId: 'main-1', text: question } })
  return { source: { workspaceId: thread.workspaceId, sourceSessionId: thread.threadId }, view }
}

const settled = (view: { transcript: Transcript }, turnId: string): boolean =>
  view.transcript.turns.some((turn) => turn.turnId === turnId && turn.phase === 'settled')
const said = (view: { transcript: Transcript }, at = 0): string =>
  (view.transcript.turns[at]?.items ?? []).map((item) => (item.kind === 'text' ? item.text : '')).join('')

async function open(source: { workspaceId: string; sourceSessionId: string }, side: string): Promise<SideId> {
  return (await client.call('open', { body: { source, sideSessionId: side, requestId: `${side}-r`, kind: 'side' } }))
    .side
}

async function ask(side: SideId, turnId: string, text: string): Promise<{ transcript: Transcript }> {
  await client.call('send', { body: { side, turnId, clientSubmitId: turnId, text } })
  const view = follow((signal) => client.sideEvents(side, { signal }))
  await waitUntil(`${turnId} settles`, () => settled(view, turnId))
  return view
}

describe('threads', () => {
  it('start, stream, are listed, and come back with their turns after a restart of the service', async () => {
    const { source, view } = await mainThread('MAIN-ONE [[plain First answer.]]')
    await waitUntil('it answers', () => settled(view, 'main-1'))
    expect(view.transcript.turns[0]).toMatchObject({
      question: 'MAIN-ONE [[plain First answer.]]',
      outcome: 'completed',
    })
    expect(said(view)).toBe('First answer.')
    expect((await client.call('listThreads', {})).threads).toContainEqual(
      expect.objectContaining({ threadId: source.sourceSessionId, attached: true }),
    )
    await service.close()
    await start()
    const again = await client.call('attachThread', { params: { threadId: source.sourceSessionId } })
    expect(again).toMatchObject({ title: expect.stringContaining('MAIN-ONE'), busy: false })
    const later = follow((signal) => client.threadEvents(source.sourceSessionId, { signal }))
    await waitUntil('its turns are there', () => later.transcript.turns.length === 1)
    expect(said(later)).toBe('First answer.')
  })

  it('wait for the person, whatever a side does meanwhile, and go on when answered', async () => {
    lab.model.script({
      match: 'MAIN-TOUCH',
      behaviour: {
        kind: 'tool',
        calls: [
          {
            name: 'exec_command',
            arguments: { cmd: 'touch made.txt', sandbox_permissions: 'require_escalated', justification: 'May I?' },
          },
        ],
        after: 'Made.',
      },
    })
    const { source, view } = await mainThread('MAIN-TOUCH')
    const pending = () => view.transcript.turns[0]?.interactions[0]
    await waitUntil('it asks', () => pending()?.status === 'pending')
    expect(pending()?.input).toMatchObject({ tool: 'shell', target: expect.stringContaining('touch made.txt') })
    const side = await open(source, 'side-1')
    expect(said(await ask(side, 'turn-1', 'what does it want? [[plain A file.]]'))).toBe('A file.')
    await client.call('close', { body: { side } })
    expect(pending()?.status).toBe('pending')
    const params = { threadId: source.sourceSessionId }
    const requestId = pending()?.requestId ?? ''
    await client.call('answerThread', { params, body: { requestId, decision: 'accept' } })
    await waitUntil('it goes on', () => settled(view, 'main-1'))
    expect((await stat(join(lab.work, 'made.txt'))).isFile()).toBe(true)
    await expect(
      client.call('answerThread', { params, body: { requestId, decision: 'accept' } }),
    ).rejects.toMatchObject({ code: 'interaction_already_answered' })
  })

  it('stop exactly the named turn, and refuse a second one meanwhile', async () => {
    const { source, view } = await mainThread('MAIN-STALL [[stall]]')
    const params = { threadId: source.sourceSessionId }
    await waitUntil('it writes', () => said(view) !== '')
    await expect(client.call('askThread', { params, body: { turnId: 'main-2', text: 'more' } })).rejects.toMatchObject({
      code: 'turn_active',
    })
    await client.call('interruptThread', { params, body: { turnId: 'main-1' } })
    await waitUntil('it stops', () => settled(view, 'main-1'))
    expect(view.transcript.turns[0]).toMatchObject({ outcome: 'canceled' })
  })
})

describe('sides', () => {
  it('a hundred of one live source open, answer and close, with no process and no route left', async () => {
    const { source, view } = await mainThread('MAIN-ONE [[plain First answer.]]')
    await waitUntil('it answers', () => settled(view, 'main-1'))
    const servers = () =>
      family(process.pid)
        .filter(({ command }) => command.includes('app-server'))
        .map(({ pid }) => pid)
    const before = servers()
    const sides = await Promise.all(Array.from({ length: 100 }, (_, at) => open(source, `side-${at}`)))
    await Promise.all(
      sides.map((side, at) =>
        client.call('send', {
          body: { side, turnId: `t-${at}`, clientSubmitId: 'c', text: `[[plain Answer ${at}.]]` },
        }),
      ),
    )
    await waitUntil(
      'all have answered',
      () => sides.every((side) => service.controller.find(side.workspaceId, side.sideSessionId)?.phase === 'idle'),
      60_000,
    )
    const closed = await Promise.all(sides.map((side) => client.call('close', { body: { side } })))
    expect(closed.every(({ cleanupPending }) => !cleanupPending)).toBe(true)
    const connection = service.host.live(source.sourceSessionId)
    // The thread itself, with its two listeners.
    expect(connection?.sizes).toEqual({ threads: 1, kept: 0 })
    expect(await connection?.request('thread/loaded/list', {})).toMatchObject({ data: [source.sourceSessionId] })
    expect(servers()).toEqual(before)
  })

  it('expire with their transcript when Codex dies, and the thread can be attached again', async () => {
    const { source, view } = await mainThread('MAIN-ONE [[plain First answer.]]')
    await waitUntil('it answers', () => settled(view, 'main-1'))
    const side = await open(source, 'side-1')
    const answered = await ask(side, 'turn-1', 'why? [[plain Because.]]')
    const [codex] = family(process.pid).filter(({ command }) => command.includes('app-server'))
    process.kill(codex?.pid ?? 0, 'SIGKILL')
    await waitUntil('the side expires', () => answered.transcript.lifecycle === 'expired')
    expect(answered.transcript).toMatchObject({ reason: 'provider_lost' })
    expect(said(answered)).toBe('Because.')
    await waitUntil('the thread is told', () => view.transcript.lifecycle === 'expired')
    const params = { threadId: source.sourceSessionId }
    await expect(client.call('readThread', { params })).rejects.toMatchObject({ code: 'not_found' })
    await client.call('attachThread', { params })
    const again = await open(source, 'side-2')
    expect(said(await ask(again, 'turn-2', 'again? [[plain Yes.]]'))).toBe('Yes.')
  })

  it('can be asked beside a thread that only its record knows', async () => {
    const { source, view } = await mainThread('MAIN-ONE [[plain First answer.]]')
    await waitUntil('it answers', () => settled(view, 'main-1'))
    await service.close()
    await start()
    const record = await readFile(join(state, 'sources.json'), 'utf8')
    expect(record).toContain(source.sourceSessionId)
    expect(record).not.toContain('First answer')
    expect((await stat(join(state, 'sources.json'))).mode & 0o077).toBe(0)
    const side = await open(source, 'side-1')
    const own = family(process.pid).filter(({ command }) => command.includes('app-server'))
    expect(own).toHaveLength(1)
    expect(said(await ask(side, 'turn-1', 'why? [[plain Because.]]'))).toBe('Because.')
    expect(JSON.stringify(lab.model.requests().at(-1)?.body['input'])).toContain('First answer.')
    await client.call('close', { body: { side } })
    expect(await survivors(own)).toEqual([])
  })

  it('need the whole metadata of a thread that nobody recorded', async () => {
    const source = { workspaceId: 'w', sourceSessionId: '01a22e58-0000-7000-8000-000000000000' }
    await expect(open(source, 'side-1')).rejects.toMatchObject({ code: 'not_found' })
    const metadata = {
      threadId: source.sourceSessionId,
      codexHome: join(lab.work, 'nowhere'),
      model: 'scripted',
      modelProvider: 'scripted',
      cwd: lab.work,
      hostContext: '',
      codexVersion: '0.171.0',
    }
    const body = { source: { ...source, metadata }, sideSessionId: 's', requestId: 'r', kind: 'side' as const }
    await expect(client.call('open', { body })).rejects.toMatchObject({ code: 'unsupported' })
    const other = { ...body, source: { ...source, metadata: { ...metadata, threadId: 'another' } } }
    await expect(client.call('open', { body: other })).rejects.toMatchObject({ code: 'invalid_request' })
  })
})

describe('finding Codex', () => {
  it('finds the binary behind the script of the npm package, by path and on the PATH', async () => {
    const script = join(import.meta.dirname, '../../dev/codex/node_modules/@openai/codex/bin/codex.js')
    expect(await findCodex(script, '')).toBe(lab.binary)
    expect(await findCodex(lab.binary, '')).toBe(lab.binary)
    expect(await findCodex(undefined, join(lab.binary, '..'))).toBe(lab.binary)
    expect(await findCodex(undefined, lab.work)).toBeNull()
    await writeFile(join(lab.work, 'codex.js'), '')
    expect(await findCodex(join(lab.work, 'codex.js'), '')).toBeNull()
  })
})
