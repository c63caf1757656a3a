/** The transient store of all sides of this page, over a SideTransport (U1-U6). Nothing of it is persisted.
 *  Owns ordering, optimistic turns, queues, drafts and the windows of D6 and D7. Drawing is ui/btw and ui/side;
 *  the host is behind the transport. Every method is synchronous and never throws; what the host refuses later
 *  arrives as a state, a notice, or the rejection of `accepted`. */

import type { ContentPart, Limits, ModelRoute, ParentRef, SideKind, SideTransport } from '../../src/wire/index.ts'
import type { BrowserPorts } from './ports.ts'
import type { SideSnapshot, SidesSnapshot } from './snapshot.ts'

export interface RuntimeOptions extends Partial<BrowserPorts> {
  readonly transport: SideTransport
  /** Bounds that differ from DEFAULT_LIMITS, from the host's configuration. */
  readonly limits?: Partial<Limits>
}

export interface AskOptions {
  /** The draft shell to use; absent = a new side. */
  readonly sideId?: string
  readonly route?: ModelRoute
  /** Parts that go with the text (images). */
  readonly attachments?: readonly ContentPart[]
}

export interface Asked {
  readonly sideId: string
  /** Resolves when the host accepted the fork and the question. Rejects with SideError when it refused; the side
   *  then stays as an `error` card with its sentence until it is retried, closed, or the same question is asked
   *  again. Handling the rejection is optional. */
  readonly accepted: Promise<void>
}

/** What became of a text given to `send`. `refused`: the composer keeps it (queue full, ended side, blank text). */
export type SendOutcome = 'sent' | 'queued' | 'refused'

export interface SideRuntime {
  /** One subscription for everything; compare snapshots to know what changed. A throwing listener harms only itself. */
  subscribe(listener: () => void): () => void
  /** Sides of one parent conversation; `NO_SIDES` when it never had one. */
  sidesOf(parentSessionId: string): SidesSnapshot
  /** One side (closing ones too) by its id or by any id under which the host knew it; null when unknown or ended. */
  find(id: string): SideSnapshot | null
  /** What is typed in the side's composer. */
  draftOf(sideId: string): string
  setDraft(sideId: string, text: string): void

  /** Shows the question at once and opens a side for it; `/btw` and `/side` alike. */
  ask(parent: ParentRef, kind: SideKind, text: string, options?: AskOptions): Asked
  /** An empty side: a shell without a Side; nothing reaches the host (D1). Reuses an empty shell of that kind. */
  openDraft(parent: ParentRef, kind?: SideKind): string
  /** From a side's own composer: opens (draft, error), sends (idle) or queues (opening, running). A text that the
   *  host refuses afterwards comes back into the draft. In a `btw` that has its answer it asks a new one. */
  send(sideId: string, text: string): SendOutcome
  /** Stops the running turn, keeps the partial answer and pauses the queue (D11). No-op when nothing runs. */
  stop(sideId: string): void
  /** Asks the question of that turn (default: the last) again. A `/side` gets a new turn and keeps the earlier one;
   *  a `/btw` becomes a new side in the same place. Returns the id of the side that now answers. */
  retry(sideId: string, turnId?: string): string
  /** Answers a prompt; it disappears when the event confirms it (T6). */
  respond(sideId: string, turnId: string, requestId: string, response: unknown): void
  /** Hides the side, stops its turn, and ends it after the undo window; a draft shell goes at once. */
  close(sideId: string): void
  /** Brings a closing side back to its place. */
  undo(sideId: string): void
  /** An expired side becomes a draft in the same place (new fork at its next send); its old transcript moves to
   *  `recent`. Of a recent side: a new draft that holds its first question. Returns the side's id. */
  startAgain(parent: ParentRef, sideId: string): string
  /** Drops an ended side's transcript from `recent`. */
  forget(parentSessionId: string, sideId: string): void

  editQueued(sideId: string, messageId: string, text: string): void
  removeQueued(sideId: string, messageId: string): void
  /** Sends the first waiting message now and lets the rest follow. */
  resumeQueue(sideId: string): void

  /** Chooses what the overlay or the drawer shows among the sides of its parent. */
  show(sideId: string): void
  /** Told by the surface that draws a side, on every change and with false when it unmounts: drives touch (T10),
   *  `unread` and `endsAt`. */
  setVisible(sideId: string, visible: boolean): void
  /** Brings back the sides that this page had opened before a reload (D7). Safe to call again; never rejects. */
  restore(parent: ParentRef): Promise<void>
  /** Unsubscribes, ends every side and pending close, and disposes the transport (U5). Idempotent. */
  dispose(): void
}

/** Ports that are not given are the browser's. */
export function createRuntime(options: RuntimeOptions): SideRuntime {
  void options
  throw new Error('not built yet')
}
