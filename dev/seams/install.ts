/** Fetches the published packages that the seams adapter is bundled from and typed against, once per lockfile. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { ROOT, runTool } from '../run-tool.ts'
import { Sentence } from '../sentence.ts'
import { hashOf } from './hash.ts'

const SEAMS = import.meta.dirname
const STAMP = join(SEAMS, 'node_modules/.sidemind-installed')

/** The files that say which packages. */
export const LOCKED = ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'].map((file) => join(SEAMS, file))

/**
 * Makes sure the packages are there. Takes no time when they are.
 * @param report called with words for a person when something is fetched.
 * @throws {Sentence} when pnpm or the network is not there, saying what to do.
 */
export async function ensureSeamsPackages(report: (text: string) => void = () => undefined): Promise<void> {
  const lock = await hashOf(LOCKED)
  if ((await readFile(STAMP, 'utf8').catch(() => '')) === lock) return
  report('Fetching the packages of the seams adapter (once, about 10 MB).')
  const pnpm = join(ROOT, 'node_modules/.bin', process.platform === 'win32' ? 'pnpm.cmd' : 'pnpm')
  const options = ['--frozen-lockfile', '--ignore-scripts', '--reporter=append-only']
  const { code, output } = await runTool(pnpm, ['install', ...options], {
    cwd: SEAMS,
    env: { NODE_ENV: 'development', npm_config_update_notifier: 'false', CI: '1' },
  })
  if (code === 127) throw new Sentence('pnpm is missing: run `npm ci` in the repository first, it brings pnpm along.')
  if (code !== 0) {
    const words = output.trim().split('\n').slice(-12).join('\n')
    throw new Sentence(
      `The packages of the seams adapter could not be fetched; is the npm registry reachable? pnpm said:\n${words}`,
    )
  }
  await writeFile(STAMP, lock)
}
