/** Why a turn failed, with a way out; the provider's own words behind it, as plain text. */

import type { JSX } from 'react'
import type { TurnFailure } from '../../src/wire/index.ts'
import type { Translate } from '../locales.ts'
import { useT } from './surface.tsx'
import css from './Turn.module.css'

const DETAIL_MOST = 240

export function failureText(error: TurnFailure | undefined, t: Translate): string {
  if (error === undefined) return t('failure.other')
  if (error.kind === 'other' && error.code !== 'provider_error') return t(`error.${error.code}`)
  return t(`failure.${error.kind}`)
}

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
