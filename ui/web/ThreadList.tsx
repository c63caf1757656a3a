/** The threads of this CODEX_HOME, newest first, and a new one. */

import { useCallback, useEffect, useState, useSyncExternalStore } from 'react'
import type { JSX } from 'react'
import type { Output } from '../../src/service/client.ts'
import { TextButton } from '../parts/TextButton.tsx'
import { Header } from './Header.tsx'
import type { PageHost } from './host.ts'
import type { ThreadFacts } from './thread.ts'
import { useWords } from './words-context.tsx'
import css from './ThreadList.module.css'

type Listed = Output<'listThreads'>['threads'][number]

export interface ThreadListProps {
  readonly host: PageHost
  readonly onOpen: (threadId: string, facts?: ThreadFacts) => void
}

export function ThreadList({ host, onOpen }: ThreadListProps): JSX.Element {
  const w = useWords()
  const { client, link } = host
  const connected = useSyncExternalStore(link.subscribe, link.state) === 'connected'
  const language = useSyncExternalStore(host.language.subscribe, host.language.active)
  const [threads, setThreads] = useState<readonly Listed[] | null>(null)
  const [folder, setFolder] = useState('')
  const [failed, setFailed] = useState(false)
  const [starting, setStarting] = useState(false)

  const load = useCallback(() => {
    setFailed(false)
    Promise.all([client.call('listThreads', {}), client.call('status', {})]).then(
      ([list, status]) => {
        setThreads(list.threads)
        setFolder(status.cwd)
      },
      () => {
        setFailed(true)
        link.doubt()
      },
    )
  }, [client, link])
  useEffect(() => {
    if (connected) load()
  }, [connected, load])

  const start = (): void => {
    setStarting(true)
    client
      .call('startThread', { body: {} })
      .then(
        (facts) => onOpen(facts.threadId, facts),
        () => {
          setFailed(true)
          link.doubt()
        },
      )
      .finally(() => setStarting(false))
  }

  return (
    <>
      <Header host={host} title={w('web.threads')} />
      <main className={css['list']}>
        <div className={css['inner']}>
          <div className={css['head']}>
            <span className={css['where']} title={folder}>
              {folder === '' ? '' : w('web.worksIn', { folder })}
            </span>
            <TextButton outlined disabled={!connected || starting} onClick={start}>
              {w('web.newThread')}
            </TextButton>
          </div>
          {failed && (
            <div className={css['note']} role="alert">
              <p>{w('web.listFailed')}</p>
              <TextButton outlined onClick={load}>
                {w('web.again')}
              </TextButton>
            </div>
          )}
          {!failed && threads === null && <div className={css['note']}>{w('web.loading')}</div>}
          {threads?.length === 0 && <div className={css['note']}>{w('web.noThreads')}</div>}
          {threads !== null && threads.length > 0 && (
            <ul className={css['rows']}>
              {threads.map((thread) => (
                <li key={thread.threadId}>
                  <button type="button" className={css['row']} onClick={() => onOpen(thread.threadId)}>
                    <span className={css['name']}>{thread.title || w('web.untitled')}</span>
                    <span className={css['more']}>
                      {[folderOf(thread.cwd), thread.attached ? w('web.running') : when(thread.updatedAt, language)]
                        .filter((part) => part !== '')
                        .join(' · ')}
                    </span>
                  </button>
                </li>
              ))}
            </ul>
          )}
        </div>
      </main>
    </>
  )
}

/** The hour of a thread of today, the day of an older one. */
function when(at: number, language: string): string {
  if (at === 0) return ''
  const time = new Date(at)
  const today = time.toDateString() === new Date().toDateString()
  return new Intl.DateTimeFormat(
    language,
    today ? { hour: '2-digit', minute: '2-digit' } : { year: 'numeric', month: 'short', day: 'numeric' },
  ).format(time)
}

/** The last part of a path says where it is. */
function folderOf(cwd: string): string {
  return cwd.split(/[\\/]/).findLast((part) => part !== '') ?? ''
}
