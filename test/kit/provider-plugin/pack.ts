/** Bundles and packs the test provider as it stands in the repository now. */
import { build } from 'esbuild'
import { createHash } from 'node:crypto'
import { copyFile, mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { packFolder } from '../pack-folder.ts'

/** @returns the tarball's path. Its version names what is in it: package managers remember a version they saw. */
export async function packTestProvider(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), `sidemind-${process.pid}-`))
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'index.ts')],
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    external: ['@deepseek-ai/*'],
    logLevel: 'silent',
  })
  const code = outputFiles[0]?.contents ?? new Uint8Array()
  const manifest = {
    name: 'sidemind-test-provider',
    version: `0.0.0-h${createHash('sha256').update(code).digest('hex').slice(0, 16)}`,
    private: true,
    type: 'module',
    main: 'index.js',
    files: ['index.js', 'cordis.patch.yml'],
    dsh: { bundle: { patch: './cordis.patch.yml' } },
  }
  await writeFile(join(folder, 'index.js'), code)
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await copyFile(join(import.meta.dirname, 'cordis.patch.yml'), join(folder, 'cordis.patch.yml'))
  return packFolder(folder)
}
