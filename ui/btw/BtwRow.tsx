/** The one quiet line that a `/btw` leaves in main's transcript (D14). */

import type { JSX } from 'react'
import { useSide } from '../data/hooks.ts'
import type { SideRuntime } from '../data/runtime.ts'
import { QuietRow } from '../parts/QuietRow.tsx'
import { useT } from '../parts/surface.tsx'

export interface BtwRowProps {
  readonly runtime: SideRuntime
  /** The id from the command's result; null when it holds none. Never shown. */
  readonly sideId: string | null
  /** Reveals the overlay after the store was told to show this question. */
  readonly onOpen?: () => void
}

export function BtwRow({ runtime, sideId, onOpen }: BtwRowProps): JSX.Element {
  const t = useT()
  const side = useSide(runtime, sideId)
  const open = side === null || side.status.phase === 'closing' ? undefined : side
  return (
    <QuietRow
      label={t('row.btw')}
      title={open?.title ?? ''}
      mark={open?.unread === true ? t('row.unread') : ''}
      state=""
      onOpen={
        open === undefined
          ? undefined
          : () => {
              runtime.show(open.sideId)
              onOpen?.()
            }
      }
    />
  )
}
