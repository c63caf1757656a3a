/** What one answer cost, in the words of the row below it: tokens, the share that came from the provider's cache, the time
 *  to the first word and in all. What is estimated says so with "~". Pure. */

import type { TranscriptTurn, TurnUsage } from '../../src/wire/index.ts'
import type { Translate } from '../locales.ts'
import { formatCount, formatElapsed } from './format.ts'

/** "18k in (98 % cached), 320 out · 5.2 s, first word 0.4 s"; '' when nothing is known. */
export function usageText(turn: TranscriptTurn, t: Translate): string {
  const { usage, startedAt, settledAt } = turn
  // How long something took that did not come says nothing.
  if (turn.outcome === 'failed' && usage === undefined) return ''
  const times = [
    ...(startedAt !== undefined && settledAt !== undefined ? [formatElapsed(settledAt - startedAt, t)] : []),
    ...(usage?.firstTokenMs === undefined ? [] : [t('turn.firstWord', { time: formatElapsed(usage.firstTokenMs, t) })]),
  ].join(t('list.comma'))
  return [...(usage === undefined ? [] : [tokensText(usage, t)]), ...(times === '' ? [] : [times])].join(' · ')
}

function tokensText(usage: TurnUsage, t: Translate): string {
  const count = (n: number): string => `${usage.estimated ? '~' : ''}${formatCount(n)}`
  const counts = { prompt: count(usage.promptTokens), completion: count(usage.completionTokens) }
  const percent = cachedPercent(usage)
  return percent === null ? t('turn.usage', counts) : t('turn.usageCached', { ...counts, percent })
}

/** How much of the prompt came from the provider's cache; null when it does not say. */
function cachedPercent({ cachedTokens, promptTokens }: TurnUsage): number | null {
  if (cachedTokens === undefined || promptTokens === 0) return null
  return Math.round((100 * cachedTokens) / promptTokens)
}
