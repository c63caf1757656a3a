/** What the page's composer does with a line: to main, or beside it. The text stays in the composer until whoever it is for
 *  has taken it (I9); a line for a side never reaches main (I4). */

import { SideError, toSideError, type ParentRef, type SideErrorCode, type SideKind } from '../../src/wire/index.ts'
import { AskCanceled, type SideRuntime } from '../data/runtime.ts'
import type { LinkState } from './link.ts'
import type { Thread, ThreadSnapshot } from './thread.ts'
import { readLine } from './typed-line.ts'
import type { WebKey } from './words.ts'

export interface SubmitOptions {
  readonly runtime: SideRuntime
  readonly thread: Thread
  readonly link: () => LinkState
  /** Null until the thread was attached once. */
  readonly parent: ParentRef | null
  /** Shows the surface of a side that was just asked for. */
  readonly reveal: (kind: SideKind, sideId: string) => void
}

/** `kept`: the text stays, and `why` is a sentence of the page, or the code of an error of a side. */
export type Submitted =
  | { readonly outcome: 'taken' }
  | { readonly outcome: 'kept'; readonly why: WebKey | SideErrorCode | null }

const TAKEN: Submitted = { outcome: 'taken' }
const kept = (why: WebKey | SideErrorCode | null): Submitted => ({ outcome: 'kept', why })

/** Never rejects. */
export async function submit(text: string, options: SubmitOptions): Promise<Submitted> {
  const line = readLine(text)
  const link = options.link()
  if (link === 'gone' || link === 'foreign') return kept('web.notConnected')
  const now = options.thread.snapshot()
  return line.to === 'main' ? toMain(line.text, now, options) : beside(line.to, line.question, now, options)
}

async function toMain(
  text: string,
  { stage, transcript }: ThreadSnapshot,
  { thread }: SubmitOptions,
): Promise<Submitted> {
  if (stage.at === 'attaching') return kept('web.notReady')
  if (stage.at !== 'open') return kept('web.notRunning')
  if (transcript.turns.some((turn) => turn.phase !== 'settled')) return kept('web.busy')
  try {
    await thread.ask(text)
    return TAKEN
  } catch (error) {
    const { code } = toSideError(error)
    if (code === 'turn_active') return kept('web.busy')
    if (code === 'stream_unavailable') return kept('web.notConnected')
    return kept(code === 'not_found' ? 'web.notRunning' : 'web.failed')
  }
}

async function beside(
  kind: SideKind,
  question: string,
  { stage, transcript }: ThreadSnapshot,
  { runtime, parent, reveal }: SubmitOptions,
): Promise<Submitted> {
  if (parent === null) return kept(stage.at === 'refused' ? 'web.refused' : 'web.notReady')
  if (question === '') {
    reveal(kind, runtime.openDraft(parent, kind))
    return TAKEN
  }
  const asked = runtime.ask(parent, kind, question)
  reveal(kind, asked.sideId)
  try {
    await asked.accepted
    return TAKEN
  } catch (error) {
    // The person stopped or closed it first: the text stays, and nothing needs saying.
    if (error instanceof AskCanceled) return kept(null)
    const code = error instanceof SideError ? error.code : 'provider_error'
    if (code === 'stream_unavailable') return kept('web.notConnected')
    return kept(code === 'unsupported' && transcript.turns.length === 0 ? 'web.needsTurn' : code)
  }
}
