/** What the real Codex does around a side, recorded and asserted: a streaming source, lost processes, a source that runs
 *  nowhere, tools that must not run, and what is left on disk. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readdir, readFile, realpath, writeFile, chmod } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import type { RecordedRequest } from '../../dev/model/journal.ts'
import type { ModelRoute, SideIdentity, SideKind } from '../../src/core/contract.ts'
import { createController, type SideController } from '../../src/core/controller.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript, type TranscriptTurn } from '../../src/core/projector.ts'
import type { CodexConnection } from '../../src/providers/codex/connection.ts'
import { startCodex, type CodexProcess } from '../../src/providers/codex/process.ts'
import { createCodexProvider } from '../../src/providers/codex/provider.ts'
import { refusalOf } from '../../src/providers/codex/refusal.ts'
import type { CodexMetadata, CodexSource } from '../../src/providers/codex/source.ts'
import {
  CLIENT,
  HOST_CONTEXT,
  realClock,
  startLab,
  startThread,
  waitUntil,
  type CodexLab,
  type SourceThread,
} from '../kit/codex.ts'
import { survivors, family } from '../kit/processes.ts'

const CANARY = 'canary-7f3a'

/** A lab with a source and a controller over the provider. */
interface Bench {
  readonly lab: CodexLab
  readonly main: CodexProcess
  readonly thread: SourceThread
  readonly controller: SideController<CodexSource>
  /** Methods sent on the source's connection. */
  readonly sent: string[]
  /** Processes that sides started. */
  readonly own: CodexProcess[]
  live: boolean
  source(overrides?: Partial<CodexMetadata>): CodexSource
  open(side: string, options?: { kind?: SideKind; source?: CodexSource; route?: ModelRoute }): Promise<SideIdentity>
  /** Asks and resolves with the turn when it settled. */
  ask(side: SideIdentity, turnId: string, text: string): Promise<TranscriptTurn>
  send(side: SideIdentity, turnId: string, text: string): Promise<unknown>
  transcript(side: SideIdentity): Transcript
}

let bench: Bench

async function start(more = '', threadFields: Record<string, unknown> = {}): Promise<Bench> {
  const lab = await startLab({ more })
  const main = await lab.start()
  const sent: string[] = []
  const connection: CodexConnection = {
    ...main.connection,
    get closed() {
      return main.connection.closed
    },
    get sizes() {
      return main.connection.sizes
    },
    request(method, params, options) {
      sent.push(method)
      return main.connection.request(method, params, options)
    },
  }
  const thread = await startThread({ connection: main.connection, facts: threadFields }, lab.work)
  const own: CodexProcess[] = []
  const transcripts = new Map<string, Transcript>()
  const made: Bench = {
    lab,
    main,
    thread,
    sent,
    own,
    live: true,
    controller: createController<CodexSource>({
      clock: realClock,
      brief: () => `BOUNDARY ${CANARY}`,
      isCanonical: () => false,
      provider: createCodexProvider({
        clock: realClock,
        live: (id) => (made.live && id === thread.metadata.threadId ? connection : undefined),
        async start(metadata) {
          const running = await lab.start(metadata.codexHome)
          own.push(running)
          return running
        },
      }),
    }),
    source: (overrides = {}) => {
      const source = thread.watched.capture(lab.work, Date.now())
      return { ...source, metadata: { ...thread.watched.metadata, ...overrides } }
    },
    async open(side, { kind = 'side', source = made.source(), route } = {}) {
      const identity = {
        workspaceId: source.workspaceId,
        sourceSessionId: source.sessionId,
        sideSessionId: side,
        requestId: `${side}-request`,
      }
      await made.controller.open({ source, side: identity, kind, ...(route === undefined ? {} : { route }) })
      return identity
    },
    async ask(side, turnId, text) {
      await made.send(side, turnId, text)
      const turn = () => made.transcript(side).turns.find((one) => one.turnId === turnId)
      await waitUntil(`${turnId} settles`, () => turn()?.phase === 'settled')
      return turn() as TranscriptTurn
    },
    send: (side, turnId, text) =>
      made.controller.send(side, { turnId, clientSubmitId: turnId, content: [{ type: 'text', text }] }),
    transcript: ({ sideSessionId }) => transcripts.get(sideSessionId) ?? EMPTY_TRANSCRIPT,
  }
  made.controller.subscribe((event) =>
    transcripts.set(event.sideSessionId, project(transcripts.get(event.sideSessionId) ?? EMPTY_TRANSCRIPT, event)),
  )
  return made
}

