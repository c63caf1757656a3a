/** What a fork took along, may use and leaves behind, in a few words; the sentences are about-words.ts (K43). Pure. */

import type { ForkFacts } from '../../src/wire/index.ts'
import type { Translate } from '../locales.ts'
import { formatCount, formatTurns } from './format.ts'

/** "12 turns, 18k tokens", "the last 5 turns, 9k tokens"; one phrase when no completed turn went along. */
export function inheritedText(facts: ForkFacts, t: Translate): string {
  const { scope, inheritedTurns, liveDigest } = facts
  if (scope?.kind === 'digest') return t('scope.digest')
  if (inheritedTurns === 0) return t(liveDigest ? 'from.digest' : 'from.nothing')
  const turns =
    scope?.kind === 'turns'
      ? inheritedTurns === 1
        ? t('scope.turnsOne')
        : t('scope.turns', { n: inheritedTurns })
      : formatTurns(inheritedTurns, t)
  return [turns, t('from.tokens', { n: formatCount(facts.inheritedTokens) })].join(t('list.comma'))
}

export function toolsText(hasTools: boolean, t: Translate): string {
  return t(hasTools ? 'from.readOnly' : 'from.noTools')
}

export function storedText(facts: ForkFacts, t: Translate): string {
  return t(facts.ephemeral ? 'from.notStored' : 'from.stored')
}
