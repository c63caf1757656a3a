/** The real DSH provider on a real host as a rig of the provider contract. The host is started once and shared by all
 *  rigs of a process; each rig has a parent conversation of its own, in which a turn is running. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import type { RecordedRequest } from '../../dev/model/journal.ts'
import type { Clock } from '../../src/core/limits.ts'
import type { DshSource } from '../../src/providers/dsh/parent.ts'
import type { ProviderRig, ScriptName } from '../providers/contract.ts'
import { startRig, type Rig } from './host.ts'
import { packTestProvider } from './provider-plugin/pack.ts'
import { connectProvider, type RemoteProvider } from './remote-provider.ts'

const PAUSE_MS = 20
const SAID = {
  plain: { text: 'It refuses to update\n\n\tthe lockfile. ' },
  reasoning: { reasoning: '  Let me think about\n it.\n', text: 'Because it says so.' },
  tool: { text: 'It is called tideline.' },
} as const
const READ_FILE = 'package.json'
const ASKED = {
  questions: [{ id: 'manager', question: 'Which one?', options: [{ label: 'npm' }, { label: 'pnpm' }] }],
}
/** What the parent has said of its running turn, which then waits. */
const PARTIAL = 'I am reading the files of the project. '

interface SharedHost {
  readonly rig: Rig
  readonly remote: RemoteProvider
  /** Conversations that are nobody's side. */
  readonly parents: Set<string>
}

/** A rig of the contract, and the host it stands on. */
export interface DshRig extends ProviderRig<DshSource> {
  readonly host: Rig
  /** Captures a conversation of the host; it counts as nobody's side. */
  capture(this: void, sessionId: string): Promise<DshSource>
  /** What comes of an approval that a side asks for, even where its policy would let it ask. */
  approve(this: void, providerSessionId: string): Promise<string>
}

let host: Promise<SharedHost> | undefined

/** Starts a rig, and the host when it does not run yet. */
export async function startDshRig(): Promise<DshRig> {
  const { rig, remote, parents } = await (host ??= startHost())
  const parent = await rig.newSession()
  parents.add(parent)
  const gate = randomUUID()
  await rig.ask(parent, 'What is in this project? [[plain A tide table.]]')
  await rig.frames.waitFor('the title', ({ sessionId, event }) => sessionId === parent && isTitle(event))
  await rig.prompt(parent, `Go on. [[gate ${JSON.stringify({ name: gate, before: PARTIAL, after: 'Done.' })}]]`)
  const request = await parentsRequest(rig, gate)
  await waitUntil('the parent has written what it writes', async () => {
    const { liveTurn } = await remote.capture(parent)
    return liveTurn?.partialAnswer === PARTIAL
  })
  const before = JSON.stringify(await remote.state(parent))

  async function children(): Promise<readonly string[]> {
    const { agents, sessions } = await remote.residents()
    return [...new Set([...agents, ...sessions])].filter((id) => !parents.has(id))
  }

  return {
    host: rig,
    capture(sessionId) {
      parents.add(sessionId)
      return remote.capture(sessionId)
    },
    approve: (id) => remote.approve(id),
    provider: remote.provider,
    clock,
    pause: () => sleep(PAUSE_MS),
    source: () => remote.capture(parent),
    sourceOfChild: (id) => remote.capture(id),
    script: (name) => rig.model.script({ behaviour: behaviourOf(name) }),
    answer: () => ({ answers: [{ id: 'manager', selected: ['pnpm'] }] }),
    expected: (name) => ({
      ...SAID[name],
      ...(name === 'tool' ? { tool: { name: 'read', target: READ_FILE } } : {}),
    }),
    requests: async () =>
      rig.model
        .requests()
        .filter(({ sessionId }) => sessionId === null || !parents.has(sessionId))
        .map(textOf),
    childAlive: async (id) => (await children()).includes(id),
    children,
    async sourceUntouched() {
      // Its own log and turn, and what any plugin beside it hears.
      return (
        (await remote.seen()).every((id) => parents.has(id)) &&
        request.endedAt === null &&
        !request.aborted &&
        JSON.stringify(await remote.state(parent)) === before
      )
    },
    lose: (id) => remote.lose(id),
    async dispose() {
      // Lets the parent's turn end, and forgets scripts and requests.
      rig.model.clear()
      await waitUntil('the parent is idle', async () => (await remote.state(parent)).status === 'idle')
    },
  }
}

/** Ends the shared host. */
export async function stopDshHost(): Promise<void> {
  const running = await host?.catch(() => undefined)
  host = undefined
  running?.remote.close()
  await running?.rig.stop()
}

async function startHost(): Promise<SharedHost> {
  const rig = await startRig({ stock: true, plugins: [await packTestProvider()] })
  try {
    return { rig, remote: await connectProvider(rig.home), parents: new Set([rig.sessionId]) }
  } catch (error) {
    await rig.stop()
    throw error
  }
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
      return { kind: 'tool', calls: [{ name: 'read', arguments: { file_path: READ_FILE } }], after: SAID.tool.text }
    case 'error-429':
      // Longer than the host waits for: it gives up at once instead of asking five more times.
      return { kind: 'status', status: 429, retryAfter: 3_600 }
    case 'stall':
      return { kind: 'stall', text: 'One ' }
    case 'ask':
      return { kind: 'tool', calls: [{ name: 'ask_user_question', arguments: ASKED }], after: 'So it is pnpm.' }
  }
}

async function parentsRequest(rig: Rig, gate: string): Promise<RecordedRequest> {
  let found: RecordedRequest | undefined
  await waitUntil('the parent stands at its gate', async () => {
    found = rig.model.requests().find((request) => request.gate === gate)
    return found !== undefined
  })
  return found as unknown as RecordedRequest
}

/** Whether this is the title that a model gave; the host makes one of the question at once. */
function isTitle(event: { readonly type: string; readonly data?: unknown } | undefined): boolean {
  return event?.type === 'session/title' && JSON.stringify(event.data).includes('"kind":"provider"')
}

function textOf(request: RecordedRequest): string {
  const { messages } = request.body as { messages: readonly { content?: unknown }[] }
  return messages
    .map(({ content }) => (typeof content === 'string' ? content : JSON.stringify(content ?? '')))
    .join('\n')
}

async function waitUntil(what: string, isSo: () => Promise<boolean>): Promise<void> {
  for (const until = Date.now() + 20_000; Date.now() < until; await sleep(PAUSE_MS)) if (await isSo()) return
  throw new Error(`waited in vain until ${what}`)
}

const clock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
