/** A report as one line for the host's log: ids, codes and places in the code. The words of a foreign error are left
 *  out, because nobody knows whether they repeat a question or an answer (I5). Pure. */

import { SideError } from './errors.ts'
import type { ControllerReport } from './verbs.ts'

export function logLine(report: ControllerReport): string {
  switch (report.kind) {
    case 'cleanup_failed':
      return `${report.kind}: side ${report.identity.sideSessionId}, try ${report.attempts}: ${errorLine(report.error)}`
    case 'cleanup_done':
      return `${report.kind}: side ${report.identity.sideSessionId} after ${report.attempts} failures`
    case 'wrong_identity':
      return `${report.kind}: ${report.detail}`
    case 'listener_failed':
      return `${report.kind}: ${errorLine(report.error)}`
    case 'detached_failed':
      return `${report.kind}: ${report.step}: ${errorLine(report.error)}`
  }
}

/** An error's code or name, and where it was thrown. */
export function errorLine(error: unknown): string {
  if (!(error instanceof Error)) return typeof error
  const code = error instanceof SideError ? ` ${error.code}` : ''
  const frames = (error.stack ?? '')
    .replace(error.message, () => '')
    .split('\n')
    .filter((line) => /^\s+at .+:\d+/.test(line))
  const cause = error.cause === undefined ? '' : `, caused by ${errorLine(error.cause)}`
  return [`${error.name}${code}${cause}`, ...frames.slice(0, 8)].join('\n')
}
