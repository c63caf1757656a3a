/** What a running turn is doing, in one phrase (K44). Pure. */

import type { TranscriptTurn } from '../../src/wire/index.ts'
import type { Translate } from '../locales.ts'
import { failureText } from './failure-text.ts'

/** How the side around the turn stands, where that says more than the turn itself. */
export type Around = 'opening' | 'stopping' | 'offline' | null

const READS = /^(?:read|view|cat|open|fs_read|read_file)$/i
const TARGET_MOST = 48

/** '' when the row above says it already (thinking). */
export function phaseText(turn: TranscriptTurn, around: Around, t: Translate): string {
  if (around !== null) return t(`phase.${around}`)
  if (turn.phase === 'waiting' || turn.interactions.some((one) => one.status === 'pending')) return t('phase.waiting')
  const last = turn.items.at(-1)
  if (last === undefined) return t('phase.thinking')
  switch (last.kind) {
    case 'text':
      return t('phase.answering')
    case 'reasoning':
      return ''
    case 'tool':
      if (last.tool.status !== 'running') return t('phase.thinking')
      if (READS.test(last.tool.name) && last.tool.target !== '')
        return t('phase.reading', { target: tail(last.tool.target) })
      return t('phase.tool', { name: last.tool.name })
  }
}

/** What is announced of a turn: states, never text that streams. */
export function announcement(turn: TranscriptTurn, t: Translate): string {
  if (turn.phase !== 'settled') {
    const prompt = turn.interactions.find((one) => one.status === 'pending')
    if (prompt !== undefined) return t(`prompt.${prompt.kind}`)
    return t(turn.items.some((item) => item.kind === 'text') ? 'live.answering' : 'phase.thinking')
  }
  if (turn.outcome === 'failed') return failureText(turn.error, t)
  return t(turn.outcome === 'completed' ? 'live.done' : 'live.stopped')
}

/** The end of a path says more than its beginning. */
function tail(target: string): string {
  return target.length > TARGET_MOST ? `…${target.slice(1 - TARGET_MOST)}` : target
}

/** Whether it has words. */
export function isAnswered(turn: TranscriptTurn): boolean {
  return turn.items.some((item) => item.kind === 'text' && item.text !== '')
}

/** The answer as raw Markdown. Costs as much as it is long. */
export function answerOf(turn: TranscriptTurn): string {
  return turn.items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])).join('\n\n')
}
