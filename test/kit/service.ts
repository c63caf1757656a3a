/** The service over the scripted provider, on a real socket. */
import { createController, type SideController } from '../../src/core/controller.ts'
import type { Limits } from '../../src/core/limits.ts'
import type { SideEvent, Source } from '../../src/core/contract.ts'
import { SideError } from '../../src/core/errors.ts'
import { createClient, type SideClient } from '../../src/service/client.ts'
import { listen, type Listening } from '../../src/service/listen.ts'
import type { ThreadHost } from '../../src/service/ports.ts'
import { createService } from '../../src/service/server.ts'
import { createFakeProvider, type FakeProvider } from '../providers/fake.ts'
import { realClock } from './codex.ts'

export const TOKEN = 'the-token-of-this-test'

export interface ServiceRig {
  readonly client: SideClient
  readonly provider: FakeProvider
  readonly controller: SideController
  readonly url: string
  readonly port: number
  readonly listening: Listening
  /** Says something in the thread. */
  say(event: SideEvent): void
  /** Any request, as a foreign program would make it. */
  fetch(path: string, init?: RequestInit): Promise<Response>
  close(): Promise<void>
}

export async function startService(options: { limits?: Partial<Limits>; streams?: number } = {}): Promise<ServiceRig> {
  const provider = createFakeProvider(realClock)
  const controller = createController({
    provider,
    clock: realClock,
    brief: () => 'BOUNDARY',
    isCanonical: (_workspace, id) => id === 'a-session',
    ...(options.limits === undefined ? {} : { limits: options.limits }),
  })
  const listeners = new Set<(event: SideEvent) => void>()
  const view = {
    threadId: 'parent-1',
    workspaceId: 'w',
    title: 'A thread',
    cwd: '/work',
    model: 'm',
    modelProvider: 'p',
    busy: false,
  }
  const known = (threadId: string): typeof view => {
    if (threadId !== view.threadId) throw new SideError('not_found', `no thread ${threadId}`)
    return view
  }
  const threads: ThreadHost<Source> = {
    list: async () => [{ threadId: 'parent-1', title: 'A thread', cwd: '/work', updatedAt: 1, attached: true }],
    start: async () => view,
    attach: async (id) => known(id),
    read: known,
    ask: async (id) => void known(id),
    interrupt: async (id) => void known(id),
    answer: async (id) => void known(id),
    subscribe(_id, listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    async capture({ workspaceId, sourceSessionId }) {
      if (sourceSessionId === 'unknown') throw new SideError('not_found', 'no such thread')
      return provider.source({ workspaceId, sessionId: sourceSessionId })
    },
    routeOf: () => ({ provider: 'p', model: 'm' }),
    status: { codexVersion: '0.171.0', connected: true, cwd: '/work' },
  }
  const bound = { port: 0 }
  const service = createService(
    { controller, threads, clock: realClock, version: '0.0.0' },
    {
      token: TOKEN,
      port: () => bound.port,
      ...(options.streams === undefined ? {} : { streams: options.streams }),
    },
  )
  const listening = await listen(service, 0)
  bound.port = listening.port
  const url = `http://127.0.0.1:${listening.port}`
  return {
    client: createClient({ url, token: TOKEN }),
    provider,
    controller,
    url,
    port: listening.port,
    listening,
    say: (event) => listeners.forEach((listener) => listener(event)),
    fetch(path, init = {}) {
      const headers = new Headers(init.headers)
      headers.set('authorization', `Bearer ${TOKEN}`)
      return fetch(url + path, { ...init, headers })
    },
    async close() {
      await controller.shutdown()
      await listening.close()
    },
  }
}
