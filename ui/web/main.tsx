/** Mounts the page that the service serves under `/t/<token>/`. The token in the address is its key to the service. */

import './theme.css'
import { createRoot } from 'react-dom/client'
import { createClient } from '../../src/service/client.ts'
import { browserPorts } from '../data/ports.ts'
import { createRuntime } from '../data/runtime.ts'
import { solePage } from '../data/sole-page.ts'
import { fetchLaterBy } from '../parts/later.ts'
import { createDrafts } from './drafts.ts'
import type { PageHost } from './host.ts'
import { createLanguage } from './language.ts'
import { fetchLater } from './later.ts'
import { createLine } from './line.ts'
import { createLink } from './link.ts'
import { Page } from './Page.tsx'
import { createThread, type Thread } from './thread.ts'
import { createWebTransport } from './transport.ts'

const root = document.getElementById('root')
if (root !== null) createRoot(root).render(<Page host={connect()} />)

function connect(): PageHost {
  const token = /^\/t\/([^/]+)\//.exec(location.pathname)?.[1] ?? ''
  const client = createClient({ url: '', token })
  const link = createLink({ client, wait })
  const line = createLine({ client, wait, onTrouble: link.doubt })
  const ports = browserPorts()
  const transport = createWebTransport({
    client,
    line,
    memory: storageOf(() => window.sessionStorage),
    sole: solePage({
      storage: storageOf(() => window.sessionStorage),
      locks: navigator.locks,
      newId: ports.newId,
      signal: new AbortController().signal,
    }),
    wait,
    onTrouble: link.doubt,
  })
  fetchLaterBy(fetchLater)
  let current: { readonly threadId: string; readonly thread: Thread } | null = null
  return {
    client,
    link,
    runtime: createRuntime({ transport }),
    drafts: createDrafts(),
    language: createLanguage(
      navigator.language,
      storageOf(() => window.localStorage),
      (active) => {
        document.documentElement.lang = active
      },
    ),
    thread(threadId, facts) {
      if (current?.threadId === threadId) return current.thread
      current?.thread.dispose()
      const thread = createThread({
        client,
        line,
        threadId,
        ...(facts === undefined ? {} : { facts }),
        newId: ports.newId,
        wait,
        frame: ports.frame,
        onTrouble: link.doubt,
      })
      current = { threadId, thread }
      return thread
    },
  }
}

function wait(ms: number, task: () => void): () => void {
  const timer = setTimeout(task, ms)
  return () => clearTimeout(timer)
}

/** Null where the browser forbids it. */
function storageOf(read: () => Storage): Storage | null {
  try {
    return read()
  } catch {
    return null
  }
}
