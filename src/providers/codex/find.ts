/** Finds the native Codex binary of this machine. The `codex` on the PATH is often a script that starts it; signals and
 *  pids must be the binary's own. */

import { realpath, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { delimiter, join } from 'node:path'

const TARGETS: Readonly<Record<string, string>> = {
  'linux-x64': 'x86_64-unknown-linux-musl',
  'linux-arm64': 'aarch64-unknown-linux-musl',
  'darwin-x64': 'x86_64-apple-darwin',
  'darwin-arm64': 'aarch64-apple-darwin',
  'win32-x64': 'x86_64-pc-windows-msvc',
  'win32-arm64': 'aarch64-pc-windows-msvc',
}

/** The binary that `given` (a path) or the PATH names; null when there is none. */
export async function findCodex(given: string | undefined, path: string): Promise<string | null> {
  const name = process.platform === 'win32' ? 'codex.exe' : 'codex'
  const wanted = given === undefined ? path.split(delimiter).map((folder) => join(folder, name)) : [given]
  for (const candidate of wanted) {
    const real = await realFile(candidate)
    if (real === null) continue
    const native = real.endsWith('.js') ? await nativeBeside(real, name) : real
    if (native !== null) return native
  }
  return null
}

async function realFile(path: string): Promise<string | null> {
  try {
    const real = await realpath(path)
    return (await stat(real)).isFile() ? real : null
  } catch {
    return null
  }
}

/** The binary in the platform's package of the npm package whose script this is. */
async function nativeBeside(script: string, name: string): Promise<string | null> {
  const platform = `${process.platform}-${process.arch}`
  const target = TARGETS[platform]
  if (target === undefined) return null
  try {
    const folder = createRequire(script).resolve(`@openai/codex-${platform}/package.json`)
    return await realFile(join(folder, '../vendor', target, 'bin', name))
  } catch {
    return null
  }
}
