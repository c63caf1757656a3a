/** The page's one bar: the way back, what is open, whether the service is there, the language, and the way to the sides. */

import { useSyncExternalStore } from 'react'
import type { JSX, ReactNode } from 'react'
import { IconButton } from '../parts/IconButton.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import type { LinkState } from './link.ts'
import type { PageHost } from './host.ts'
import { useWords } from './words-context.tsx'
import css from './Page.module.css'

export interface HeaderProps {
  readonly host: PageHost
  readonly title: string
  readonly onBack?: () => void
  readonly children?: ReactNode
}

export function Header({ host, title, onBack, children }: HeaderProps): JSX.Element {
  const w = useWords()
  const link = useSyncExternalStore(host.link.subscribe, host.link.state)
  return (
    <>
      <header className={css['header']}>
        {onBack !== undefined && <IconButton icon="left" label={w('web.back')} onClick={onBack} />}
        <h1 className={css['title']} title={title}>
          {title}
        </h1>
        <span className={css['link']} data-state={link} role="status">
          <span>{w(SHORT[link])}</span>
        </span>
        <TextButton lang={w('web.language') === '中文' ? 'zh' : 'en'} onClick={() => host.language.toggle()}>
          {w('web.language')}
        </TextButton>
        {children}
      </header>
      {(link === 'gone' || link === 'foreign') && (
        <div className={css['trouble']} role="alert">
          {w(link === 'gone' ? 'web.gone' : 'web.foreign')}
        </div>
      )}
    </>
  )
}

const SHORT = {
  connecting: 'web.connecting',
  connected: 'web.connected',
  gone: 'web.goneShort',
  foreign: 'web.goneShort',
} as const satisfies Record<LinkState, string>