afterEach(async () => {
  await bench.controller.shutdown()
  await bench.lab.end()
})

const textIn = (turn: TranscriptTurn | undefined): string =>
  (turn?.items ?? []).map((item) => (item.kind === 'text' ? item.text : '')).join('')
const bodyOf = (request: RecordedRequest | undefined): string => JSON.stringify(request?.body['input'])
/** Which of the parts are not in a request; bodies are too long to print. */
const missing = (body: string, parts: readonly string[]): string[] => parts.filter((part) => !body.includes(part))
const lastAbout = (text: string): RecordedRequest | undefined =>
  bench.lab.model.requests().findLast(({ lastUser }) => lastUser.includes(text))

/** A turn of main that writes, then waits at a gate. */
async function mainStreams(): Promise<{ readonly turnId: string; release(): void }> {
  bench.lab.model.script({
    match: 'MAIN-LIVE',
    behaviour: { kind: 'gate', name: 'main', before: 'Main writes. ', after: 'Main is done.' },
  })
  const turnId = await bench.thread.ask('MAIN-LIVE')
  await waitUntil('main writes', () =>
    bench.thread.heard.some(
      ({ method, params }) => method === 'item/agentMessage/delta' && params['turnId'] === turnId,
    ),
  )
  return { turnId, release: () => void bench.lab.model.release('main') }
}

