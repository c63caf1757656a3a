/** The configuration as it is now: what the host's settings say over what its profile says. Without a settings service, or with a
 *  section that it refuses, the profile's alone. */

import type { Context } from '@deepseek-ai/cordis'
import { Config } from './config.ts'

/** Where a person finds the fields in the host's settings; the card in the page has the same name. */
export const SETTINGS = 'sidemind'

/** The part of a host's settings service that we use. */
interface SettingsHost {
  register(
    namespace: string,
    schema: unknown,
    options: { readonly base: Config; readonly applies: 'live' },
  ): { get(): Config; watch(callback: (next: Config) => void): () => void }
}

/** Calls `changed` with every configuration that comes into force after `config`. Never throws. */
export function followSettings(ctx: Context, config: Config, changed: (next: Config) => void): void {
  ctx.inject(['settings'], (inner) => {
    try {
      const settings = inner.get('settings') as unknown as SettingsHost
      const scope = settings.register(SETTINGS, Config, { base: config, applies: 'live' })
      changed(scope.get())
      inner.effect(() => scope.watch((next) => changed(next)), 'sidemind: settings')
      inner.effect(() => () => changed(config), 'sidemind: settings gone')
    } catch (error) {
      ctx.logger.error('sidemind: the stored settings were refused; the profile’s hold', error)
    }
  })
}
