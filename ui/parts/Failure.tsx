/** Why a turn failed, with a way out; the provider's own words behind it, as plain text. */

import type { JSX } from 'react'
import type { TurnFailure } from '../../src/wire/index.ts'
import { failureText } from './failure-text.ts'
import { useT } from './surface.tsx'
import css from './Turn.module.css'

const DETAIL_MOST = 240

export function Failure({ error }: { readonly error: TurnFailure | undefined }): JSX.Element {
  const t = useT()
  const detail = error?.detail.trim() ?? ''
  return (
    <div className={css['failure']}>
      <span>{failureText(error, t)}</span>
      {detail !== '' && (
        <span className={css['failureDetail']}>
          {detail.length > DETAIL_MOST ? `${detail.slice(0, DETAIL_MOST)}…` : detail}
        </span>
      )}
    </div>
  )
}
