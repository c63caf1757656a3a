/** Installs the real DeepSeek Harness into this folder from the committed lockfile, once per lockfile.
 *  Owns the stamp that says so. Starting it is launch.ts. */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { withLock } from '../lock.ts'
import { ROOT, runTool } from '../run-tool.ts'
import { Sentence } from '../sentence.ts'

const HOST = import.meta.dirname
const STAMP = join(HOST, 'node_modules/.sidemind-installed')

/** Where the host is, and a hash that changes whenever another host would be installed. */
export interface InstalledHost {
  dir: string
  lockHash: string
}

/**
 * Makes sure the host is installed. Takes no time when it is; the first time about 300 MB are fetched.
 * @param report called with words for a person while it installs.
 * @throws {Sentence} when Node, pnpm or the network is not there, saying what to do.
 */
export async function ensureHost(report: (line: string) => void): Promise<InstalledHost> {
  requireNode()
  const lockHash = await hashOfLock()
  const ready = { dir: HOST, lockHash }
  if (await isInstalled(lockHash)) return ready
  await mkdir(join(ROOT, '.cache'), { recursive: true })
  const waiting = (): void => report('Another process is installing the host; waiting for it.')
  await withLock(join(ROOT, '.cache/host-install.lock'), waiting, async () => {
    if (await isInstalled(lockHash)) return
    report('Installing DeepSeek Harness (once, about 300 MB; half a minute on a good line).')
    await install(report)
    await writeFile(STAMP, lockHash)
  })
  return ready
}

async function isInstalled(lockHash: string): Promise<boolean> {
  return (await readFile(STAMP, 'utf8').catch(() => '')) === lockHash
}

async function hashOfLock(): Promise<string> {
  const hash = createHash('sha256')
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml', 'package.json'])
    hash.update(await readFile(join(HOST, file)))
  return hash.digest('hex').slice(0, 16)
}

async function install(report: (line: string) => void): Promise<void> {
  const pnpm = join(ROOT, 'node_modules/.bin', process.platform === 'win32' ? 'pnpm.cmd' : 'pnpm')
  if (!existsSync(pnpm))
    throw new Sentence('pnpm is missing: run `npm ci` in the repository first, it brings pnpm along.')
  let lastShown = 0
  const { code, output } = await runTool(
    pnpm,
    [
      'install',
      '--frozen-lockfile',
      '--ignore-scripts',
      '--reporter=append-only',
      '--fetch-retry-mintimeout=1000',
      '--fetch-retry-maxtimeout=5000',
    ],
    {
      cwd: HOST,
      // A person's production setting would leave packages out; the notice would ask the network once more.
      env: { NODE_ENV: 'development', npm_config_update_notifier: 'false', CI: '1' },
      onLine(line) {
        const progress = /resolved (\d+), reused (\d+), downloaded (\d+), added (\d+)/.exec(line)
        if (!progress || progress[1] === '1' || Date.now() - lastShown < 2000) return
        lastShown = Date.now()
        report(
          `  ${Number(progress[2]) + Number(progress[3])} of ${progress[1]} packages fetched, ${progress[4]} in place`,
        )
      },
    },
  )
  if (code !== 0) throw new Sentence(reasonOf(output))
}

/** @returns what to do about it, from what pnpm printed before it gave up. */
export function reasonOf(output: string): string {
  if (
    /ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|ERR_PNPM_META_FETCH_FAIL|ERR_SOCKET|fetch failed/i.test(
      output,
    )
  ) {
    return 'The host could not be fetched: the npm registry is not reachable. Check the network (and the proxy settings of npm), then run it again.'
  }
  if (/ENOSPC/.test(output)) return 'The host could not be installed: the disk is full. It needs about 300 MB.'
  return `The host could not be installed. pnpm said:\n${output.trim().split('\n').slice(-12).join('\n')}`
}

function requireNode(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major >= 24 || (major === 22 && minor >= 19)) return
  throw new Sentence(
    `The host needs Node 22.19 or 24 and this is ${process.versions.node}: install Node 24 and run \`npm ci\` again.`,
  )
}
