/** The packed command over the real Codex: it serves, and whatever ends it leaves no process and no folder. */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { KEY_VARIABLE } from '../../dev/codex/home.ts'
import { packPlugin } from '../../dev/pack.ts'
import { EMPTY_TRANSCRIPT, project } from '../../src/core/projector.ts'
import { createClient, type SideClient } from '../../src/service/client.ts'
import { startLab, waitUntil, type CodexLab } from '../kit/codex.ts'
import { family, survivors } from '../kit/processes.ts'

let packed: string
let folder: string
let lab: CodexLab
let child: ChildProcess | undefined

beforeAll(async () => {
  packed = await mkdtemp(join(tmpdir(), 'sm-cli-packed-'))
  execFileSync('tar', ['-xzf', await packPlugin(() => undefined), '-C', packed])
}, 120_000)
afterAll(() => rm(packed, { recursive: true, force: true }))
beforeEach(async () => {
  lab = await startLab()
  folder = await mkdtemp(join(tmpdir(), 'sm-cli-'))
})
afterEach(async () => {
  child?.kill('SIGKILL')
  child = undefined
  await lab.end()
  await rm(folder, { recursive: true, force: true })
})

interface Command {
  readonly client: SideClient
  readonly pid: number
  readonly errors: () => string
  /** Its exit code, or the signal that ended it. */
  ended(): Promise<number | string>
}

function run(...args: string[]): ChildProcess {
  const file = join(packed, 'package/dist/cli.js')
  // Its folders, demo included, are inside of one that can be looked at.
  const env = { ...process.env, [KEY_VARIABLE]: 'any', LANG: 'C', LC_ALL: '', TMPDIR: folder, XDG_STATE_HOME: folder }
  child = spawn(process.execPath, [file, 'codex', '--no-open', '--codex', lab.binary, ...args], { env, cwd: lab.work })
  return child
}

