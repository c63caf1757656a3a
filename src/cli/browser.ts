/** Opens a page in the person's browser. */

import { spawn } from 'node:child_process'

/** `failed` is called when there is none. */
export function openBrowser(url: string, failed: () => void): void {
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', url]
      : process.platform === 'win32'
        ? ['cmd', '/c', 'start', '', url]
        : ['xdg-open', url]
  const opener = spawn(command ?? '', args, { stdio: 'ignore', detached: true })
  opener.once('error', failed)
  opener.once('exit', (code) => code !== 0 && failed())
  opener.unref()
}