describe('beside a running Codex turn', () => {
  beforeEach(async () => {
    bench = await start()
    await bench.thread.turn('MAIN-FIRST [[plain First answer.]]')
  })

  it('answers while main streams, and main ends intact and never hears of it', async () => {
    const live = await mainStreams()
    const side = await bench.open('side-1')
    const turn = await bench.ask(side, 'turn-1', `${CANARY} what is it doing? [[plain It writes ${CANARY}.]]`)
    expect(textIn(turn)).toBe(`It writes ${CANARY}.`)
    const asked = bodyOf(lastAbout('what is it doing'))
    expect(missing(asked, ['MAIN-FIRST', 'First answer.', 'MAIN-LIVE', `BOUNDARY ${CANARY}`])).toEqual([])
    expect(missing(asked, ['Main writes.'])).toEqual(['Main writes.'])
    live.release()
    expect(await bench.thread.ended(live.turnId)).toMatchObject({ status: 'completed' })
    await bench.thread.turn('MAIN-NEXT [[plain Next answer.]]')
    const next = bodyOf(lastAbout('MAIN-NEXT'))
    expect(next).toContain('Main writes. Main is done.')
    expect(next).not.toContain(CANARY)
    expect(next).not.toContain('turn_aborted')
    await bench.controller.close(side)
  })

  it('tells host and side instructions in every turn, and goes on after a stop', async () => {
    const side = await bench.open('side-1')
    await bench.ask(side, 'turn-1', 'SIDE-ONE [[plain One.]]')
    await bench.send(side, 'turn-2', 'SIDE-TWO [[stall]]')
    await waitUntil('it writes', () => textIn(bench.transcript(side).turns[1]) !== '')
    expect(await bench.controller.cancel(side, 'turn-2')).toEqual({ canceled: true, targetAbsent: false })
    expect(bench.transcript(side).turns[1]).toMatchObject({ outcome: 'canceled' })
    expect(textIn(bench.transcript(side).turns[1])).not.toBe('')
    await bench.ask(side, 'turn-3', 'SIDE-THREE [[plain Three.]]')
    for (const question of ['SIDE-ONE', 'SIDE-TWO', 'SIDE-THREE']) {
      const mode = /<collaboration_mode>(?:(?!<\/collaboration_mode>).)*side conversation.*?<\/collaboration_mode>/
      const body = bodyOf(lastAbout(question))
      expect(body).toMatch(mode)
      expect(mode.exec(body)?.[0]).toContain(HOST_CONTEXT)
    }
    expect(bodyOf(lastAbout('SIDE-THREE'))).toContain('One.')
  })

  it('follows the newest instructions of the host', async () => {
    const side = await bench.open('side-1')
    const { model, threadId } = bench.thread.metadata
    const settings = { model, reasoning_effort: null, developer_instructions: 'HOST-LATER' }
    await bench.main.connection.request('thread/settings/update', {
      threadId,
      collaborationMode: { mode: 'default', settings },
    })
    await waitUntil('the settings are told', () => bench.thread.watched.metadata.hostContext === 'HOST-LATER')
    await bench.ask(side, 'turn-1', 'SIDE-ONE [[plain One.]]')
    expect(bodyOf(lastAbout('SIDE-ONE'))).toContain('HOST-LATER')
  })

  it('asks another model when it is told to, and main keeps its own', async () => {
    const side = await bench.open('side-1', { route: { provider: 'scripted', model: 'other-model', effort: 'high' } })
    await bench.ask(side, 'turn-1', 'SIDE-ONE [[plain One.]]')
    expect(lastAbout('SIDE-ONE')?.body).toMatchObject({ model: 'other-model', reasoning: { effort: 'high' } })
    await bench.thread.turn('MAIN-NEXT [[plain Next.]]')
    expect(lastAbout('MAIN-NEXT')?.body).toMatchObject({ model: 'scripted' })
  })

  it('expires with words when the process dies, resumes nothing, and keeps what was read', async () => {
    const side = await bench.open('side-1')
    await bench.send(side, 'turn-1', 'SIDE-ONE [[stall]]')
    const written = 'This much arrives, and then '
    await waitUntil('it writes', () => textIn(bench.transcript(side).turns[0]) === written)
    const before = bench.sent.length
    process.kill(bench.main.pid, 'SIGKILL')
    await waitUntil('it expires', () => bench.transcript(side).lifecycle === 'expired')
    expect(bench.transcript(side)).toMatchObject({ reason: 'provider_lost' })
    expect(textIn(bench.transcript(side).turns[0])).toBe(written)
    await expect(bench.send(side, 'turn-2', 'again?')).rejects.toMatchObject({ code: 'expired' })
    expect(await bench.controller.close(side)).toMatchObject({ cleanupPending: false })
    expect(bench.sent.slice(before)).toEqual([])
    expect(bench.sent).not.toContain('thread/resume')
  })

  it('leaves nothing running when it is closed in the middle of an answer', async () => {
    const side = await bench.open('side-1')
    await bench.send(side, 'turn-1', 'SIDE-ONE [[stall]]')
    await waitUntil('it writes', () => textIn(bench.transcript(side).turns[0]) !== '')
    expect(await bench.controller.close(side)).toMatchObject({ found: true, cleanupPending: false })
    await waitUntil('the model is left', () => lastAbout('SIDE-ONE')?.aborted === true)
    expect(await bench.main.connection.request('thread/loaded/list', {})).toMatchObject({
      data: [bench.thread.metadata.threadId],
    })
    expect(bench.sent).not.toContain('thread/delete')
    // The source and whoever watches it.
    expect(bench.main.connection.sizes).toEqual({ threads: 1, kept: 0 })
  })
})