async function start(...args: string[]): Promise<Command> {
  const running = run('--json', ...args)
  let [out, errors] = ['', '']
  running.stdout?.on('data', (data: Buffer) => (out += data.toString()))
  running.stderr?.on('data', (data: Buffer) => (errors += data.toString()))
  const exit = once(running, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  await waitUntil(`it is ready (${errors})`, () => out.includes('\n') || running.exitCode !== null, 60_000)
  if (!out.includes('\n')) throw new Error(`the command ended: ${errors}`)
  // One line and nothing else.
  expect(out.trimEnd().split('\n')).toHaveLength(1)
  const { url, token, port } = JSON.parse(out) as { url: string; token: string; port: number }
  expect(url).toBe(`http://127.0.0.1:${port}`)
  for (const name of ['', 'page.js', 'page.css', 'later/tabs.js'])
    expect((await fetch(`${url}/t/${token}/${name}`)).status, name).toBe(200)
  return { client: createClient({ url, token }), pid: running.pid ?? 0, errors: () => errors, ended: () => exit }
}

/** Every process that was seen below it until it ended. */
async function watched(running: ChildProcess): Promise<ReturnType<typeof family>> {
  const seen = new Map<number, ReturnType<typeof family>[number]>()
  while (running.exitCode === null && running.signalCode === null) {
    for (const row of family(running.pid ?? 0)) seen.set(row.pid, row)
    await sleep(20)
  }
  return [...seen.values()]
}

const home = (): string[] => ['--codex-home', lab.home]

/** A thread that has answered, a side of it that has answered, and one that is answering. */
async function busy({ client }: Command): Promise<string> {
  const { threadId, workspaceId } = await client.call('startThread', { body: {} })
  await client.call('askThread', { params: { threadId }, body: { turnId: 'main-1', text: 'MAIN [[plain One.]]' } })
  await waitUntil('main answers', async () => !(await client.call('readThread', { params: { threadId } })).busy)
  const source = { workspaceId, sourceSessionId: threadId }
  const open = async (sideSessionId: string, text: string) => {
    const body = { source, sideSessionId, requestId: 'r', kind: 'side' as const }
    const { side } = await client.call('open', { body })
    await client.call('send', { body: { side, turnId: 't', clientSubmitId: 'c', text } })
    return side
  }
  const side = await open('side-1', 'why? [[plain Because.]]')
  const reading = new AbortController()
  let transcript = EMPTY_TRANSCRIPT
  for await (const message of client.sideEvents(side, { signal: reading.signal })) {
    for (const event of message.kind === 'snapshot' ? message.events : [message.event])
      transcript = project(transcript, event)
    if (transcript.turns[0]?.phase === 'settled') break
  }
  reading.abort()
  await open('side-2', 'and on? [[stall]]')
  return (transcript.turns[0]?.items ?? []).map((item) => (item.kind === 'text' ? item.text : '')).join('')
}

describe('the command', () => {
  it('serves threads and sides of the named home, and says so', async () => {
    const command = await start(...home())
    expect(await busy(command)).toBe('Because.')
    expect(command.errors()).toContain(`CODEX_HOME ${lab.home}`)
    expect(await command.client.call('status', {})).toMatchObject({ connected: true, cwd: lab.work })
    expect(existsSync(join(folder, 'sidemind/sources.json'))).toBe(true)
  })

  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    'ends in order at %s, also in the middle of an answer',
    async (signal) => {
      const command = await start(...home())
      await busy(command)
      const all = family(command.pid)
      expect(all.some((row) => row.command.includes('app-server'))).toBe(true)
      process.kill(command.pid, signal)
      expect(await command.ended()).toBe(0)
      expect(await survivors(all)).toEqual([])
      await expect(command.client.call('status', {})).rejects.toMatchObject({ code: 'stream_unavailable' })
    },
  )

  it('leaves no app-server when it is killed', async () => {
    const command = await start(...home())
    await busy(command)
    const all = family(command.pid)
    expect(all.length).toBeGreaterThan(1)
    process.kill(command.pid, 'SIGKILL')
    expect(await command.ended()).toBe('SIGKILL')
    expect(await survivors(all, 10_000)).toEqual([])
  })

  it('shows a demo in a home of its own, and removes it', async () => {
    const command = await start('--demo')
    const [made] = await readdir(folder)
    expect(made).toMatch(/^sidemind-demo-/)
    expect(await busy(command)).toBe('Because.')
    const all = family(command.pid)
    process.kill(command.pid, 'SIGINT')
    expect(await command.ended()).toBe(0)
    expect(await survivors(all)).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })

  it('removes the home of a demo that was killed, and of that alone, when the next one starts', async () => {
    const killed = await start('--demo')
    const all = family(killed.pid)
    process.kill(killed.pid, 'SIGKILL')
    expect(await killed.ended()).toBe('SIGKILL')
    expect(await survivors(all, 10_000)).toEqual([])
    const [orphan = ''] = await readdir(folder)
    const others = [`sidemind-demo-${process.pid}-abcdef`, `${orphan}-kept`]
    for (const name of others) await mkdir(join(folder, name))
    const next = await start('--demo')
    const left = (await readdir(folder)).filter((name) => !name.startsWith(`sidemind-demo-${next.pid}-`))
    expect(left).toEqual(others.toSorted())
    process.kill(next.pid, 'SIGINT')
    expect(await next.ended()).toBe(0)
    expect(await readdir(folder)).toEqual(others.toSorted())
  })

  it('removes the demo also at a signal while it still starts', async () => {
    const running = run('--demo')
    const all = watched(running)
    await waitUntil('it has begun', async () => (await readdir(folder)).length > 0)
    running.kill('SIGTERM')
    expect(await survivors(await all)).toEqual([])
    expect(await readdir(folder)).toEqual([])
  })

  it('says that Codex has no login, and leaves nothing behind', async () => {
    const empty = join(folder, 'empty')
    await mkdir(empty)
    await writeFile(join(empty, 'config.toml'), '[features]\nplugins = false\napps = false\n')
    const running = run('--codex-home', empty)
    let errors = ''
    running.stderr?.on('data', (data: Buffer) => (errors += data.toString()))
    const all = await watched(running)
    expect(errors).toBe('Codex has no login. Run `codex login` first.\n')
    expect(running.exitCode).toBe(1)
    expect(all.some((row) => row.command.includes('app-server'))).toBe(true)
    expect(await survivors(all)).toEqual([])
  })
})
