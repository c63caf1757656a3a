/** The one quiet line that a `/side` leaves in main's transcript (D14). */

import type { JSX } from 'react'
import { useSide } from '../data/hooks.ts'
import type { SideRuntime } from '../data/runtime.ts'
import type { SideSnapshot } from '../data/snapshot.ts'
import type { Translate } from '../locales.ts'
import { QuietRow } from '../parts/QuietRow.tsx'
import { useT } from '../parts/surface.tsx'
import { useElapsed } from '../parts/use-elapsed.ts'

export interface SideRowProps {
  readonly runtime: SideRuntime
  /** The id from the command's result; null when it holds none. Never shown. */
  readonly sideId: string | null
  /** Opens or reveals the tab of this side (the store's own id is passed). */
  readonly onOpen: (sideId: string) => void
}

export function SideRow({ runtime, sideId, onOpen }: SideRowProps): JSX.Element {
  const t = useT()
  const side = useSide(runtime, sideId)
  const open = side === null || side.status.phase === 'closing' ? null : side
  // Ticks only while there is a time to show.
  useElapsed(0, open?.endsAt != null)
  return (
    <QuietRow
      label={t('row.side')}
      title={open?.title ?? ''}
      mark={open?.unread === true ? t('row.unread') : ''}
      state={open === null ? '' : stateText(open, t)}
      onOpen={open === null ? undefined : () => onOpen(open.sideId)}
    />
  )
}

function stateText(side: SideSnapshot, t: Translate): string {
  if (side.status.phase === 'expired') return t('row.ended')
  if (side.endsAt === null) return ''
  const minutes = Math.max(1, Math.ceil((side.endsAt - Date.now()) / 60_000))
  return t('row.endsIn', { time: t('time.minutes', { n: minutes }) })
}
