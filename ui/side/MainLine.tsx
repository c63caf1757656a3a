/** The quiet live line of what main is doing; it leads there (K15). */

import type { JSX } from 'react'
import type { Translate } from '../locales.ts'
import { formatRunning } from '../parts/format.ts'
import { useT } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import { useElapsed } from '../parts/use-elapsed.ts'
import css from './Side.module.css'

/** Told by the mounting layer. `what` is untrusted text, one line ("npm test"); `since` epoch milliseconds. */
export interface MainActivity {
  readonly state: 'running' | 'approval' | 'question' | 'done' | 'failed'
  readonly what?: string
  readonly since?: number
}

export interface MainLineProps {
  readonly main: MainActivity
  /** Takes the person to main; without it the line only says. */
  readonly onGo?: () => void
  /** Asks about what main waits for; absent where the page does not tell what that is. */
  readonly onAsk?: (() => void) | undefined
}

export function MainLine({ main, onGo, onAsk }: MainLineProps): JSX.Element {
  const t = useT()
  const running = main.state !== 'done' && main.state !== 'failed'
  const elapsed = useElapsed(main.since, running)
  const line = (
    <>
      <span className={css['mainText']}>{mainText(main, t)}</span>
      {running && main.since !== undefined && <span className={css['clock']}>{formatRunning(elapsed, t)}</span>}
    </>
  )
  const said =
    onGo === undefined ? (
      <div className={css['main']} data-state={main.state}>
        {line}
      </div>
    ) : (
      <button type="button" className={css['main']} data-state={main.state} title={t('main.go')} onClick={onGo}>
        {line}
      </button>
    )
  const waits = main.state === 'approval' || main.state === 'question'
  if (!waits || onAsk === undefined) return said
  return (
    <div className={css['mainRow']}>
      {said}
      <TextButton onClick={onAsk}>{t('pending.ask')}</TextButton>
    </div>
  )
}

function mainText({ state, what = '' }: MainActivity, t: Translate): string {
  return state === 'running' && what !== '' ? t('main.runningWhat', { what }) : t(`main.${state}`)
}
