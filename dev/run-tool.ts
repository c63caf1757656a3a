/** Runs one command-line tool to its end: npm, pnpm or the host's own plugin command. */
import { spawn } from 'node:child_process'
import { delimiter, join } from 'node:path'

/** The repository's root. */
export const ROOT = join(import.meta.dirname, '..')

/** What a finished tool leaves: its exit code (127 when it could not start) and all it printed. */
export interface ToolResult {
  code: number
  output: string
}

/**
 * Runs a tool with the repository's own binaries first on PATH, so that pnpm and Node are the ones of `npm ci`.
 * @param onLine called with each line it prints.
 */
export function runTool(
  command: string,
  args: string[],
  options: { cwd: string; env?: NodeJS.ProcessEnv; onLine?: (line: string) => void },
): Promise<ToolResult> {
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      // `npm -s` hands its silence down to every package manager below; we want to hear why one failed.
      env: { ...process.env, npm_config_loglevel: 'info', ...options.env, PATH: toolPath() },
      stdio: ['ignore', 'pipe', 'pipe'],
      shell: process.platform === 'win32',
    })
    const stopWithUs = (): void => void child.kill('SIGTERM')
    process.once('exit', stopWithUs)
    let output = ''
    const take = (chunk: Buffer): void => {
      const text = chunk.toString()
      output += text
      for (const line of text.split(/[\r\n]+/)) if (line.trim()) options.onLine?.(line)
    }
    child.stdout.on('data', take)
    child.stderr.on('data', take)
    child.once('error', (error) => finish(127, `${output}${error.message}\n`))
    child.once('close', (code) => finish(code ?? 1, output))
    function finish(code: number, all: string): void {
      process.off('exit', stopWithUs)
      resolve({ code, output: all })
    }
  })
}

/** PATH with the repository's binaries and the running Node in front. */
export function toolPath(): string {
  return [join(ROOT, 'node_modules/.bin'), join(process.execPath, '..'), process.env['PATH'] ?? ''].join(delimiter)
}
