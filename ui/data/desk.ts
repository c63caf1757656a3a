/** What the rooms of the runtime share: the transport, the store, and time. */

import type { Limits, SideTransport } from '../../src/wire/index.ts'
import type { BrowserPorts } from './ports.ts'
import type { Store } from './store.ts'

export interface Desk extends BrowserPorts {
  readonly transport: SideTransport
  readonly store: Store
  /** Read it when it is needed: the host tells its own later. */
  readonly limits: Limits
  /** True once the runtime was disposed: late answers of the host change nothing any more. */
  disposed(): boolean
}
