/** The way to the sides of a conversation without typing: one quiet button, with a mark while an answer waits unseen. */

import type { JSX } from 'react'
import type { ParentRef } from '../../src/wire/index.ts'
import { useSides } from '../data/hooks.ts'
import type { SideRuntime } from '../data/runtime.ts'
import { IconButton } from '../parts/IconButton.tsx'
import { useT } from '../parts/surface.tsx'
import { sideToShow } from './side-to-show.ts'
import css from './SideButton.module.css'

export interface SideButtonProps {
  readonly runtime: SideRuntime
  readonly parent: ParentRef
  /** The shortcut that does the same, as people write it; '' = none. */
  readonly keys: string
  /** Brings this side to the front and gives it the keyboard. */
  readonly onOpen: (sideId: string) => void
}

export function SideButton({ runtime, parent, keys, onOpen }: SideButtonProps): JSX.Element {
  const t = useT()
  const sides = useSides(runtime, parent.sessionId)
  const unread = sides.side.some((side) => side.unread)
  const label = t(unread ? 'side.openUnread' : sides.side.length === 0 ? 'action.new' : 'side.open')
  return (
    <span className={css['button']} data-unread={unread || undefined}>
      <IconButton icon="bubble" label={label} keys={keys} onClick={() => onOpen(sideToShow(runtime, parent))} />
    </span>
  )
}
