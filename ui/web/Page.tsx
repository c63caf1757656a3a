/** The page: the list of threads, or one of them. Which one is in the address, so that a reload and the way back keep it. */

import { useEffect, useMemo, useState, useSyncExternalStore } from 'react'
import type { JSX } from 'react'
import { createTranslate } from '../locales.ts'
import { SurfaceProvider } from '../parts/surface.tsx'
import type { PageHost } from './host.ts'
import { ThreadList } from './ThreadList.tsx'
import { ThreadView } from './ThreadView.tsx'
import type { ThreadFacts } from './thread.ts'
import { createPageWords, WordsProvider } from './words-context.tsx'
import css from './Page.module.css'

export function Page({ host }: { readonly host: PageHost }): JSX.Element {
  const language = useSyncExternalStore(host.language.subscribe, host.language.active)
  const surface = useMemo(() => ({ t: createTranslate(language) }), [language])
  const words = useMemo(() => createPageWords(language), [language])
  const threadId = useThreadInAddress()

  const open = (id: string, facts?: ThreadFacts): void => {
    host.thread(id, facts)
    location.hash = encodeURIComponent(id)
  }
  return (
    <SurfaceProvider value={surface}>
      <WordsProvider value={words}>
        <div data-sidemind="" className={css['page']}>
          {threadId === '' ? (
            <ThreadList host={host} onOpen={open} />
          ) : (
            <ThreadView
              key={threadId}
              host={host}
              thread={host.thread(threadId)}
              onBack={() => {
                location.hash = ''
              }}
            />
          )}
        </div>
      </WordsProvider>
    </SurfaceProvider>
  )
}

/** '' for the list. */
function useThreadInAddress(): string {
  const [threadId, setThreadId] = useState(readAddress)
  useEffect(() => {
    const onChange = (): void => setThreadId(readAddress())
    window.addEventListener('hashchange', onChange)
    return () => window.removeEventListener('hashchange', onChange)
  }, [])
  return threadId
}

function readAddress(): string {
  try {
    return decodeURIComponent(location.hash.slice(1))
  } catch {
    return ''
  }
}
