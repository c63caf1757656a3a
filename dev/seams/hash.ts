/** One short hash over files of the repository, the same on every machine. */
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

import { ROOT } from '../run-tool.ts'

/** @returns a hash that changes with any of these files' contents or places. */
export async function hashOf(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files) {
    hash.update(`${file.slice(ROOT.length).replaceAll('\\', '/')}\0`)
    hash.update(await readFile(file)).update('\0')
  }
  return hash.digest('hex').slice(0, 16)
}
