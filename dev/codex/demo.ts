/** A demo of the service over Codex: the scripted model and a throwaway folder with a CODEX_HOME and a small project. */
import { rmSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import type { Demo } from '../../src/cli/demo.ts'
import { startModel } from '../model/server.ts'
import { makeThrowaway, removeOrphans } from '../orphans.ts'
import { KEY_VARIABLE, writeCodexHome } from './home.ts'

const PREFIX = 'sidemind-demo'

const README = `# Tideline

A small tide table. \`npm test\` runs its tests.
`

/** Starts the model and makes the folder. Nothing outside of the folder is written; those of demos that were killed are removed. */
export async function startDemo(): Promise<Demo> {
  await removeOrphans(PREFIX)
  const folder = await makeThrowaway(PREFIX)
  const drop = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  try {
    const [codexHome, cwd, home] = [join(folder, 'codex'), join(folder, 'tideline'), join(folder, 'home')]
    await Promise.all([mkdir(cwd), mkdir(home)])
    await writeFile(join(cwd, 'README.md'), README)
    await writeFile(join(cwd, 'package.json'), '{ "name": "tideline", "private": true }\n')
    const model = await startModel()
    await writeCodexHome(codexHome, { modelUrl: model.url })
    let ending: Promise<void> | null = null
    return {
      codexHome,
      cwd,
      state: join(folder, 'state'),
      env: { [KEY_VARIABLE]: 'any', HOME: home },
      drop,
      end() {
        ending ??= model.close().then(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
        return ending
      },
    }
  } catch (error) {
    drop()
    throw error
  }
}
