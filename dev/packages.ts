/** Fetches the packages of a folder that has its own lockfile, once per lockfile. Owns the stamp that says so. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { withLock } from './lock.ts'
import { ROOT, runTool } from './run-tool.ts'
import { Sentence } from './sentence.ts'
import { hashOf } from './seams/hash.ts'

export interface PackageFolder {
  /** Folder with package.json, pnpm-workspace.yaml and pnpm-lock.yaml. */
  readonly dir: string
  /** What the packages are, as in "Fetching …". */
  readonly what: string
  /** How much is fetched, in words. */
  readonly size: string
}

/** The files of a folder that say which packages. */
export function lockedFiles(dir: string): readonly string[] {
  return ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml'].map((file) => join(dir, file))
}

/**
 * Makes sure the packages are there. Takes no time when they are.
 * @param report called with words for a person when something is fetched.
 * @throws {Sentence} when pnpm or the network is not there, saying what to do.
 */
export async function ensurePackages(
  { dir, what, size }: PackageFolder,
  report: (text: string) => void = () => undefined,
): Promise<void> {
  const stamp = join(dir, 'node_modules/.sidemind-installed')
  const lock = await hashOf(lockedFiles(dir))
  const isThere = async (): Promise<boolean> => (await readFile(stamp, 'utf8').catch(() => '')) === lock
  if (await isThere()) return
  await mkdir(join(ROOT, '.cache'), { recursive: true })
  const waiting = (): void => report(`Another process is fetching ${what}; waiting for it.`)
  await withLock(join(ROOT, `.cache/packages-${lock}.lock`), waiting, async () => {
    if (await isThere()) return
    report(`Fetching ${what} (once, ${size}).`)
    const pnpm = join(ROOT, 'node_modules/.bin', process.platform === 'win32' ? 'pnpm.cmd' : 'pnpm')
    const options = ['--frozen-lockfile', '--ignore-scripts', '--reporter=append-only']
    const { code, output } = await runTool(pnpm, ['install', ...options], {
      cwd: dir,
      env: { NODE_ENV: 'development', npm_config_update_notifier: 'false', CI: '1' },
    })
    if (code === 127) throw new Sentence('pnpm is missing: run `npm ci` in the repository first, it brings pnpm along.')
    if (code !== 0) {
      const words = output.trim().split('\n').slice(-12).join('\n')
      throw new Sentence(`Could not fetch ${what}; is the npm registry reachable? pnpm said:\n${words}`)
    }
    await writeFile(stamp, lock)
  })
}
