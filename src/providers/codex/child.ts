/** One open child: its turns one after another, its events, and its end. */

import type { ExecRequest, SideKind, SideSink } from '../../core/contract.ts'
import { SideError } from '../../core/errors.ts'
import type { Clock } from '../../core/limits.ts'
import type { CodexConnection } from './connection.ts'
import type { SideModel } from './fork.ts'
import { fields, list, turnIdOf, type Fields } from './protocol.ts'
import type { CodexProcess } from './process.ts'
import { refusalOf } from './refusal.ts'
import type { Incoming } from './router.ts'
import { createTranslator } from './translate.ts'

export interface Child {
  /** Hears its thread from now on, what came early first. Throws what `listen` throws. */
  hear(listen: (listener: (message: Incoming) => void) => () => void): void
  /** Starts one turn; resolves when the app-server accepted it. A second one while it runs would steer the first, so it
   *  is refused. */
  exec(request: ExecRequest): Promise<void>
  /** Stops exactly this turn; resolves when the app-server said that it ended. Nothing happens for another one. */
  cancel(turnId: string): Promise<void>
  /** Nobody hears of this child any more. */
  mute(): void
  /** Interrupts, unsubscribes and sees it unloaded. Idempotent; rejects when it may still be there. */
  close(): Promise<void>
}

export interface ChildParts {
  readonly clock: Clock
  readonly connection: CodexConnection
  /** The process of this side alone, or null when the source's is shared. */
  readonly own: CodexProcess | null
  readonly threadId: string
  readonly kind: SideKind
  readonly model: SideModel
  /** Developer text of the next turn: the host's latest, then the side's. */
  readonly developer: () => string
  readonly sink: SideSink
  /** It ended or was lost; called once. */
  readonly onEnd: () => void
}

/** How long an interrupted turn may take to end, and an unsubscribed thread to unload. */
const SETTLE_MS = 2_000

interface RunningTurn {
  readonly turnId: string
  /** Codex's id once it answered; rejects when it refused. */
  readonly accepted: Promise<string>
  readonly settled: Promise<void>
  readonly settle: () => void
}

export function createChild(parts: ChildParts): Child {
  const { clock, connection, own, threadId, sink } = parts
  const translator = createTranslator()
  /** What the next turn asks. */
  let model = parts.model
  let running: RunningTurn | null = null
  let closing: Promise<void> | null = null
  let ended = false
  let muted = false
  let unloaded: (() => void) | null = null

  let unlisten = (): void => {}
  const unlost = connection.onLost(() => {
    if (finish() && closing === null && !muted) sink.lost('provider_lost')
  })

  function notice(method: string, params: Fields, at: number): void {
    if (method === 'thread/closed') {
      unloaded?.()
      // Unloaded behind our back: it cannot be asked again.
      if (closing === null && finish() && !muted) sink.lost('provider_lost')
      return
    }
    for (const event of translator.notice(method, params, at)) {
      if (!muted) sink.event(event)
      if (event.eventType !== 'state_patch' || event.data.turn?.phase !== 'settled') continue
      if (running?.turnId === event.data.turn.turnId) {
        running.settle()
        running = null
      }
    }
  }

  /** True the first time. */
  function finish(): boolean {
    if (ended) return false
    ended = true
    running?.settle()
    running = null
    unlisten()
    unlost()
    parts.onEnd()
    return true
  }

  async function within<T>(work: Promise<T>): Promise<T | 'late'> {
    let cancel = (): void => {}
    const late = new Promise<'late'>((resolve) => {
      cancel = clock.after(SETTLE_MS, () => resolve('late'))
    })
    try {
      return await Promise.race([work, late])
    } finally {
      cancel()
    }
  }

  async function interrupt(turn: RunningTurn): Promise<void> {
    translator.canceling(turn.turnId)
    const codexTurnId = await turn.accepted
    if (running !== turn) return
    try {
      await connection.request('turn/interrupt', { threadId, turnId: codexTurnId })
    } catch (error) {
      // It ended on its own meanwhile.
      if (running !== turn) return
      throw error
    }
    if ((await within(turn.settled)) === 'late' && running === turn)
      throw new SideError('provider_error', `turn ${turn.turnId} did not stop`)
  }

  async function dispose(): Promise<void> {
    const turn = running
    if (turn !== null && !connection.closed) await within(interrupt(turn).catch(() => undefined))
    if (own !== null) await own.stop()
    else if (!connection.closed) await unload()
    finish()
  }

  async function unload(): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      unloaded = resolve
    })
    await connection.request('thread/unsubscribe', { threadId }, { timeoutMs: SETTLE_MS })
    if ((await within(gone)) !== 'late' || connection.closed) return
    const loaded = fields(await connection.request('thread/loaded/list', {}, { timeoutMs: SETTLE_MS }))
    if (list(loaded?.['data']).includes(threadId))
      throw new SideError('provider_error', `thread ${threadId} is still loaded`)
  }

  return {
    hear(listen) {
      unlisten = listen((message) => {
        if (message.kind === 'request') connection.answer(message.id, refusalOf(message.method))
        else notice(message.method, message.params, message.at ?? clock.now())
      })
      // It ended with what came early.
      if (ended) unlisten()
    },
    async exec({ turnId, content, route }) {
      if (ended || closing !== null) throw new SideError('expired', `child ${threadId} has ended`)
      if (running !== null) throw new SideError('turn_active', `child ${threadId} answers ${running.turnId}`)
      const input = content.map((part) => {
        if (part.type !== 'text') throw new SideError('invalid_request', 'images are not forwarded to Codex')
        return { type: 'text', text: part.text }
      })
      let settle = (): void => {}
      const settled = new Promise<void>((resolve) => {
        settle = resolve
      })
      if (route !== undefined && route.provider !== model.modelProvider)
        throw new SideError('invalid_request', 'a Codex thread stays with its provider')
      if (route !== undefined) model = { ...model, model: route.model, effort: route.effort ?? null }
      translator.expect(turnId, clock.now())
      const accepted = start(turnId, input)
      const turn: RunningTurn = { turnId, accepted, settled, settle }
      running = turn
      try {
        await accepted
      } catch (error) {
        translator.unexpect(turnId)
        if (running === turn) running = null
        settle()
        throw error
      }
    },
    async cancel(turnId) {
      const turn = running
      if (turn?.turnId === turnId) await interrupt(turn)
    },
    mute() {
      muted = true
    },
    close() {
      closing ??= dispose().catch((error: unknown) => {
        closing = null
        throw error
      })
      return closing
    },
  }

  async function start(turnId: string, input: readonly object[]): Promise<string> {
    const answer = await connection.request('turn/start', {
      threadId,
      input,
      clientUserMessageId: turnId,
      // Left out once, the host's context would be revoked; sent again, it is not repeated.
      collaborationMode: {
        mode: 'default',
        settings: { model: model.model, reasoning_effort: model.effort, developer_instructions: parts.developer() },
      },
      // Without an environment no command can run at all.
      ...(parts.kind === 'btw' ? { environments: [] } : {}),
    })
    const codexTurnId = turnIdOf(answer)
    if (codexTurnId === '') throw new SideError('provider_error', 'turn/start answered without a turn')
    translator.started(turnId, codexTurnId)
    return codexTurnId
  }
}
