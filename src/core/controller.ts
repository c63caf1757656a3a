/** The verbs of sides: open, send, cancel, respond, close, sweep. The only caller of providers.
 *  Puts the parts together and turns whatever goes wrong into a SideError; the order of steps is theirs
 *  (opening.ts, turns.ts, ending.ts), the state is registry.ts. */

import { createBackground } from './background.ts'
import type { OpenSide, SideIdentity, Source } from './contract.ts'
import { createEnding } from './ending.ts'
import { SideError, toSideError } from './errors.ts'
import { createLeases } from './leases.ts'
import { DEFAULT_LIMITS, type Limits } from './limits.ts'
import { createLocks } from './lock.ts'
import { activeTurn } from './machine.ts'
import { createOpening } from './opening.ts'
import { createPromotion } from './promotion.ts'
import { createRegistry, live, type SideRecord } from './registry.ts'
import { createSweeper } from './sweeper.ts'
import { createTurns } from './turns.ts'
import type { ControllerOptions, SideController, SideView } from './verbs.ts'

export type * from './verbs.ts'

/** A controller of every side of one provider. Starts nothing until the first open. */
export function createController<S extends Source>(options: ControllerOptions<S>): SideController<S> {
  const { provider, clock } = options
  const limits: Limits = { ...DEFAULT_LIMITS, ...options.limits }
  const now = (): number => clock.now()
  const background = createBackground(clock, options.report)
  const locks = createLocks()
  const registry = createRegistry({ limits, now, background, onStep: (record) => leases.review(record) })
  const sweeper = createSweeper(provider, limits, background)
  const turns = createTurns({ provider, registry, limits, now, background })
  const leases = createLeases({
    limits,
    now,
    background,
    expire: (record, reason) => ending.expire(record, reason),
    endHidden: (record) => ending.endHidden(record.identity),
  })
  const ending = createEnding({ registry, locks, turns, sweeper, leases, limits, now })
  const opening = createOpening({
    options,
    limits,
    registry,
    locks,
    sweeper,
    background,
    endHidden: (identity) => ending.endHidden(identity),
    lost: (record, reason) => background.run('lost', () => ending.expire(record, reason)),
  })
  const promotion = createPromotion({ provider, registry, locks })
  let shutdown: Promise<readonly SideIdentity[]> | null = null

  /** The Side to drive. Throws `in_progress` while it opens, `expired` when it is gone, hidden or another one (T1). */
  function target(side: SideIdentity): SideRecord & { readonly child: OpenSide } {
    if (opening.isOpening(side)) throw new SideError('in_progress', `side ${side.sideSessionId} is opening`)
    const record = live(registry.get(side))
    if (record.state.phase === 'hidden' || record.state.phase === 'closing')
      throw new SideError('expired', `the side is ${record.state.phase}`)
    return record
  }

  /** Everything at once: what lives is closed, what is owned already is tried once more, then once what failed now. */
  async function endAll(): Promise<void> {
    const inFlight = opening.abortAll(new SideError('stream_unavailable', 'the host stops'))
    const closing = registry.all().map((record) => ending.close(record.identity, 0))
    await Promise.allSettled([...inFlight, ...closing, sweeper.finish()])
    await sweeper.finish()
  }

  async function shutDown(): Promise<readonly SideIdentity[]> {
    await background.within(limits.shutdownMs, endAll())
    leases.stop()
    return [...registry.all().map((record) => record.identity), ...sweeper.left()]
  }

  return {
    retune: (next) => void Object.assign(limits, next),
    capabilities: (source) => opening.capabilities(source),
    open: (command) =>
      safely(() => {
        if (shutdown !== null) throw new SideError('stream_unavailable', 'the host stops')
        return opening.open(command)
      }),
    send: (side, request) => safely(() => turns.send(target(side), request)),
    cancel: (side, turnId) => safely(() => turns.cancel(target(side), turnId)),
    respond: (side, turnId, requestId, response) =>
      safely(() => turns.respond(target(side), turnId, requestId, response)),
    promote: (side) => safely(() => promotion.promote(() => target(side))),
    close: (side, close) => safely(() => ending.close(side, close?.keepForMs ?? 0)),
    reopen: (side) => safely(() => ending.reopen(side)),
    touch(side, visible) {
      if (opening.isOpening(side)) return true
      const record = registry.get(side)
      if (record !== undefined) leases.touch(record, visible)
      return record !== undefined
    },
    hold(side) {
      const record = registry.get(side)
      return record === undefined ? () => undefined : leases.hold(record)
    },
    expire: (side, reason) =>
      safely(async () => {
        const record = registry.get(side)
        if (record !== undefined) await ending.expire(record, reason)
      }),
    sourceClosed: (workspaceId, sourceSessionId) =>
      safely(() => {
        opening.sourceGone({ workspaceId, sourceSessionId })
        return ending.sourceClosed({ workspaceId, sourceSessionId })
      }),
    providerLost() {
      for (const failed of opening.abortAll(new SideError('provider_error', 'the provider was lost')))
        failed.catch(() => undefined)
      for (const record of registry.all()) background.run('provider lost', () => ending.expire(record, 'provider_lost'))
    },
    sweep: () => safely(() => sweeper.pass()),
    shutdown: () => (shutdown ??= safely(shutDown)),
    subscribe: registry.subscribe,
    find(workspaceId, sideSessionId) {
      const record = registry
        .all()
        .find((one) => one.identity.workspaceId === workspaceId && one.identity.sideSessionId === sideSessionId)
      return record === undefined ? undefined : view(record)
    },
    list: (workspaceId, sourceSessionId) =>
      registry
        .all()
        .filter((one) => one.identity.workspaceId === workspaceId && one.identity.sourceSessionId === sourceSessionId)
        .flatMap((one) => view(one) ?? []),
    scope: { allows: (_door, sessionId) => !registry.isSide(sessionId) },
  }

  /** Undefined while it opens and once it is over. */
  function view(record: SideRecord): SideView | undefined {
    const { identity, kind, child, capabilities, state, sequence } = record
    if (child === null || state.phase === 'opening' || state.phase === 'closed' || state.phase === 'expired')
      return undefined
    return {
      identity,
      kind,
      providerSessionId: child.providerSessionId,
      capabilities,
      phase: state.phase,
      turnId: activeTurn(state),
      sequence,
      visible: leases.visible(record),
      endsAt: leases.endsAt(record),
    }
  }
}

/** Starts `verb` at once; whatever it throws becomes a SideError rejection. */
async function safely<T>(verb: () => Promise<T>): Promise<T> {
  try {
    return await verb()
  } catch (error) {
    throw toSideError(error)
  }
}
