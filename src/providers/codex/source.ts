/** A Codex conversation beside which a side is asked, captured as a plain value, and what is known of its runtime. */

import type { Source } from '../../core/contract.ts'

/** What must be known to fork a thread, also when its process is long gone. Holds no content of the conversation but
 *  the host's own developer text. */
export interface CodexMetadata {
  readonly threadId: string
  readonly codexHome: string
  readonly model: string
  readonly modelProvider: string
  readonly effort?: string
  readonly cwd: string
  /** Developer instructions under which the host runs the thread; '' when none. */
  readonly hostContext: string
  readonly codexVersion: string
}

/** A captured Codex thread; `sessionId` is its thread id. */
export interface CodexSource extends Source {
  readonly metadata: CodexMetadata | null
  /** Whether it has a turn at all: the app-server cannot fork a thread before its first. */
  readonly started: boolean
  /** Whether the thread is a side itself (P2). */
  readonly isSide: boolean
}
