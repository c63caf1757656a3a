/** Client half of the plugin: what the host's page loads by the package's name.
 *  Asks for no service at the top level, because a host without it would not load its page. */

import { mount } from './dsh/mount.ts'
import type { ClientContext } from './dsh/seams.ts'

export const name = 'sidemind-for-dsh'

export const inject: string[] = []

/** Mounts the client half; a failure of ours must not take the host's page down. */
export function apply(ctx: ClientContext): void {
  try {
    mount(ctx)
  } catch (error) {
    reportError(error)
  }
}