describe('beside a thread that runs nowhere', () => {
  beforeEach(async () => {
    bench = await start()
    await bench.thread.turn('MAIN-FIRST [[plain First answer.]]')
  })

  it('answers after its process was killed in the middle of a turn, in a process of its own that ends with it', async () => {
    await mainStreams()
    const source = bench.source()
    process.kill(bench.main.pid, 'SIGKILL')
    await waitUntil('it is gone', () => bench.main.connection.closed)
    bench.live = false
    const side = await bench.open('side-1', { source })
    expect(bench.own).toHaveLength(1)
    const turn = await bench.ask(side, 'turn-1', 'SIDE-ONE [[plain From the files.]]')
    expect(textIn(turn)).toBe('From the files.')
    const asked = bodyOf(lastAbout('SIDE-ONE'))
    expect(missing(asked, ['First answer.', 'MAIN-LIVE', HOST_CONTEXT])).toEqual([])
    const rows = family(bench.own[0]?.pid ?? 0)
    expect(rows.length).toBeGreaterThan(0)
    await bench.controller.close(side)
    expect(await survivors(rows)).toEqual([])
  })

  it('expires when its own process dies', async () => {
    bench.live = false
    const side = await bench.open('side-1')
    await bench.ask(side, 'turn-1', 'SIDE-ONE [[plain One.]]')
    process.kill(bench.own[0]?.pid ?? 0, 'SIGKILL')
    await waitUntil('it expires', () => bench.transcript(side).lifecycle === 'expired')
    expect(bench.transcript(side).reason).toBe('provider_lost')
  })

  it('starts nothing without a CODEX_HOME that is there, and finds nothing in another one', async () => {
    bench.live = false
    const marker = join(bench.lab.work, 'started')
    const binary = join(bench.lab.work, 'not-codex.sh')
    await writeFile(binary, `#!/bin/sh\ntouch ${marker}\n`)
    await chmod(binary, 0o755)
    const options = { binary, cwd: bench.lab.work, client: CLIENT, refuse: refusalOf, clock: realClock }
    for (const codexHome of ['', '   ', join(bench.lab.work, 'nowhere'), binary]) {
      await expect(startCodex({ ...options, codexHome })).rejects.toMatchObject({ code: 'unsupported' })
      await expect(bench.open('side-x', { source: bench.source({ codexHome }) })).rejects.toMatchObject({
        code: 'unsupported',
      })
    }
    expect(existsSync(marker)).toBe(false)
    expect(bench.own).toEqual([])
    const elsewhere = await realpath(await mkdtemp(join(tmpdir(), 'sidemind-elsewhere-')))
    await expect(bench.open('side-y', { source: bench.source({ codexHome: elsewhere }) })).rejects.toMatchObject({
      code: 'provider_error',
    })
    const [started] = bench.own
    expect(await survivors(family(started?.pid ?? 0))).toEqual([])
  })

  it('refuses a Codex that is too old or does not say its version, before it starts anything', async () => {
    bench.live = false
    for (const codexVersion of ['0.154.9', '0.148.0', '']) {
      await expect(bench.open('side-x', { source: bench.source({ codexVersion }) })).rejects.toMatchObject({
        code: 'unsupported',
      })
    }
    expect(bench.own).toEqual([])
  })

  it('refuses a thread that has not begun', async () => {
    const fresh = await startThread({ connection: bench.main.connection }, bench.lab.work)
    await expect(bench.open('side-x', { source: fresh.watched.capture(bench.lab.work, 0) })).rejects.toMatchObject({
      code: 'unsupported',
    })
  })
})

