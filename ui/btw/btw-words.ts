/** What the overlay says about the state of its question. Pure. */

import type { SideSnapshot } from '../data/snapshot.ts'
import type { Translate } from '../locales.ts'
import { inheritedText, storedText, toolsText } from '../parts/facts.ts'
import { announcement } from '../parts/phase.ts'

export function escText(side: SideSnapshot, t: Translate): string {
  const { status } = side
  if (status.phase === 'opening') return t('esc.cancel')
  return t(status.phase === 'running' && !status.stopping ? 'esc.stop' : 'esc.close')
}

/** "12 turns, 18k tokens, no tools, not stored". */
export function factsText(side: SideSnapshot, t: Translate): string {
  const { facts } = side
  if (facts === null) {
    return side.status.phase === 'opening'
      ? t('from.opening')
      : [t('from.draft'), t('from.noTools'), t('from.notStored')].join(t('list.comma'))
  }
  return [
    inheritedText(facts, t),
    toolsText(side.kind === 'side' && facts.tools.length > 0, t),
    storedText(facts, t),
  ].join(t('list.comma'))
}

/** A sentence about what went wrong beside the turn itself; '' when nothing did. */
export function troubleText(side: SideSnapshot, t: Translate): string {
  if (side.status.phase === 'expired') return t(`expiry.${side.status.reason}`)
  if (side.status.phase === 'past') return t('btw.past')
  if (side.notice?.verb === 'stop') return t('composer.stopFailed')
  if (side.notice !== null) return t(`error.${side.notice.code}`)
  return ''
}

/** What is announced: states, never text that streams. */
export function liveText(side: SideSnapshot, t: Translate): string {
  const turn = side.turns.at(-1)
  if (side.status.phase === 'expired') return t(`expiry.${side.status.reason}`)
  if (side.status.phase === 'opening') return t('phase.opening')
  return turn === undefined ? '' : announcement(turn, t)
}
