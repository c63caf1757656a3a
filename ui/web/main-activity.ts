/** What main is doing, as a side's quiet line says it. Pure. */

import type { Transcript } from '../../src/wire/index.ts'
import type { MainActivity } from '../side/MainLine.tsx'

export function mainActivity({ turns }: Transcript): MainActivity | null {
  const last = turns.at(-1)
  if (last === undefined) return null
  if (last.phase === 'settled') {
    if (last.outcome !== 'completed' && last.outcome !== 'failed') return null
    return {
      state: last.outcome === 'completed' ? 'done' : 'failed',
      ...(last.settledAt === undefined ? {} : { since: last.settledAt }),
    }
  }
  const item = last.items.at(-1)
  const tool = item?.kind === 'tool' && item.tool.status === 'running' ? item.tool : null
  return {
    state: last.interactions.some((one) => one.status === 'pending') ? 'approval' : 'running',
    ...(tool === null ? {} : { what: tool.target === '' ? tool.name : tool.target }),
    ...(last.startedAt === undefined ? {} : { since: last.startedAt }),
  }
}
