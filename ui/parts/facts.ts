/** What a fork took along, may use and leaves behind, in a few words and in sentences (K43). Pure. */

import type { ForkFacts, TurnUsage } from '../../src/wire/index.ts'
import type { Translate } from '../locales.ts'
import { formatCount, formatTime, formatTurns } from './format.ts'

/** "12 turns", "18k tokens (98 % cached)"; one phrase when no completed turn was there. */
export function inheritedText(facts: ForkFacts, usage: TurnUsage | undefined, t: Translate): string {
  if (facts.inheritedTurns === 0) return t(facts.liveDigest ? 'from.digest' : 'from.nothing')
  const n = formatCount(facts.inheritedTokens)
  const percent = cachedPercent(usage)
  const tokens = percent === null ? t('from.tokens', { n }) : t('from.cached', { n, percent })
  return [formatTurns(facts.inheritedTurns, t), tokens].join(t('list.comma'))
}

export function toolsText(hasTools: boolean, t: Translate): string {
  return t(hasTools ? 'from.readOnly' : 'from.noTools')
}

export function storedText(facts: ForkFacts, t: Translate): string {
  return t(facts.ephemeral ? 'from.notStored' : 'from.stored')
}

/** How much of the prompt came from the provider's cache; null when it does not say. */
export function cachedPercent(usage: TurnUsage | undefined): number | null {
  if (usage?.cachedTokens === undefined || usage.promptTokens === 0) return null
  return Math.round((100 * usage.cachedTokens) / usage.promptTokens)
}

/** Everything, one sentence each; `facts` is null before the fork. */
export function factSentences(facts: ForkFacts | null, t: Translate): readonly string[] {
  if (facts === null) return [t('info.main'), t('info.notStored')]
  const { inheritedTurns, inheritedTokens, forkedAt, liveDigest, tools, route, ephemeral } = facts
  const turns = formatTurns(inheritedTurns, t)
  const tokens = t('from.tokens', { n: formatCount(inheritedTokens) })
  return [
    inheritedTurns === 0 ? t('info.nothing') : t('info.inherits', { time: formatTime(forkedAt), turns, tokens }),
    ...(liveDigest ? [t('info.digest')] : []),
    tools.length === 0 ? t('info.noTools') : t('info.tools', { tools: tools.join(', ') }),
    ...(route === undefined
      ? []
      : [t('info.model', { model: [`${route.provider}/${route.model}`, route.effort].filter(Boolean).join(', ') })]),
    t('info.main'),
    t(ephemeral ? 'info.notStored' : 'info.stored'),
  ]
}
