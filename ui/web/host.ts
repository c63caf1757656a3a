/** What every component of the page stands on. */

import type { SideClient } from '../../src/service/client.ts'
import type { SideRuntime } from '../data/runtime.ts'
import type { Drafts } from './drafts.ts'
import type { Language } from './language.ts'
import type { Link } from './link.ts'
import type { Thread, ThreadFacts } from './thread.ts'

export interface PageHost {
  readonly client: SideClient
  readonly runtime: SideRuntime
  readonly link: Link
  readonly language: Language
  readonly drafts: Drafts
  /** The thread of this id, attached when it is first asked for; `facts` of one that was just started. */
  thread(threadId: string, facts?: ThreadFacts): Thread
}
