/** A controller over the fake provider, with its clock and everything that it published and reported. */

import {
  createController,
  type ControllerOptions,
  type ControllerReport,
  type OpenCommand,
  type SideController,
} from '../../src/core/controller.ts'
import type { Envelope, SideIdentity, SideKind, Source } from '../../src/core/contract.ts'
import { SideError, type SideErrorCode } from '../../src/core/errors.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript } from '../../src/core/projector.ts'
import { createFakeProvider, type FakeProvider } from '../providers/fake.ts'
import { manualClock, type ManualClock } from './clock.ts'

export interface CoreRig {
  readonly clock: ManualClock
  readonly provider: FakeProvider
  readonly controller: SideController
  readonly envelopes: readonly Envelope[]
  readonly reports: readonly ControllerReport[]
  /** Opens a side and answers its identity. */
  open(sideSessionId: string, overrides?: Partial<OpenCommand>): Promise<SideIdentity>
  command(sideSessionId: string, overrides?: Partial<OpenCommand>): OpenCommand
  ask(side: SideIdentity, turnId: string, text?: string): Promise<unknown>
  /** Events of one side. */
  of(side: SideIdentity): readonly Envelope[]
  /** What a person reads of one side. */
  transcript(side: SideIdentity): Transcript
  /** Every time a turn of this side was said to be settled, e.g. `t1 completed`. */
  settled(side: SideIdentity): readonly string[]
  /** Lifecycle words of one side in order, e.g. `ready`, `expired provider_lost`. */
  life(side: SideIdentity): readonly string[]
}

export function coreRig(options: Partial<ControllerOptions> = {}): CoreRig {
  const clock = manualClock()
  const provider = createFakeProvider(clock)
  const envelopes: Envelope[] = []
  const reports: ControllerReport[] = []
  const controller = createController({
    provider,
    clock,
    brief: () => 'BOUNDARY',
    isCanonical: () => false,
    report: (report) => reports.push(report),
    ...options,
  })
  controller.subscribe((envelope) => envelopes.push(envelope))
  const of = (side: SideIdentity): readonly Envelope[] =>
    envelopes.filter((one) => one.sideSessionId === side.sideSessionId)
  const command = (sideSessionId: string, overrides: Partial<OpenCommand> = {}): OpenCommand => {
    const source: Source = overrides.source ?? provider.source()
    return { source, side: identity(sideSessionId, source), kind: 'side' satisfies SideKind, ...overrides }
  }

  return {
    clock,
    provider,
    controller,
    envelopes,
    reports,
    command,
    of,
    open: async (sideSessionId, overrides) => (await controller.open(command(sideSessionId, overrides))).identity,
    ask: (side, turnId, text = 'why?') =>
      controller.send(side, { turnId, clientSubmitId: `${turnId}-c`, content: [{ type: 'text', text }] }),
    transcript: (side) => of(side).reduce<Transcript>((view, event) => project(view, event), EMPTY_TRANSCRIPT),
    settled: (side) =>
      of(side).flatMap((event) => {
        if (event.eventType !== 'state_patch' || event.data.turn?.phase !== 'settled') return []
        return [`${event.data.turn.turnId} ${event.data.turn.outcome}`]
      }),
    life: (side) =>
      of(side).flatMap((event) => {
        if (event.eventType !== 'state_patch' || event.data.lifecycleStatus === undefined) return []
        return [[event.data.lifecycleStatus, event.data.reason].filter((word) => word !== undefined).join(' ')]
      }),
  }
}

export function identity(
  sideSessionId: string,
  source: Pick<Source, 'workspaceId' | 'sessionId'> = { workspaceId: 'w', sessionId: 'parent-1' },
  requestId = `${sideSessionId}-r`,
): SideIdentity {
  return { workspaceId: source.workspaceId, sourceSessionId: source.sessionId, sideSessionId, requestId }
}

/** The code with which `promise` rejects, or 'resolved'. */
export async function codeOf(promise: Promise<unknown>): Promise<SideErrorCode | 'resolved' | 'not a SideError'> {
  try {
    await promise
    return 'resolved'
  } catch (error) {
    return error instanceof SideError ? error.code : 'not a SideError'
  }
}
