/** The other end of an app-server's lines, driven by a test. */
import type { LineStream } from '../../src/providers/codex/rpc.ts'

export interface FakeAppServer {
  readonly stream: LineStream
  /** Every message of the client. */
  readonly sent: readonly Record<string, unknown>[]
  /** How requests are answered: a result, an Error, or 'never'. The default is {}. */
  reply(method: string, answer: (params: Record<string, unknown>) => unknown): void
  notice(method: string, params: object): void
  request(id: number | string, method: string, params: object): void
  answer(id: number, result: unknown): void
  line(text: string): void
  close(reason: string): void
}

export function fakeAppServer(): FakeAppServer {
  const sent: Record<string, unknown>[] = []
  const replies = new Map<string, (params: Record<string, unknown>) => unknown>()
  let listener: (line: string) => void = () => undefined
  const losses: ((reason: string) => void)[] = []
  const push = (message: object): void => listener(JSON.stringify(message))
  const server: FakeAppServer = {
    stream: {
      write(line) {
        const message = JSON.parse(line) as Record<string, unknown>
        sent.push(message)
        const { id, method, params } = message
        if (typeof id !== 'number' || typeof method !== 'string') return
        const result = replies.get(method)?.((params ?? {}) as Record<string, unknown>) ?? {}
        if (result === 'never') return
        queueMicrotask(() =>
          push(result instanceof Error ? { id, error: { code: -32600, message: result.message } } : { id, result }),
        )
      },
      onLine(next) {
        listener = next
      },
      onClose: (loss) => void losses.push(loss),
    },
    sent,
    reply: (method, answer) => void replies.set(method, answer),
    notice: (method, params) => push({ method, params, emittedAtMs: 1_000 }),
    request: (id, method, params) => push({ id, method, params }),
    answer: (id, result) => push({ id, result }),
    line: (text) => listener(text),
    close(reason) {
      for (const loss of losses) loss(reason)
    },
  }
  server.reply('initialize', () => ({ userAgent: 'test/0.171.0 (Linux)', codexHome: '/home' }))
  return server
}
