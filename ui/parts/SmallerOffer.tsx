/** The way out when the model refused what went along as too long: the question once more, with less of main (K05). */

import type { JSX } from 'react'
import type { ForkFacts, Scope, TranscriptTurn } from '../../src/wire/index.ts'
import { rungName } from './scope-words.ts'
import { useT } from './surface.tsx'
import { TextButton } from './TextButton.tsx'

export interface SmallerOfferProps {
  readonly side: { readonly turns: readonly TranscriptTurn[]; readonly facts: ForkFacts | null }
  readonly onAsk: (scope: Scope) => void
}

export function SmallerOffer({ side, onAsk }: SmallerOfferProps): JSX.Element | null {
  const t = useT()
  const last = side.turns.at(-1)
  const smaller = side.facts?.smaller
  if (smaller === undefined || last?.outcome !== 'failed' || last.error?.kind !== 'context_overflow') return null
  return (
    <div>
      <TextButton outlined onClick={() => onAsk(smaller.scope)}>
        {t('scope.askWith', { what: rungName(smaller, t) })}
      </TextButton>
    </div>
  )
}