describe('what may not happen in a side', () => {
  const server = join(import.meta.dirname, '../kit/mcp-server.mjs')
  const more = `[mcp_servers.scribbler]\ncommand = ${JSON.stringify(process.execPath)}\nargs = [${JSON.stringify(server)}]\n`
  const dynamicTools = [
    {
      name: 'host_lookup',
      description: 'Asks the host.',
      inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    },
  ]

  beforeEach(async () => {
    bench = await start(more, { dynamicTools })
    await bench.thread.turn('MAIN-FIRST [[plain First answer.]]')
  })

  it('opens five sides at once beside an MCP server, each with its own answer, and the source hears nothing', async () => {
    await bench.thread.turn('MAIN-AGAIN [[plain Second answer.]]')
    const heard = bench.thread.heard.length
    const sides = await Promise.all([1, 2, 3, 4, 5].map((at) => bench.open(`side-${at}`)))
    const turns = await Promise.all(
      sides.map((side, at) => bench.ask(side, `turn-${at}`, `SIDE-${at} [[plain Answer ${at}.]]`)),
    )
    expect(turns.map(textIn)).toEqual(['Answer 0.', 'Answer 1.', 'Answer 2.', 'Answer 3.', 'Answer 4.'])
    expect(bench.thread.heard.slice(heard)).toEqual([])
    await Promise.all(sides.map((side) => bench.controller.close(side)))
    expect(bench.main.connection.sizes).toEqual({ threads: 1, kept: 0 })
  })

  it('refuses a write, an escalation, a patch, an MCP call and a tool of the host, with every file untouched', async () => {
    const { work } = bench.lab
    await writeFile(join(work, 'notes.txt'), 'as it was\n')
    const before = await hashes(work)
    const side = await bench.open('side-1')
    const offered = await bench
      .ask(side, 'turn-0', 'SIDE-ZERO [[plain Zero.]]')
      .then(() => lastAbout('SIDE-ZERO')?.body.tools)
    const names = (offered ?? []).map((tool) => tool.function.name)
    const named = (part: string): string => names.find((name) => name.includes(part)) ?? `missing-${part}`
    const patch = '*** Begin Patch\n*** Update File: notes.txt\n@@\n-as it was\n+patched\n*** End Patch'
    const attempts: [string, string | Record<string, unknown>][] = [
      ['exec_command', { cmd: 'echo written > notes.txt' }],
      ['exec_command', { cmd: 'touch made.txt', sandbox_permissions: 'require_escalated', justification: 'please' }],
      ['apply_patch', patch],
      ['exec_command', { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` }],
      [named('scribble'), { path: join(work, 'scribbled.txt') }],
      [named('host_lookup'), {}],
    ]
    expect(names).toEqual(expect.arrayContaining([named('scribble'), named('host_lookup'), 'exec_command']))
    for (const [at, [name, args]] of attempts.entries()) {
      const match = `ATTEMPT-${at}`
      bench.lab.model.script({
        match,
        behaviour: { kind: 'tool', calls: [{ name, arguments: args }], after: 'I may not.' },
      })
      const turn = await bench.ask(side, `turn-${match}`, match)
      expect(textIn(turn), match).toBe('I may not.')
      const told = bench.lab.model.requests().findLast(({ body }) => body.messages.at(-1)?.role === 'tool')
      expect(JSON.stringify(told?.body.messages.at(-1)?.content ?? ''), `${match} ${name}`).toMatch(
        /read-only|never|not available|denied|rejected|unsupported|not permitted|Read-only/i,
      )
    }
    expect(await hashes(work)).toEqual(before)
    await bench.controller.close(side)
  })

  it('lets a side read, and a one-shot question run nothing at all', async () => {
    await writeFile(join(bench.lab.work, 'notes.txt'), 'as it was\n')
    const calls = [{ name: 'exec_command', arguments: { cmd: 'cat notes.txt' } }]
    bench.lab.model.script({ match: 'READ-IT', behaviour: { kind: 'tool', calls, after: 'Read.' } })
    const side = await bench.open('side-1')
    const turn = await bench.ask(side, 'turn-1', 'READ-IT')
    expect(turn.items).toContainEqual(
      expect.objectContaining({ kind: 'tool', tool: expect.objectContaining({ name: 'shell', status: 'ok' }) }),
    )
    const btw = await bench.open('btw-1', { kind: 'btw' })
    const refused = await bench.ask(btw, 'turn-2', 'READ-IT too')
    expect(textIn(refused)).toBe('Read.')
    expect(JSON.stringify(refused.items)).not.toContain('as it was')
    expect(bodyOf(bench.lab.model.requests().at(-1))).not.toContain('as it was')
    expect(
      lastAbout('READ-IT too')
        ?.body.tools?.map((tool) => tool.function.name)
        .join(),
    ).not.toContain('scribble')
  })
})

describe('what is left', () => {
  it('changes no file of CODEX_HOME but what the source writes itself, and holds no word of the side', async () => {
    bench = await start()
    await bench.thread.turn('MAIN-FIRST [[plain First answer.]]')
    const live = await mainStreams()
    const before = await hashes(bench.lab.home)
    const sides = [await bench.open('side-1'), await bench.open('btw-1', { kind: 'btw' })]
    for (const [at, side] of sides.entries()) {
      await bench.ask(side, `turn-${at}`, `${CANARY} why? [[plain Because ${CANARY}.]]`)
      await bench.send(side, `turn-stop-${at}`, `${CANARY} and? [[stall ${CANARY}]]`)
      await waitUntil('it writes', () => textIn(bench.transcript(side).turns.at(-1)) !== '')
      await bench.controller.cancel(side, `turn-stop-${at}`)
      await bench.controller.close(side)
    }
    expect(await hashes(bench.lab.home)).toEqual(before)
    live.release()
    await bench.thread.ended(live.turnId)
    await bench.main.stop()
    for (const [path, bytes] of await filesIn(bench.lab.home)) expect(bytes.includes(CANARY), path).toBe(false)
  })
})

/** Every file below, but the skills that the binary brings along. */
async function filesIn(folder: string): Promise<[string, Buffer][]> {
  const found: [string, Buffer][] = []
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isFile() && !path.includes('/skills/')) found.push([path.slice(folder.length + 1), await readFile(path)])
  }
  return found
}

async function hashes(folder: string): Promise<Record<string, string>> {
  const files = await filesIn(folder)
  return Object.fromEntries(files.map(([path, bytes]) => [path, createHash('sha256').update(bytes).digest('hex')]))
}
