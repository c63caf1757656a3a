/** What the service stands on: a controller of sides, and the threads beside which they are asked. A provider's own module
 *  fulfils `ThreadHost`; nothing here knows which. */

import type { ModelRoute, SideEvent, Source } from '../core/contract.ts'
import type { SideController } from '../core/controller.ts'
import type { Clock } from '../core/limits.ts'
import type { z } from '@hono/zod-openapi'
import type { Source as SourceShape } from './schemas.ts'

/** A source as a client names it; one that runs elsewhere brings what must be known of it. */
export type SourceRef = z.infer<typeof SourceShape>

export interface ThreadView {
  readonly threadId: string
  readonly workspaceId: string
  readonly title: string
  readonly cwd: string
  readonly model: string
  readonly modelProvider: string
  readonly effort?: string
  readonly busy: boolean
}

export interface ThreadSummaryView {
  readonly threadId: string
  readonly title: string
  readonly cwd: string
  /** Epoch milliseconds. */
  readonly updatedAt: number
  readonly attached: boolean
}

/** Runs threads. Every method rejects with SideError. */
export interface ThreadHost<S extends Source> {
  list(): Promise<readonly ThreadSummaryView[]>
  start(cwd: string | undefined): Promise<ThreadView>
  /** Runs a stored thread; answers the running one when it does already. */
  attach(threadId: string): Promise<ThreadView>
  read(threadId: string): ThreadView
  ask(threadId: string, turnId: string, text: string): Promise<void>
  interrupt(threadId: string, turnId: string): Promise<void>
  answer(threadId: string, requestId: string, decision: 'accept' | 'decline'): Promise<void>
  /** Tells at once what leads to now, then everything that follows. */
  subscribe(threadId: string, listener: (event: SideEvent) => void): () => void
  /** The thread as a plain value beside which a side may be asked. */
  capture(source: SourceRef): Promise<S>
  /** What a side of `source` asks when nothing else was wished. */
  routeOf(source: S): ModelRoute
  readonly status: { readonly codexVersion: string; readonly connected: boolean; readonly cwd: string }
}

export interface ServiceParts<S extends Source> {
  readonly controller: SideController<S>
  readonly threads: ThreadHost<S>
  readonly clock: Clock
  readonly version: string
}
