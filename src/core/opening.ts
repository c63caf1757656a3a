/** Opens a Side: locks, reserves, asks the provider, verifies, commits, or rolls back without a trace (O1-O11, P4).
 *  What comes after the commit is turns.ts and ending.ts. */

import { orAbort } from './abort.ts'
import type { Background } from './background.ts'
import {
  isSupported,
  NO_CAPABILITIES,
  type Capabilities,
  type ExpiryReason,
  type OpenResult,
  type OpenSide,
  type SideIdentity,
  type SideSink,
  type Source,
} from './contract.ts'
import { SideError, toSideError } from './errors.ts'
import { sideKey, sourceKey } from './keys.ts'
import type { Limits } from './limits.ts'
import type { KeyedLocks } from './lock.ts'
import { isOver } from './machine.ts'
import type { Registry, SideRecord } from './registry.ts'
import { sameSide } from './shelf.ts'
import type { Sweeper } from './sweeper.ts'
import type { ControllerOptions, OpenCommand, OpenReceipt } from './verbs.ts'

export interface Opening<S extends Source> {
  /** What a side of `source` could rely on; nothing for a source that is a side itself (P2). Never rejects. */
  capabilities(source: S): Promise<Capabilities>
  open(command: OpenCommand<S>): Promise<OpenReceipt>
  /** Whether exactly this Side is on its way. */
  isOpening(identity: SideIdentity): boolean
  /** Fails the opens in flight of this source that still wait for their turn, and all later in the queue. */
  sourceGone(source: Pick<SideIdentity, 'workspaceId' | 'sourceSessionId'>): void
  /** Fails every open in flight. */
  abortAll(error: SideError): readonly Promise<unknown>[]
}

export interface OpeningParts<S extends Source> {
  readonly options: Pick<ControllerOptions<S>, 'provider' | 'brief' | 'isCanonical'>
  readonly limits: Limits
  readonly registry: Registry
  readonly locks: KeyedLocks
  readonly sweeper: Sweeper
  readonly background: Background
  readonly endHidden: (identity: SideIdentity) => Promise<unknown>
  readonly lost: (record: SideRecord, reason: ExpiryReason) => void
}

interface Flight {
  readonly identity: SideIdentity
  readonly control: AbortController
  readonly result: Promise<OpenReceipt>
  /** The source is locked: from here on its closing waits. */
  locked: boolean
}

