/** `npm start` as a person meets it: the address, the page, the sentences, and nothing left behind. */
import { spawn, type ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, describe, expect, it, vi } from 'vitest'

import { connectRpc } from '../../dev/host/rpc.ts'
import { openPage } from '../kit/browser.ts'
import { family, survivors } from '../kit/processes.ts'

const ROOT = join(import.meta.dirname, '../..')

interface Started {
  child: ChildProcess
  exited: Promise<number | null>
  stdout(): string
  stderr(): string
}

const started: Started[] = []

/** Runs `npm start` in a group of its own, so that a signal can reach it the way a terminal sends one. */
function npmStart(...flags: string[]): Started {
  const child = spawn('npm', ['-s', 'start', '--', ...flags], {
    cwd: ROOT,
    env: { ...process.env, DEEPSEEK_API_KEY: '' },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const text = { out: '', err: '' }
  child.stdout.on('data', (chunk: Buffer) => (text.out += chunk.toString()))
  child.stderr.on('data', (chunk: Buffer) => (text.err += chunk.toString()))
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)))
  const all = { child, exited, stdout: () => text.out, stderr: () => text.err }
  started.push(all)
  return all
}

async function readyLine(run: Started): Promise<{ url: string; home: string; modelUrl: string; sessionUrl: string }> {
  const gone = run.exited.then((code) => Promise.reject(new Error(`npm start ended with ${code}: ${run.stderr()}`)))
  await Promise.race([gone, vi.waitUntil(() => run.stdout().includes('\n'), { timeout: 45_000 })])
  return JSON.parse(run.stdout())
}

function signalGroup(run: Started, name: NodeJS.Signals): void {
  try {
    process.kill(-(run.child.pid ?? 0), name)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

afterEach(async () => {
  for (const run of started.splice(0)) {
    signalGroup(run, 'SIGKILL')
    await run.exited
  }
})

describe('npm start', () => {
  it('ends at a page with the plugin mounted, and Ctrl+C leaves nothing behind', async () => {
    const run = npmStart('--json', '--no-open')
    const ready = await readyLine(run)
    expect(Object.keys(ready)).toEqual(['url', 'home', 'modelUrl', 'sessionUrl'])
    expect(run.stdout().trim().split('\n')).toHaveLength(1)

    const { entries } = await connectRpc(ready.url)<{ entries: object[] }>('pluginInventory/list', { args: {} })
    expect(entries).toContainEqual(
      expect.objectContaining({ moduleName: 'sidemind-for-dsh', enabled: true, fiberPhase: 'active' }),
    )

    const { page, errors } = await openPage(ready.sessionUrl)
    const client = await page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .find(({ name }) => name.includes('/plugins/sidemind-for-dsh/client.js'))
        ?.toJSON(),
    )
    expect(client).toMatchObject({ responseStatus: 200 })
    const sessionId = ready.sessionUrl.split('#session=')[1]
    expect(await page.evaluate(() => localStorage.getItem('dsh.sessions.current'))).toContain(sessionId)
    expect(errors).toEqual([])

    const everything = family(run.child.pid ?? 0)
    expect(everything.some(({ command }) => command.includes('dsh/lib/bin.js'))).toBe(true)
    signalGroup(run, 'SIGINT')
    await run.exited
    expect(await survivors(everything)).toEqual([])
    expect(existsSync(ready.home)).toBe(false)
  })

  it('ends everything on SIGTERM to npm alone', async () => {
    const run = npmStart('--json', '--no-open', '--stock')
    const { home } = await readyLine(run)
    const everything = family(run.child.pid ?? 0)
    run.child.kill('SIGTERM')
    await run.exited
    expect(await survivors(everything)).toEqual([])
    expect(existsSync(home)).toBe(false)
  })

  it('leaves no host behind when it is killed outright', async () => {
    const run = npmStart('--json', '--no-open', '--stock')
    await readyLine(run)
    const everything = family(run.child.pid ?? 0)
    signalGroup(run, 'SIGKILL')
    await run.exited
    expect(await survivors(everything)).toEqual([])
  })

  it('says in one sentence that the port is taken', async () => {
    const squatter = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => squatter.once('listening', resolve))
    const address = squatter.address()
    const port = typeof address === 'object' ? address?.port : undefined
    const run = npmStart('--no-open', '--port', String(port))
    expect(await run.exited).toBe(1)
    expect(run.stderr().trim()).toBe(
      `Port ${port} is taken by another program: choose another with --port, or leave --port out to get a free one.`,
    )
    squatter.close()
  })

  it.each([
    [['--nope'], "Unknown option '--nope'"],
    [['--port', 'many'], '--port takes a number from 1 to 65535, not "many".'],
    [['--home'], "Option '--home <value>' argument missing"],
  ])('answers %j with a sentence and the usage', async (flags, sentence) => {
    const run = npmStart(...flags)
    expect(await run.exited).toBe(1)
    expect(run.stderr().split('\n')[0]).toBe(sentence)
    expect(run.stderr()).toContain('Usage: npm start -- [flags]')
    expect(run.stderr()).not.toContain('    at ')
  })
})
