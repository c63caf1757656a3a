/** The packed plugin, changed: with its host half replaced, for what a page does when that half is not there, or with a
 *  configuration of its own. */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { packPlugin } from '../../dev/pack.ts'
import { runTool } from '../../dev/run-tool.ts'

/** @param hostHalf source of the host half's module. @returns the tarball's path. */
export function packWithHostHalf(hostHalf: string): Promise<string> {
  return repacked('0.0.0-broken', (folder) => writeFile(join(folder, 'dist/index.js'), hostHalf))
}

/** @param config fields of the plugin's entry in the profile. @returns the tarball's path. */
export function packWithConfig(config: Record<string, number | string | boolean>): Promise<string> {
  const lines = Object.entries(config).map(([field, value]) => `        ${field}: ${JSON.stringify(value)}\n`)
  return repacked('0.0.0-configured', async (folder) => {
    const patch = join(folder, 'cordis.patch.yml')
    await writeFile(patch, `${(await readFile(patch, 'utf8')).trimEnd()}\n      config:\n${lines.join('')}`)
  })
}

async function repacked(version: string, change: (folder: string) => Promise<void>): Promise<string> {
  const into = await mkdtemp(join(tmpdir(), `sidemind-${process.pid}-`))
  await run('tar', ['-xzf', await packPlugin(() => undefined), '-C', into], into)
  const folder = join(into, 'package')
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version }))
  await change(folder)
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', into], folder)
  const tarball = (await readdir(into)).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('nothing was packed')
  return join(into, tarball)
}

async function run(tool: string, args: string[], cwd: string): Promise<void> {
  const { code, output } = await runTool(tool, args, { cwd })
  if (code !== 0) throw new Error(`${tool} ${args.join(' ')}: ${output}`)
}
