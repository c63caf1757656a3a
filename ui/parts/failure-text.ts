/** The sentence for a failed turn: what the model API reported, or, where it said nothing usable, the error code. */

import type { TurnFailure } from '../../src/wire/index.ts'
import type { Translate } from '../locales.ts'

export function failureText(error: TurnFailure | undefined, t: Translate): string {
  if (error === undefined) return t('failure.other')
  if (error.kind === 'other' && error.code !== 'provider_error') return t(`error.${error.code}`)
  return t(`failure.${error.kind}`)
}
