/** The verbs of sides: open, send, cancel, respond, close, sweep. The only caller of providers. */

import type { Source } from './contract.ts'
import type { ControllerOptions, SideController } from './verbs.ts'

export type * from './verbs.ts'

/** A controller of every side of one provider. Starts nothing until the first open. */
export function createController<S extends Source>(options: ControllerOptions<S>): SideController<S> {
  void options
  throw new Error('not built yet')
}
