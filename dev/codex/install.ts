/** The real Codex, from npm, in a folder of its own: 170 MB that only the Codex demo and the long tests need. */
import { createRequire } from 'node:module'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

import { ensurePackages } from '../packages.ts'
import { Sentence } from '../sentence.ts'

const HERE = import.meta.dirname

const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
}

/**
 * Makes sure Codex is there and returns its native binary: one process, which signals reach.
 * @throws {Sentence} when it cannot be had, saying what to do.
 */
export async function ensureCodex(report?: (text: string) => void): Promise<string> {
  await ensurePackages({ dir: HERE, what: 'Codex', size: 'about 170 MB' }, report)
  const platform = `${process.platform}-${process.arch}`
  const target = TARGETS[platform]
  const name = process.platform === 'win32' ? 'codex.exe' : 'codex'
  if (target !== undefined) {
    const own = createRequire(join(HERE, 'package.json')).resolve('@openai/codex/package.json')
    const folder = createRequire(own).resolve(`@openai/codex-${platform}/package.json`)
    const binary = join(folder, '../vendor', target, 'bin', name)
    if (existsSync(binary)) return binary
  }
  throw new Sentence(`Codex has no binary for ${platform}.`)
}
