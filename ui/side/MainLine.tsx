/** The quiet live line of what main is doing (K15). */

import type { JSX } from 'react'
import type { Translate } from '../locales.ts'
import { formatRunning } from '../parts/format.ts'
import { useT } from '../parts/surface.tsx'
import { useElapsed } from '../parts/use-elapsed.ts'
import css from './Side.module.css'

/** Told by the mounting layer. `what` is untrusted text, one line ("npm test"); `since` epoch milliseconds. */
export interface MainActivity {
  readonly state: 'running' | 'approval' | 'done' | 'failed'
  readonly what?: string
  readonly since?: number
}

export function MainLine({ main }: { readonly main: MainActivity }): JSX.Element {
  const t = useT()
  const running = main.state === 'running' || main.state === 'approval'
  const elapsed = useElapsed(main.since, running)
  return (
    <div className={css['main']} data-state={main.state}>
      <span className={css['mainText']}>{mainText(main, t)}</span>
      {running && main.since !== undefined && <span className={css['clock']}>{formatRunning(elapsed, t)}</span>}
    </div>
  )
}

function mainText({ state, what = '' }: MainActivity, t: Translate): string {
  return state === 'running' && what !== '' ? t('main.runningWhat', { what }) : t(`main.${state}`)
}
