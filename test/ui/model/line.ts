/** A SideTransport that drives a real controller in the same memory. Its calls take as long as the scheduler says, are
 *  refused before or after they had their effect when told so, and its streams break and come back as the host's do:
 *  with a snapshot from the start. */

import type { Scheduler } from 'fast-check'
import type { Envelope, SideIdentity } from '../../../src/core/contract.ts'
import type { SideController } from '../../../src/core/controller.ts'
import { SideError } from '../../../src/core/errors.ts'
import type { ParentRef, SideErrorCode, SideTransport, StreamSignal } from '../../../src/wire/index.ts'
import type { FakeProvider } from '../../providers/fake.ts'
import { FACTS, type Verb } from '../../kit/fake-transport.ts'

/** Where a call is lost: on its way there, or on its way back, when it has had its effect. */
export type Loss = 'there' | 'back'

export interface Line extends SideTransport {
  /** The next call of this verb fails. */
  lose(verb: Verb, loss: Loss, code: SideErrorCode): void
  /** The streams of this page are gone until they are taken up again. */
  disconnect(): void
  connect(): void
  /** Every id under which a side was opened. */
  readonly opened: ReadonlyMap<string, SideIdentity>
  events(sideId: string): readonly Envelope[]
}

export function createLine(controller: SideController, fake: FakeProvider, scheduler: Scheduler): Line {
  const opened = new Map<string, SideIdentity>()
  const log: Envelope[] = []
  const losses = new Map<Verb, { readonly loss: Loss; readonly code: SideErrorCode }>()
  const followers = new Set<{ readonly sideId: string; readonly hear: (signal: StreamSignal) => void }>()
  let connected = true
  controller.subscribe((envelope) => {
    log.push(envelope)
    if (!connected) return
    for (const { sideId, hear } of followers)
      if (sideId === envelope.sideSessionId) hear({ kind: 'events', events: [envelope] })
  })

  const events = (sideId: string): readonly Envelope[] => log.filter((one) => one.sideSessionId === sideId)

  function named(sideId: string): SideIdentity {
    const side = opened.get(sideId)
    if (side === undefined) throw new SideError('not_found', sideId)
    return side
  }

  async function call<T>(verb: Verb, effect: () => T | Promise<T>): Promise<T> {
    const lost = losses.get(verb)
    losses.delete(verb)
    await scheduler.schedule(Promise.resolve(), verb)
    if (lost?.loss === 'there') throw new SideError(lost.code, `lost on the way: ${verb}`)
    const result = await effect()
    await scheduler.schedule(Promise.resolve(), `${verb} answer`)
    if (lost !== undefined) throw new SideError(lost.code, `lost on the way back: ${verb}`)
    return result
  }

  function begin(hear: (signal: StreamSignal) => void, sideId: string): void {
    hear({ kind: 'connection', state: 'connecting' })
    hear({ kind: 'reset' })
    hear({ kind: 'connection', state: 'connected' })
    hear({ kind: 'events', events: events(sideId) })
  }

  return {
    opened,
    events,
    lose: (verb, loss, code) => void losses.set(verb, { loss, code }),
    disconnect() {
      connected = false
      for (const { hear } of followers) hear({ kind: 'connection', state: 'disconnected' })
    },
    connect() {
      if (connected) return
      connected = true
      for (const { hear, sideId } of followers) begin(hear, sideId)
    },
    capabilities: (parent) => controller.capabilities(fake.source({ sessionId: parent.sessionId })),
    open({ parent, kind, sideId, requestId, turnId, content, signal }) {
      const side = { ...parentOf(parent), sideSessionId: sideId, requestId }
      opened.set(sideId, side)
      return call('open', async () => {
        await controller.open({ source: fake.source({ sessionId: parent.sessionId }), side, kind, signal })
        try {
          await controller.send(side, { turnId, clientSubmitId: turnId, content })
        } catch (error) {
          await controller.close(side)
          throw error
        }
        return FACTS
      })
    },
    models: async () => ({ main: null, providers: [] }),
    send: (sideId, turnId, content) =>
      call('send', async () => {
        await controller.send(named(sideId), { turnId, clientSubmitId: turnId, content })
        return {}
      }),
    cancel: (sideId, turnId) => call('cancel', () => controller.cancel(named(sideId), turnId)),
    respond: (sideId, turnId, requestId, response) =>
      call('respond', () => controller.respond(named(sideId), turnId, requestId, response)),
    promote: (sideId) =>
      call('promote', async () => {
        await controller.promote(named(sideId))
        return FACTS
      }),
    close: (sideId, keepForMs) =>
      call('close', async () => void (await controller.close(named(sideId), { keepForMs }))),
    reopen: (sideId) => call('reopen', () => controller.reopen(named(sideId))),
    touch: (sideId, visible) =>
      call('touch', () => {
        if (!controller.touch(named(sideId), visible)) throw new SideError('expired', sideId)
      }),
    follow(sideId, onSignal) {
      const follower = { sideId, hear: onSignal }
      followers.add(follower)
      if (connected) begin(onSignal, sideId)
      return () => void followers.delete(follower)
    },
    restore: () => call('restore', () => []),
    dispose: () => followers.clear(),
  }
}

function parentOf({ workspaceId, sessionId }: ParentRef): { workspaceId: string; sourceSessionId: string } {
  return { workspaceId, sourceSessionId: sessionId }
}
