/** The real Codex provider on the real binary as a rig of the provider contract. One app-server is shared by all rigs of a
 *  process; each rig has a thread of its own, in which a turn is running. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import type { RecordedRequest } from '../../dev/model/journal.ts'
import type { CodexConnection } from '../../src/providers/codex/connection.ts'
import type { CodexProcess } from '../../src/providers/codex/process.ts'
import { createCodexProvider } from '../../src/providers/codex/provider.ts'
import type { CodexSource } from '../../src/providers/codex/source.ts'
import type { ProviderRig, ScriptName } from '../providers/contract.ts'
import { realClock, startLab, startThread, waitUntil, type CodexLab } from './codex.ts'

const PAUSE_MS = 20
const SAID = {
  plain: { text: 'It refuses to update\n\n\tthe lockfile. ' },
  reasoning: { reasoning: '  Let me think about\n it.\n', text: 'Because it says so.' },
  tool: { text: 'It is called tideline.' },
} as const
const PARTIAL = 'I am reading the files of the project. '

let shared: Promise<{ readonly lab: CodexLab; readonly process: CodexProcess }> | undefined
const sources = new Set<string>()

/** Starts a rig, and the app-server when it does not run yet. */
export async function startCodexRig(): Promise<ProviderRig<CodexSource>> {
  const { lab, process } = await (shared ??= startShared())
  const { connection } = process
  const thread = await startThread({ connection }, lab.work)
  const { threadId } = thread.metadata
  sources.add(threadId)
  await thread.turn('What is in this project? [[plain A tide table.]]')
  const gate = randomUUID()
  const live = await thread.ask(`Go on. [[gate ${JSON.stringify({ name: gate, before: PARTIAL, after: 'Done.' })}]]`)
  let request: RecordedRequest | undefined
  await waitUntil('the thread stands at its gate', () => {
    request = lab.model.requests().find((one) => one.gate === gate)
    return request !== undefined && thread.heard.some(({ method }) => method === 'item/agentMessage/delta')
  })
  await settled(() => thread.heard.length)
  const heard = thread.heard.length
  const provider = createCodexProvider({
    clock: realClock,
    live: (id) => (sources.has(id) ? connection : undefined),
    start: () => Promise.reject(new Error('the thread runs here')),
  })
  const capture = (id: string): CodexSource => ({
    ...thread.watched.capture(lab.work, Date.now()),
    sessionId: id,
    isSide: provider.isSide(id),
  })

  return {
    provider,
    clock: realClock,
    pause: () => sleep(PAUSE_MS),
    source: async () => capture(threadId),
    sourceOfChild: async (id) => capture(id),
    script: (name) => lab.model.script({ behaviour: behaviourOf(name) }),
    expected: (name) => ({
      ...SAID[name],
      ...(name === 'tool' ? { tool: { name: 'shell', target: 'cat package.json' } } : {}),
    }),
    requests: async () =>
      lab.model
        .requests()
        .filter(({ sessionId }) => !sources.has(sessionId ?? ''))
        .map(textOf),
    childAlive: async (id) => (await loaded(connection)).includes(id),
    children: async () => (await loaded(connection)).filter((id) => !sources.has(id)),
    sourceUntouched: async () => request?.endedAt === null && !request.aborted && thread.heard.length === heard,
    async lose(id) {
      // Somebody else on the connection unloads it.
      await connection.request('thread/unsubscribe', { threadId: id })
    },
    async dispose() {
      lab.model.release(gate)
      await thread.ended(live)
      lab.model.clear()
      await waitUntil('only sources are loaded', async () => (await loaded(connection)).every((id) => sources.has(id)))
      await waitUntil('nothing is kept', () => connection.sizes.kept === 0)
    },
  }
}

/** Ends the shared app-server. */
export async function stopCodexLab(): Promise<void> {
  const running = await shared?.catch(() => undefined)
  shared = undefined
  await running?.lab.end()
}

async function startShared(): Promise<{ lab: CodexLab; process: CodexProcess }> {
  const lab = await startLab()
  await writeFile(join(lab.work, 'package.json'), '{ "name": "tideline" }\n')
  return { lab, process: await lab.start() }
}

async function loaded(connection: CodexConnection): Promise<readonly string[]> {
  return ((await connection.request('thread/loaded/list', {})) as { data: string[] }).data
}

async function settled(count: () => number): Promise<void> {
  for (let before = -1; before !== count(); await sleep(100)) before = count()
}

function behaviourOf(name: ScriptName): Behaviour {
  switch (name) {
    case 'plain':
      return { kind: 'plain', text: SAID.plain.text, chunkMs: 5, chunkChars: 8 }
    case 'slow':
      return { kind: 'slow', totalMs: 1_500, text: Array.from({ length: 60 }, (_, index) => `word ${index} `).join('') }
    case 'reasoning':
      return { kind: 'reasoning', ...SAID.reasoning, chunkMs: 5, chunkChars: 8 }
    case 'tool':
      return {
        kind: 'tool',
        calls: [{ name: 'exec_command', arguments: { cmd: 'cat package.json' } }],
        after: SAID.tool.text,
      }
    case 'error-429':
      return { kind: 'status', status: 429 }
    case 'stall':
      return { kind: 'stall', text: 'One ' }
    case 'ask':
      return { kind: 'plain', text: 'I may not ask.' }
  }
}

function textOf(request: RecordedRequest): string {
  return request.body.messages.map(({ content }) => (typeof content === 'string' ? content : '')).join('\n')
}
