/** Packs a plugin that is plain files, for tests and the bench. */
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { runTool } from '../../dev/run-tool.ts'

/** @returns the tarball's path, in a folder that a later start removes. */
export async function packFolder(source: string): Promise<string> {
  const into = await mkdtemp(join(tmpdir(), `sidemind-${process.pid}-`))
  const options = ['pack', '--ignore-scripts', '--silent', '--pack-destination', into]
  const { code, output } = await runTool('npm', options, { cwd: source })
  const [tarball] = await readdir(into)
  if (code !== 0 || tarball === undefined) throw new Error(`${source} cannot be packed: ${output}`)
  return join(into, tarball)
}
