/** `npm run test:full`: everything that takes minutes. Runs to the end even when a part fails, and then fails. */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { ROOT, toolPath } from './run-tool.ts'

const vitest = ['node_modules/vitest/vitest.mjs', 'run', '--project', 'full', '--passWithNoTests']
const parts: [string, string[]][] = [
  ...(existsSync(join(ROOT, 'dev/check.ts'))
    ? [[process.execPath, ['dev/check.ts']] satisfies [string, string[]]]
    : []),
  [process.execPath, [...vitest, ...process.argv.slice(2)]],
]

const failed = parts.filter(([command, args]) => {
  const { status } = spawnSync(command, args, {
    cwd: ROOT,
    stdio: 'inherit',
    env: { ...process.env, PATH: toolPath(), SIDEMIND_FULL: '1' },
  })
  return status !== 0
})
process.exitCode = failed.length === 0 ? 0 : 1
