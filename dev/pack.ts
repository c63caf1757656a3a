/** Builds and packs the plugin into `.cache/pack`, as it would be published. Does nothing when no input changed. */
import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { rollup } from 'rollup'
import { loadConfigFile } from 'rollup/loadConfigFile'

import { withLock } from './lock.ts'
import { ROOT, runTool } from './run-tool.ts'
import { Sentence } from './sentence.ts'

const PACKED = join(ROOT, '.cache/pack')
const KEPT_TARBALLS = 16
const INPUTS = [
  'src',
  'ui',
  'dev/build',
  'dev/codex/demo.ts',
  'dev/codex/home.ts',
  'dev/model',
  'dev/orphans.ts',
  'docs/openapi.json',
  'tsconfig.base.json',
  'tsconfig.src.json',
  'plugin.json',
  'package.json',
  'package-lock.json',
  'rollup.config.js',
  'cordis.patch.yml',
]

/**
 * @returns the tarball's path; its name carries a hash of everything it was made from, so no package manager mistakes
 *   it for an earlier one.
 * @throws {Sentence} when the build fails, with the bundler's words.
 */
export async function packPlugin(report: (line: string) => void): Promise<string> {
  const tarball = join(PACKED, `sidemind-for-dsh-${await hashOfInputs()}.tgz`)
  await mkdir(PACKED, { recursive: true })
  await withLock(
    join(ROOT, '.cache/pack.lock'),
    () => report('Another process is packing; waiting for it.'),
    async () => {
      if ((await readdir(PACKED)).includes(tarball.slice(PACKED.length + 1))) return
      report('Building and packing the plugin.')
      await build()
      await pack(tarball)
    },
  )
  return tarball
}

async function build(): Promise<void> {
  const { options: bundles } = await loadConfigFile(join(ROOT, 'rollup.config.js'), {})
  try {
    for (const options of bundles) {
      const bundle = await rollup({ ...options, input: join(ROOT, options.input as string) })
      for (const output of options.output) await bundle.write({ ...output, file: join(ROOT, String(output.file)) })
      await bundle.close()
    }
  } catch (error) {
    throw new Sentence(`The plugin does not build: ${error instanceof Error ? error.message : String(error)}`)
  }
}

async function pack(tarball: string): Promise<void> {
  const into = join(PACKED, `.${process.pid}`)
  await mkdir(into, { recursive: true })
  try {
    const { code, output } = await runTool(
      'npm',
      ['pack', '--ignore-scripts', '--silent', '--pack-destination', into],
      { cwd: ROOT },
    )
    const [made] = await readdir(into)
    if (code !== 0 || made === undefined)
      throw new Sentence(`npm could not pack the plugin. It said:\n${output.trim()}`)
    await rename(join(into, made), tarball)
    await dropOldTarballs()
  } finally {
    await rm(into, { recursive: true, force: true })
  }
}

async function dropOldTarballs(): Promise<void> {
  const names = (await readdir(PACKED)).filter((name) => name.endsWith('.tgz'))
  const aged = await Promise.all(names.map(async (name) => ({ name, at: (await stat(join(PACKED, name))).mtimeMs })))
  aged.sort((a, b) => b.at - a.at)
  for (const { name } of aged.slice(KEPT_TARBALLS)) await rm(join(PACKED, name))
}

async function hashOfInputs(): Promise<string> {
  const hash = createHash('sha256')
  for (const input of INPUTS) {
    for (const file of await filesUnder(join(ROOT, input))) {
      hash
        .update(`${file.slice(ROOT.length)}\0`)
        .update(await readFile(file))
        .update('\0')
    }
  }
  return hash.digest('hex').slice(0, 16)
}

async function filesUnder(path: string): Promise<string[]> {
  const entries = await readdir(path, { recursive: true, withFileTypes: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOTDIR') return null
      if (error.code === 'ENOENT') return []
      throw error
    },
  )
  if (entries === null) return [path]
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted()
}
