/** What the overlay says about the state of its question. Pure. */

import type { SideSnapshot } from '../data/snapshot.ts'
import type { Translate } from '../locales.ts'
import { formatCount, formatTurns } from '../parts/format.ts'
import type { Around } from '../parts/phase.ts'
import { failureText } from '../parts/Failure.tsx'

export function aroundOf(side: SideSnapshot): Around {
  if (side.status.phase === 'opening') return 'opening'
  if (side.connection === 'disconnected') return 'offline'
  return side.status.phase === 'running' && side.status.stopping ? 'stopping' : null
}

export function escText(side: SideSnapshot, t: Translate): string {
  const { status } = side
  if (status.phase === 'opening') return t('esc.cancel')
  return t(status.phase === 'running' && !status.stopping ? 'esc.stop' : 'esc.close')
}

/** "12 turns, 18k tokens (98 % cached), no tools, not stored". */
export function factsText(side: SideSnapshot, t: Translate): string {
  const { facts } = side
  if (facts === null) {
    return side.status.phase === 'opening'
      ? t('from.opening')
      : [t('from.draft'), t('from.noTools'), t('from.notStored')].join(t('list.comma'))
  }
  const usage = side.turns.at(-1)?.usage
  const n = formatCount(facts.inheritedTokens)
  const cached =
    usage?.cachedTokens === undefined || usage.promptTokens === 0
      ? null
      : Math.round((100 * usage.cachedTokens) / usage.promptTokens)
  return [
    formatTurns(facts.inheritedTurns, t),
    cached === null ? t('from.tokens', { n }) : t('from.cached', { n, percent: cached }),
    t(facts.tools.length === 0 || side.kind === 'btw' ? 'from.noTools' : 'from.readOnly'),
    t(facts.ephemeral ? 'from.notStored' : 'from.stored'),
  ].join(t('list.comma'))
}

/** A sentence about what went wrong beside the turn itself; '' when nothing did. */
export function troubleText(side: SideSnapshot, t: Translate): string {
  if (side.status.phase === 'expired') return t(`expiry.${side.status.reason}`)
  if (side.notice?.verb === 'stop') return t('composer.stopFailed')
  if (side.notice !== null) return t(`error.${side.notice.code}`)
  return ''
}

/** What is announced: states, never text that streams. */
export function liveText(side: SideSnapshot, t: Translate): string {
  const turn = side.turns.at(-1)
  if (side.status.phase === 'expired') return t(`expiry.${side.status.reason}`)
  if (side.status.phase === 'opening') return t('phase.opening')
  if (turn === undefined) return ''
  if (turn.phase !== 'settled')
    return turn.items.some((item) => item.kind === 'text') ? t('live.answering') : t('phase.thinking')
  if (turn.outcome === 'failed') return failureText(turn.error, t)
  return t(turn.outcome === 'completed' ? 'live.done' : 'live.stopped')
}
