/** What a `/side` says about its state. Pure. */

import type { SideSnapshot } from '../data/snapshot.ts'
import type { Translate } from '../locales.ts'
import { announcement } from '../parts/phase.ts'

/** One sentence above the composer, or ''. */
export function noticeText(side: SideSnapshot, t: Translate): string {
  const { notice } = side
  if (notice === null) return ''
  if (notice.verb === 'stop') return t('composer.stopFailed')
  return notice.verb === 'queue' ? t('composer.queueFull') : t(`error.${notice.code}`)
}

export function placeholderText(side: SideSnapshot, t: Translate): string {
  const { phase } = side.status
  if (phase === 'running' || phase === 'opening') return t('composer.queue')
  return t(side.turns.length === 0 ? 'composer.side' : 'composer.followUp')
}

/** What is announced: states, never text that streams. */
export function liveText(side: SideSnapshot, t: Translate): string {
  const turn = side.turns.at(-1)
  if (side.status.phase === 'expired') return t(`expiry.${side.status.reason}`)
  if (side.notice !== null) return noticeText(side, t)
  if (turn === undefined) return ''
  if (side.queue.messages.length > 0 && turn.phase !== 'settled') return t('live.queued')
  return announcement(turn, t)
}

export function titleOf(side: SideSnapshot, t: Translate): string {
  return side.title === '' ? t('side.untitled') : side.title
}
