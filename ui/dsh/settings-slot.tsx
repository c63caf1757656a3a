/** Puts the settings card where the host shows the cards of plugins. */

import { useMemo, useSyncExternalStore, type ReactElement } from 'react'
import { createTranslate } from '../locales.ts'
import { SurfaceProvider } from '../parts/surface.tsx'
import { SettingsCard, type SettingsScope } from '../settings/SettingsCard.tsx'
import type { HostLocale, HostSlots } from './seams.ts'
import { SETTINGS_NAMESPACE } from './settings-scope.ts'

export function mountSettings(slots: HostSlots, locale: HostLocale, scope: SettingsScope): void {
  slots.inject('settings.plugin.item', () =>
    slots.register({ name: 'settings.plugin.item', key: SETTINGS_NAMESPACE, inject: () => ({}) }, () => (
      <Card locale={locale} scope={scope} />
    )),
  )
}

function Card({ locale, scope }: { readonly locale: HostLocale; readonly scope: SettingsScope }): ReactElement {
  const active = useSyncExternalStore(locale.subscribe, locale.active)
  const value = useMemo(() => ({ t: createTranslate(active) }), [active])
  return (
    <SurfaceProvider value={value}>
      <SettingsCard scope={scope} />
    </SurfaceProvider>
  )
}