export function createOpening<S extends Source>(parts: OpeningParts<S>): Opening<S> {
  const { options, limits, registry, locks, sweeper, background } = parts
  const { provider } = options
  const flights = new Map<string, Flight>()

  function open(command: OpenCommand<S>): Promise<OpenReceipt> {
    check(command)
    const key = sideKey(command.side)
    const flight = flights.get(key)
    if (flight !== undefined) {
      if (!sameSide(flight.identity, command.side)) throw conflict(command.side)
      return orAbort(flight.result, command.signal)
    }
    return settledReceipt(command.side) ?? takeOff(command)
  }

  /** The answer to a repeated open, without the provider (O2); undefined when the id is free or about to be. */
  function settledReceipt(side: SideIdentity): Promise<OpenReceipt> | undefined {
    const record = registry.at(sideKey(side))
    if (record === undefined || record.child === null || record.state.phase === 'closing' || isOver(record.state))
      return undefined
    if (!sameSide(record.identity, side)) throw conflict(side)
    return Promise.resolve(receiptOf(record, record.child))
  }

  function takeOff(command: OpenCommand<S>): Promise<OpenReceipt> {
    const key = sideKey(command.side)
    const control = new AbortController()
    const undoDeadline = background.after(limits.openTimeoutMs, 'open deadline', () =>
      control.abort(new SideError('provider_error', 'the open took too long')),
    )
    const giveUp = (): void => control.abort(new SideError('expired', 'the open was given up'))
    if (command.signal?.aborted === true) giveUp()
    else command.signal?.addEventListener('abort', giveUp, { once: true })
    // `run` reaches its first wait, the side's lock, before this returns: whoever closes the side now queues behind it.
    const result = run(command, control, () => {
      const own = flights.get(key)
      if (own !== undefined) own.locked = true
    }).finally(() => {
      undoDeadline()
      command.signal?.removeEventListener('abort', giveUp)
      flights.delete(key)
    })
    flights.set(key, { identity: command.side, control, result, locked: false })
    return result
  }

  async function run(command: OpenCommand<S>, control: AbortController, onLocked: () => void): Promise<OpenReceipt> {
    const { side, source } = command
    const key = sideKey(side)
    const release = await locks.acquire([key, sourceKey(side)], control.signal)
    try {
      onLocked()
      if (sweeper.owns(key))
        throw new SideError('in_progress', `an earlier child of side ${side.sideSessionId} is still being removed`)
      if (registry.hasExpired(side)) throw new SideError('expired', `side ${side.sideSessionId} is not resumed`)
      if (await orAbort(Promise.resolve(options.isCanonical(side.workspaceId, side.sideSessionId)), control.signal))
        throw conflict(side)
      if (!isSupported(await orAbort(capabilities(source), control.signal)))
        throw unsupported('the source cannot host a side')
      const { record, evict } = registry.reserve(side, command.kind, () =>
        control.abort(
          new SideError('provider_error', `more than ${limits.openBuffer} events before the side was open`),
        ),
      )
      for (const hidden of evict) background.run('evict', () => parts.endHidden(hidden))
      return await fork(command, record, control)
    } finally {
      release()
    }
  }

  async function fork(command: OpenCommand<S>, record: SideRecord, control: AbortController): Promise<OpenReceipt> {
    try {
      const { source, side, kind, route } = command
      record.boundaryAs = (as) => options.brief({ kind: as, source, identity: side })
      const boundary = record.boundaryAs(kind)
      const request = {
        source,
        side,
        kind,
        boundary,
        signal: control.signal,
        ...(route === undefined ? {} : { route }),
      }
      const opened = (async () => provider.open(request, sinkOf(record, control)))()
      const result = await orAbort(opened, control.signal, () =>
        sweeper.expect(
          side,
          opened.then(
            (late) => verified(late, record),
            () => null,
          ),
        ),
      )
      const child = verified(result, record)
      if (child === null) throw new SideError('provider_error', 'the provider answered for another side')
      const refusal = control.signal.aborted
        ? toSideError(control.signal.reason)
        : isSupported(result.capabilities)
          ? null
          : unsupported('the child is weaker than a side')
      if (refusal !== null) {
        await sweeper.release(child)
        throw refusal
      }
      return commit(record, child, result.capabilities)
    } catch (error) {
      if (record.child === null) registry.forget(record)
      throw error
    }
  }

  /** In one go, without a wait: nothing may come between `started`, what was buffered, and what follows (O6). */
  function commit(record: SideRecord, child: OpenSide, shown: Capabilities): OpenReceipt {
    record.child = child
    record.capabilities = shown
    registry.step(record, { type: 'opened' })
    record.gate.open({ eventType: 'state_patch', data: { lifecycleStatus: 'ready' } })
    return receiptOf(record, child)
  }

  /** The child if it is the one that was asked for. A wrong one is never closed: it may be somebody's session (O8). */
  function verified(result: OpenResult, { identity, kind }: SideRecord): OpenSide | null {
    const id = result.providerSessionId
    const wrong =
      result.sideSessionId !== identity.sideSessionId ||
      result.sourceSessionId !== identity.sourceSessionId ||
      typeof id !== 'string' ||
      id.trim() === '' ||
      id === identity.sourceSessionId ||
      registry.all().some((other) => other.child?.providerSessionId === id || other.identity.sourceSessionId === id)
    if (!wrong) return { identity, kind, providerSessionId: id }
    background.report({
      kind: 'wrong_identity',
      identity,
      detail: `child ${id} of ${result.sourceSessionId} for side ${result.sideSessionId}`,
    })
    return null
  }

  function sinkOf(record: SideRecord, control: AbortController): SideSink {
    return {
      event: (event) =>
        background.run('event', () => {
          if (event.eventType !== 'state_patch') return record.gate.push(event)
          // The life of a Side is told by the controller alone.
          const { turn, interaction } = event.data
          if (turn === undefined && interaction === undefined) return
          const data = {
            ...(turn === undefined ? {} : { turn }),
            ...(interaction === undefined ? {} : { interaction }),
          }
          record.gate.push({ eventType: 'state_patch', data })
        }),
      lost: (reason) =>
        background.run('lost', () => {
          if (record.child === null)
            control.abort(new SideError('provider_error', `the child was lost while opening: ${reason}`))
          else parts.lost(record, reason)
        }),
    }
  }

  async function capabilities(source: S): Promise<Capabilities> {
    if (registry.isSide(source.sessionId)) return NO_CAPABILITIES
    try {
      return await provider.capabilities(source)
    } catch {
      return NO_CAPABILITIES
    }
  }

  return {
    capabilities,
    open,
    isOpening: (identity) => {
      const flight = flights.get(sideKey(identity))
      if (flight === undefined || !sameSide(flight.identity, identity)) return false
      return (registry.get(identity)?.child ?? null) === null
    },
    sourceGone(source) {
      for (const { identity, control, locked } of flights.values()) {
        if (!locked && sourceKey(identity) === sourceKey(source))
          control.abort(new SideError('expired', 'the source is gone'))
      }
    },
    abortAll(error) {
      return [...flights.values()].map(({ control, result }) => {
        control.abort(error)
        return result
      })
    },
  }
}

function receiptOf(record: SideRecord, child: OpenSide): OpenReceipt {
  return {
    identity: record.identity,
    providerSessionId: child.providerSessionId,
    capabilities: record.capabilities,
    sequence: record.sequence,
  }
}

function check({ side, source }: OpenCommand): void {
  for (const id of [side.workspaceId, side.sourceSessionId, side.sideSessionId, side.requestId]) {
    if (typeof id !== 'string' || id.trim() === '') throw new SideError('invalid_request', 'an id is empty')
  }
  if (side.sideSessionId.trim() === side.sourceSessionId.trim())
    throw new SideError('invalid_request', 'a side cannot be its own source')
  if (side.sourceSessionId !== source.sessionId || side.workspaceId !== source.workspaceId) {
    throw new SideError('invalid_request', 'the side names another source than the captured one')
  }
}

function conflict(side: SideIdentity): SideError {
  return new SideError('conflict', `the id ${side.sideSessionId} names something else`)
}

function unsupported(detail: string): SideError {
  return new SideError('unsupported', detail)
}
