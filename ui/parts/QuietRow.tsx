/** The one quiet line that a side leaves in main's transcript (D14), shaped like the host's own rows. */

import type { JSX } from 'react'
import { Icon } from './Icon.tsx'
import css from './QuietRow.module.css'

export interface QuietRowProps {
  /** What happened: "asked on the side". */
  readonly label: string
  /** The question, or ''. */
  readonly title: string
  /** What waits to be seen ("new answer"), or ''. */
  readonly mark?: string
  /** How it stands now, or ''. */
  readonly state: string
  /** Absent when there is nothing to show any more. */
  readonly onOpen?: (() => void) | undefined
}

export function QuietRow({ label, title, mark = '', state, onOpen }: QuietRowProps): JSX.Element {
  const line = (
    <>
      <span className={css['icon']}>
        <Icon name="hide" size={14} />
      </span>
      <span className={css['label']}>{label}</span>
      {title !== '' && <span className={css['title']}>{title}</span>}
      {mark !== '' && <span className={css['mark']}>{mark}</span>}
      {state !== '' && <span className={css['state']}>{state}</span>}
    </>
  )
  if (onOpen === undefined) return <div className={css['row']}>{line}</div>
  return (
    <button type="button" className={css['row']} onClick={onOpen}>
      {line}
    </button>
  )
}
