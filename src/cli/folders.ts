/** Which folders the command uses when its person names none. Pure. */

import { posix, win32 } from 'node:path'
import { Told, type Words } from './words.ts'

export interface Machine {
  readonly platform: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The person's own folder. */
  readonly home: string
}

/** Where Codex keeps its threads. Throws Told for a CODEX_HOME that is set to nothing: it would silently mean ~/.codex. */
export function codexHomeOf(given: string | undefined, { platform, env, home }: Machine, words: Words): string {
  const named = given ?? env['CODEX_HOME']
  if (named === undefined) return pathsOf(platform).join(home, '.codex')
  if (named.trim() === '') throw new Told(words.emptyHome)
  return named
}

/** Where a program of this system keeps state. */
export function stateOf({ platform, env, home }: Machine): string {
  const { join } = pathsOf(platform)
  if (platform === 'win32') return join(env['LOCALAPPDATA'] || join(home, 'AppData', 'Local'), 'sidemind')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support', 'sidemind')
  return join(env['XDG_STATE_HOME'] || join(home, '.local', 'state'), 'sidemind')
}

function pathsOf(platform: string): typeof posix {
  return platform === 'win32' ? win32 : posix
}
