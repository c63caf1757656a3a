/** Builds and packs the seams adapter into `.cache/seams`, as a plugin that `dsh plugin add` takes. Development only.
 *  Does nothing when no input changed. */
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { withLock } from '../lock.ts'
import { ROOT, runTool } from '../run-tool.ts'
import { Sentence } from '../sentence.ts'
import { hashOf } from './hash.ts'
import { ensureSeamsPackages, LOCKED } from './install.ts'

const NAME = 'sidemind-dev-seams'
const SEAMS = import.meta.dirname
const PACKED = join(ROOT, '.cache/seams')

/**
 * @param report called with words for a person while it works.
 * @returns the tarball's path. Its name and version carry a hash of everything it was made from, so no package manager
 *   mistakes it for an earlier one.
 * @throws {Sentence} when pnpm or the network is not there, saying what to do.
 */
export async function packSeams(report: (text: string) => void = () => undefined): Promise<string> {
  const version = `0.0.0-h${await hashOfInputs()}`
  const tarball = join(PACKED, `${NAME}-${version}.tgz`)
  await mkdir(PACKED, { recursive: true })
  const waiting = (): void => report('Another process is packing the seams adapter; waiting for it.')
  await withLock(join(ROOT, '.cache/seams.lock'), waiting, async () => {
    await ensureSeamsPackages(report)
    if ((await readdir(PACKED)).includes(tarball.slice(PACKED.length + 1))) return
    report('Building and packing the seams adapter.')
    await pack(tarball, version)
  })
  return tarball
}

async function hashOfInputs(): Promise<string> {
  const sources = (await readdir(SEAMS)).filter((file) => /\.tsx?$/.test(file)).toSorted()
  return hashOf([...LOCKED, ...sources.map((file) => join(SEAMS, file)), join(ROOT, 'ui/dsh/old-follow.ts')])
}

async function pack(tarball: string, version: string): Promise<void> {
  const stage = join(PACKED, `.${process.pid}`)
  try {
    await mkdir(stage, { recursive: true })
    // Not at the top: esbuild is worth loading only when there is something to build.
    const { bundleClient } = await import('./bundle.ts')
    const files = contents(version, await bundleClient(NAME))
    for (const [file, text] of Object.entries(files)) await writeFile(join(stage, file), text)
    const { code, output } = await runTool('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: stage })
    if (code !== 0) throw new Sentence(`npm could not pack the seams adapter. It said:\n${output.trim()}`)
    await rename(join(stage, `${NAME}-${version}.tgz`), tarball)
  } finally {
    await rm(stage, { recursive: true, force: true })
  }
}

function contents(version: string, client: string): Record<string, string> {
  const manifest = {
    name: NAME,
    version,
    private: true,
    type: 'module',
    exports: { '.': './index.js', './client': './client.js', './package.json': './package.json' },
    files: ['index.js', 'client.js', 'cordis.patch.yml'],
    dsh: { bundle: { patch: './cordis.patch.yml' }, client: { platform: 'web' } },
  }
  return {
    'package.json': JSON.stringify(manifest, null, 2),
    'cordis.patch.yml': `- insert:\n    - id: ${NAME}\n      name: ${NAME}\n`,
    'index.js': `export const name = '${NAME}'\nexport function apply() {}\n`,
    'client.js': client,
  }
}
