/** `npm start -- --codex`: the service over the real Codex and the scripted model, as `npx sidemind-for-dsh codex --demo` runs it. */
import { join } from 'node:path'

import packageJson from '../../package.json' with { type: 'json' }
import { startCommand, type Running } from '../../src/cli/start.ts'
import { Told, wordsOf } from '../../src/cli/words.ts'
import { packPlugin } from '../pack.ts'
import { ROOT } from '../run-tool.ts'
import { Sentence } from '../sentence.ts'
import { startDemo } from './demo.ts'
import { ensureCodex } from './install.ts'

/** @throws {Sentence} when Codex cannot be had or does not start. */
export async function startCodexDemo(port: number | undefined, report: (line: string) => void): Promise<Running> {
  const codex = await ensureCodex(report)
  // The page's files.
  await packPlugin(report)
  const flags = { codex, port: port ?? 0, open: false, json: false, demo: true }
  const { version } = packageJson
  try {
    return await startCommand(flags, {
      version,
      words: wordsOf(process.env),
      env: process.env,
      demo: startDemo,
      dist: join(ROOT, 'dist'),
      report,
    })
  } catch (error) {
    throw error instanceof Told ? new Sentence(error.message) : error
  }
}
