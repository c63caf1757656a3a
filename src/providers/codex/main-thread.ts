/** One thread of the person that runs here: what is said in it, its turns, and the approvals it waits for. Sides are asked
 *  beside it and never touch it. */

import type { InteractionPatch, SideEvent } from '../../core/contract.ts'
import { SideError } from '../../core/errors.ts'
import type { Clock } from '../../core/limits.ts'
import { EMPTY_TRANSCRIPT, project } from '../../core/projector.ts'
import { replay } from '../../core/replay.ts'
import type { CodexConnection } from './connection.ts'
import { fields, list, text, turnIdOf, type Fields, type RpcId } from './protocol.ts'
import { refusalOf } from './refusal.ts'
import type { CodexMetadata } from './source.ts'
import { watchThread, type WatchedThread } from './thread.ts'
import { createTranslator } from './translate.ts'

export interface MainThread {
  readonly title: string
  readonly busy: boolean
  readonly watched: WatchedThread
  ask(turnId: string, question: string): Promise<void>
  interrupt(turnId: string): Promise<void>
  answer(requestId: string, decision: 'accept' | 'decline'): Promise<void>
  /** Tells at once what leads to now, then everything that follows. */
  subscribe(listener: (event: SideEvent) => void): () => void
  /** It does not run here any more. */
  lost(): void
}

export interface MainThreadParts {
  readonly clock: Clock
  readonly connection: CodexConnection
  readonly metadata: CodexMetadata
  readonly title: string
  /** Stored turns, oldest first, as the app-server lists them. */
  readonly turns: readonly unknown[]
}

const TITLE_CHARS = 80
const APPROVALS: ReadonlySet<string> = new Set([
  'item/commandExecution/requestApproval',
  'item/fileChange/requestApproval',
])

export function createMainThread(parts: MainThreadParts): MainThread {
  const { clock, connection, metadata } = parts
  const { threadId } = metadata
  const translator = createTranslator({ adopt: true })
  const listeners = new Set<(event: SideEvent) => void>()
  const asked = new Map<string, { readonly id: RpcId; readonly patch: InteractionPatch }>()
  let transcript = EMPTY_TRANSCRIPT
  let title = parts.title

  for (const turn of parts.turns) stored(turn)
  tell({ eventType: 'state_patch', data: { lifecycleStatus: 'ready' } })
  const watched = watchThread(connection, metadata, { turns: parts.turns.length, tokens: 0 })
  const unlisten = connection.listen(threadId, (message) => {
    if (message.kind === 'request') return request(message.id, message.method, message.params)
    if (message.method === 'serverRequest/resolved') resolved(message.params)
    for (const event of translator.notice(message.method, message.params, message.at ?? clock.now())) tell(event)
  })

  function tell(event: SideEvent): void {
    const next = project(transcript, event)
    if (next === transcript) return
    transcript = next
    if (title === '') title = (transcript.turns[0]?.question ?? '').trim().slice(0, TITLE_CHARS)
    for (const listener of listeners) listener(event)
  }

  /** A turn from the files, told as it would have been told live. */
  function stored(raw: unknown): void {
    const turn = fields(raw)
    const turnId = text(turn?.['id'])
    if (turn === null || turnId === '') return
    const at = (key: string): number => (typeof turn[key] === 'number' ? turn[key] * 1_000 : 0)
    const notices: [string, Fields, number][] = [['turn/started', { turn }, at('startedAt')]]
    for (const item of list(turn['items'])) {
      const method = fields(item)?.['type'] === 'userMessage' ? 'item/started' : 'item/completed'
      notices.push([method, { turnId, item }, at('startedAt')])
    }
    // What was cut off by the end of its process says so too.
    const ended = text(turn['status']) === 'inProgress' ? { ...turn, status: 'interrupted' } : turn
    notices.push(['turn/completed', { turn: ended }, at('completedAt')])
    for (const [method, params, when] of notices)
      for (const event of translator.notice(method, params, when)) tell(event)
  }

  function request(id: RpcId, method: string, params: Fields): void {
    if (!APPROVALS.has(method)) {
      connection.answer(id, refusalOf(method))
      return
    }
    const codexTurnId = text(params['turnId'])
    const patch: InteractionPatch = {
      requestId: String(id),
      turnId: translator.turnOf(codexTurnId) ?? codexTurnId,
      kind: 'approval',
      status: 'pending',
      input: {
        tool: method.startsWith('item/fileChange') ? 'edit' : 'shell',
        target: text(params['command']),
        reason: text(params['reason']),
      },
    }
    asked.set(patch.requestId, { id, patch })
    tell({ eventType: 'state_patch', data: { interaction: patch } })
  }

  function resolved(params: Fields): void {
    const key = String(params['requestId'])
    const one = asked.get(key)
    if (one === undefined || one.id !== params['requestId']) return
    asked.delete(key)
    tell({ eventType: 'state_patch', data: { interaction: { ...one.patch, status: 'answered' } } })
  }

  return {
    get title() {
      return title
    },
    get busy() {
      return transcript.turns.some((turn) => turn.phase !== 'settled')
    },
    watched,
    async ask(turnId, question) {
      if (transcript.turns.some((turn) => turn.turnId === turnId)) return
      if (transcript.turns.some((turn) => turn.phase !== 'settled'))
        throw new SideError('turn_active', `thread ${threadId} is busy`)
      const at = clock.now()
      translator.expect(turnId, at)
      tell({ eventType: 'state_patch', data: { turn: { turnId, phase: 'submitted', at } } })
      const { model, effort = null, hostContext } = watched.metadata
      const settings = {
        model,
        reasoning_effort: effort,
        developer_instructions: hostContext === '' ? null : hostContext,
      }
      try {
        const answer = await connection.request('turn/start', {
          threadId,
          input: [{ type: 'text', text: question }],
          clientUserMessageId: turnId,
          ...(hostContext === '' ? {} : { collaborationMode: { mode: 'default', settings } }),
        })
        translator.started(turnId, turnIdOf(answer))
      } catch (error) {
        translator.unexpect(turnId)
        const failed = { code: 'provider_error', kind: 'other', detail: '' } as const
        tell({
          eventType: 'state_patch',
          data: { turn: { turnId, phase: 'settled', outcome: 'failed', error: failed, at: clock.now() } },
        })
        throw error
      }
    },
    async interrupt(turnId) {
      const codexTurnId = translator.codexTurn(turnId)
      if (codexTurnId === undefined) return
      translator.canceling(turnId)
      await connection.request('turn/interrupt', { threadId, turnId: codexTurnId })
    },
    async answer(requestId, decision) {
      const one = asked.get(requestId)
      if (one === undefined) {
        const known = transcript.turns.some((turn) => turn.interactions.some((any) => any.requestId === requestId))
        throw new SideError(
          known ? 'interaction_already_answered' : 'interaction_not_live',
          `approval ${requestId} of thread ${threadId}`,
        )
      }
      connection.answer(one.id, { result: { decision } })
    },
    subscribe(listener) {
      for (const event of replay(transcript)) listener(event)
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    lost() {
      unlisten()
      watched.stop()
      asked.clear()
      tell({ eventType: 'state_patch', data: { lifecycleStatus: 'expired', reason: 'provider_lost' } })
    },
  }
}
