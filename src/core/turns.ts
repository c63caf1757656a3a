/** Turns of a live Side: send, cancel, respond (T2-T6). One turn at a time; a queue is the client's business. */

import type { Background } from './background.ts'
import type { ExecRequest, OpenSide, SideProvider, TurnFailure } from './contract.ts'
import { SideError, toSideError } from './errors.ts'
import type { Limits } from './limits.ts'
import { activeTurn, isOver } from './machine.ts'
import type { Registry, SideRecord } from './registry.ts'
import type { CancelReceipt, SendReceipt } from './verbs.ts'

/** A record whose child exists. */
export type LiveRecord = SideRecord & { readonly child: OpenSide }

export interface Turns {
  send(record: LiveRecord, request: ExecRequest): Promise<SendReceipt>
  cancel(record: LiveRecord, turnId: string): Promise<CancelReceipt>
  respond(record: LiveRecord, turnId: string, requestId: string, response: unknown): Promise<void>
  /** Stops the running turn, waiting at most limits.quiesceMs for the provider; then it counts as canceled (T7). */
  quiesce(record: LiveRecord): Promise<void>
}

export interface TurnsParts {
  readonly provider: Pick<SideProvider, 'exec' | 'cancel' | 'respond'>
  readonly registry: Registry
  readonly limits: Limits
  readonly now: () => number
  readonly background: Background
}

export function createTurns({ provider, registry, limits, now, background }: TurnsParts): Turns {
  function send(record: LiveRecord, request: ExecRequest): Promise<SendReceipt> {
    check(request, limits)
    const known = record.receipts.get(request.turnId)
    if (known !== undefined) return known
    if (record.state.phase === 'idle') registry.admitTurn(record)
    registry.step(record, { type: 'send', turnId: request.turnId })
    const receipt = run(record, request)
    record.receipts.set(request.turnId, receipt)
    return receipt
  }

  async function run(record: LiveRecord, request: ExecRequest): Promise<SendReceipt> {
    const { turnId } = request
    // The turn is on record before the provider hears of it, so that its first event finds it.
    registry.publish(record, { eventType: 'state_patch', data: { turn: { turnId, phase: 'submitted', at: now() } } })
    try {
      await provider.exec(record.child, request)
    } catch (thrown) {
      const error = toSideError(thrown)
      if (activeTurn(record.state) === turnId)
        settle(record, turnId, 'failed', { code: error.code, kind: 'other', detail: error.detail })
      throw error
    }
    if (isOver(record.state)) throw new SideError('expired', `the side ended while turn ${turnId} was sent`)
    return { turnId, acceptedAt: now() }
  }

  function cancel(record: LiveRecord, turnId: string): Promise<CancelReceipt> {
    const running = record.cancels.get(turnId)
    if (running !== undefined) return running
    const receipt = stop(record, turnId).finally(() => record.cancels.delete(turnId))
    record.cancels.set(turnId, receipt)
    return receipt
  }

  async function stop(record: LiveRecord, turnId: string): Promise<CancelReceipt> {
    await accepted(record, turnId)
    if (activeTurn(record.state) !== turnId) return ABSENT
    await provider.cancel(record.child, turnId)
    if (activeTurn(record.state) === turnId) settle(record, turnId, 'canceled')
    return { canceled: true, targetAbsent: false }
  }

  /** A stop must not overtake its own turn on the way to the runtime; it does not wait for ever either. */
  async function accepted(record: LiveRecord, turnId: string): Promise<void> {
    const receipt = record.receipts.get(turnId)
    if (receipt !== undefined) await background.within(limits.quiesceMs, receipt).catch(() => undefined)
  }

  function settle(record: LiveRecord, turnId: string, outcome: 'failed' | 'canceled', error?: TurnFailure): void {
    const turn = { turnId, phase: 'settled' as const, outcome, at: now(), ...(error === undefined ? {} : { error }) }
    registry.publish(record, { eventType: 'state_patch', data: { turn } })
  }

  return {
    send,
    cancel,
    async respond(record, turnId, requestId, response) {
      const claim = record.ledger.claim(turnId, requestId, response)
      try {
        await provider.respond(record.child, turnId, requestId, response)
      } catch (error) {
        claim.refused()
        throw error
      }
      claim.answered()
    },
    async quiesce(record) {
      const turnId = activeTurn(record.state)
      if (turnId === null) return
      await background.within(limits.quiesceMs, cancel(record, turnId)).catch(() => undefined)
      if (activeTurn(record.state) === turnId) settle(record, turnId, 'canceled')
    },
  }
}

const ABSENT: CancelReceipt = { canceled: false, targetAbsent: true }

function check(request: ExecRequest, limits: Limits): void {
  if (request.turnId.trim() === '' || request.clientSubmitId.trim() === '')
    throw new SideError('invalid_request', 'an id is empty')
  const text = request.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
  if (text.trim() === '' && !request.content.some((part) => part.type === 'image'))
    throw new SideError('invalid_request', 'the question is empty')
  const bytes = new TextEncoder().encode(text).length
  if (bytes > limits.questionBytes)
    throw new SideError('invalid_request', `the question has ${bytes} bytes of at most ${limits.questionBytes}`)
}
