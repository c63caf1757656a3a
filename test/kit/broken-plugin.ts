/** The packed plugin with its host half replaced, for what a page does when that half is not there. */
import { mkdtemp, readdir, readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { packPlugin } from '../../dev/pack.ts'
import { runTool } from '../../dev/run-tool.ts'

/** @param hostHalf source of the host half's module. @returns the tarball's path. */
export async function packWithHostHalf(hostHalf: string): Promise<string> {
  const into = await mkdtemp(join(tmpdir(), `sidemind-${process.pid}-`))
  await run('tar', ['-xzf', await packPlugin(() => undefined), '-C', into], into)
  const folder = join(into, 'package')
  const manifest = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')) as Record<string, unknown>
  await writeFile(join(folder, 'package.json'), JSON.stringify({ ...manifest, version: '0.0.0-broken' }))
  await writeFile(join(folder, 'dist/index.js'), hostHalf)
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', into], folder)
  const tarball = (await readdir(into)).find((name) => name.endsWith('.tgz'))
  if (tarball === undefined) throw new Error('nothing was packed')
  return join(into, tarball)
}

async function run(tool: string, args: string[], cwd: string): Promise<void> {
  const { code, output } = await runTool(tool, args, { cwd })
  if (code !== 0) throw new Error(`${tool} ${args.join(' ')}: ${output}`)
}
