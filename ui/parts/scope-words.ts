/** What a rung of the ladder is called, and how large it is. Pure. */

import type { Rung } from '../../src/wire/index.ts'
import type { Translate } from '../locales.ts'
import { formatCount } from './format.ts'

/** "all 12 turns", "the last 5 turns", "digest only". */
export function rungName({ scope, turns }: Rung, t: Translate): string {
  switch (scope.kind) {
    case 'all':
      if (turns === 0) return t('scope.nothing')
      return turns === 1 ? t('scope.allOne') : t('scope.all', { n: turns })
    case 'compaction':
      return turns === 1 ? t('scope.compactionOne') : t('scope.compaction', { n: turns })
    case 'turns':
      return turns === 1 ? t('scope.turnsOne') : t('scope.turns', { n: turns })
    case 'digest':
      return t('scope.digest')
  }
}

/** "18k of 128k tokens"; the digest's is too small to be worth a number beside a window. */
export function rungSize({ tokens, turns }: Rung, window: number | null, t: Translate): string {
  if (turns === 0) return ''
  const n = formatCount(tokens)
  return window === null ? t('scope.tokens', { n }) : t('scope.tokensOf', { n, window: formatCount(window) })
}
