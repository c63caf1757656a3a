/** How long a question to a Codex side is on its way, beside what Codex itself takes for an ephemeral fork and its first turn, and
 *  how much HTTP adds. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import { KEY_VARIABLE } from '../dev/codex/home.ts'
import { now, type RecordedRequest } from '../dev/model/journal.ts'
import { Sentence } from '../dev/sentence.ts'
import { startCodexService } from '../src/codex.ts'
import { readThreadFacts, turnIdOf } from '../src/providers/codex/protocol.ts'
import { createClient } from '../src/service/client.ts'
import { startLab, waitUntil, type CodexLab } from '../test/kit/codex.ts'
import { median, type Figure } from './figure.ts'
import { interleaved } from './host.ts'
import type { Plan } from './plan.ts'

/** No figure when Codex cannot be fetched; `skip` is told why. */
/** Milliseconds from asking: to the answer of the call, and to the model's request. */
interface Asked {
  readonly reply: number
  readonly request: number
}

export async function codexTurn(plan: Plan, skip: (why: string) => void): Promise<Figure[]> {
  let lab: CodexLab
  try {
    lab = await startLab()
  } catch (error) {
    if (!(error instanceof Sentence)) throw error
    skip(`No figure of Codex: ${error.message}`)
    return []
  }
  try {
    return [await measure(lab, plan)]
  } finally {
    await lab.end()
  }
}

async function measure(lab: CodexLab, plan: Plan): Promise<Figure> {
  const service = await startCodexService({
    binary: lab.binary,
    codexHome: lab.home,
    cwd: lab.work,
    state: join(lab.work, '../state'),
    port: 0,
    version: '0.0.0',
    env: { [KEY_VARIABLE]: 'any' },
    report: () => undefined,
  })
  try {
    const client = createClient(service)
    const { threadId, workspaceId } = await client.call('startThread', { body: {} })
    await client.call('askThread', { params: { threadId }, body: { turnId: 'main', text: 'Hello. [[plain Hello.]]' } })
    const isBusy = async (): Promise<boolean> => (await client.call('readThread', { params: { threadId } })).busy
    await waitUntil('the thread has answered', async () => !(await isBusy()))
    const connection = service.host.live(threadId)
    if (connection === undefined) throw new Error('the thread does not run')

    /** Asks with a text of its own, so that its request is known among all others. */
    const asked = async (submit: (text: string) => Promise<() => Promise<unknown>>): Promise<Asked> => {
      const mark = randomUUID()
      const from = now()
      const close = await submit(`${mark} [[plain Four.]]`)
      const reply = now() - from
      let request: RecordedRequest | undefined
      await waitUntil('it is answered', () => {
        request = lab.model.requests().find(({ lastUser }) => lastUser.includes(mark))
        return typeof request?.endedAt === 'number'
      })
      await close()
      // Nobody pays for the unloading of the one before.
      await waitUntil('only the thread is loaded', async () => {
        const { data } = (await connection.request('thread/loaded/list', {})) as { data: readonly string[] }
        return data.length === 1
      })
      return { reply, request: (request?.arrivedAt ?? Number.NaN) - from }
    }
    const names = () => ({ sideSessionId: randomUUID(), requestId: randomUUID() })
    const turn = (text: string) => ({ turnId: randomUUID(), clientSubmitId: randomUUID(), text })
    const side = (): Promise<Asked> =>
      asked(async (text) => {
        const identity = { workspaceId, sourceSessionId: threadId, ...names() }
        const source = await service.host.capture(identity)
        await service.controller.open({ source, side: identity, kind: 'side' })
        const { turnId, clientSubmitId } = turn(text)
        await service.controller.send(identity, { turnId, clientSubmitId, content: [{ type: 'text', text }] })
        return () => service.controller.close(identity)
      })
    const http = (): Promise<Asked> =>
      asked(async (text) => {
        const source = { workspaceId, sourceSessionId: threadId }
        const opened = await client.call('open', { body: { source, ...names(), kind: 'side' } })
        await client.call('send', { body: { side: opened.side, ...turn(text) } })
        return () => client.call('close', { body: { side: opened.side } })
      })
    const bare = (): Promise<Asked> =>
      asked(async (text) => {
        const config = { thread_unload_delay_secs: 0 }
        const fork = await connection.request('thread/fork', { threadId, ephemeral: true, excludeTurns: true, config })
        const id = readThreadFacts(fork)?.id ?? ''
        const started = await connection.request('turn/start', { threadId: id, input: [{ type: 'text', text }] })
        if (turnIdOf(started) === '') throw new Error('no turn was started')
        return () => connection.request('thread/unsubscribe', { threadId: id })
      })

    const samples = plan.samples(1)
    const taken = await interleaved({ side, http, bare }, { warmUps: plan.warmUps, samples })
    return {
      what: 'Codex, question to turn',
      at: '1 turn',
      unit: 'ms',
      ours: median(taken.side.map(({ reply }) => reply)),
      baseline: { name: 'thread/fork + turn/start', value: median(taken.bare.map(({ reply }) => reply)) },
      samples,
      beside: {
        'over HTTP': median(taken.http.map(({ reply }) => reply)),
        'its request at the model': median(taken.side.map(({ request }) => request)),
        'of a bare fork': median(taken.bare.map(({ request }) => request)),
      },
    }
  } finally {
    await service.close()
  }
}
