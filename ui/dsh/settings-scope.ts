/** The host's settings of our namespace, where the page has them: for the card, and for what the page itself follows. */

import type { SettingsScope, SettingsState } from '../settings/SettingsCard.tsx'
import { member } from './seams.ts'

/** The namespace under which the host half registers its configuration. */
export const SETTINGS_NAMESPACE = 'sidemind'

const NOTHING: Readonly<Record<string, unknown>> = {}

/** @param binder the host's `settingsScope`. @returns null when it is not of the known shape. */
export function settingsScope(binder: unknown): SettingsScope | null {
  const bind = member(binder, 'bind')
  if (typeof bind !== 'function') return null
  const scope: unknown = Reflect.apply(bind, binder, [{ namespace: SETTINGS_NAMESPACE }])
  const call = (verb: string, ...args: unknown[]): unknown => {
    const method = member(scope, verb)
    return typeof method === 'function' ? (Reflect.apply(method, scope, args) as unknown) : undefined
  }
  let source: unknown
  let state: SettingsState = { ready: false, writable: false, value: NOTHING, base: NOTHING, user: NOTHING }
  return {
    getSnapshot() {
      const next = call('getSnapshot')
      if (next === source) return state
      source = next
      state = {
        ready: member(next, 'status') === 'ready',
        writable: member(next, 'writable') === true,
        value: section(next, 'value'),
        base: section(next, 'base'),
        user: section(next, 'user'),
      }
      return state
    },
    subscribe: (listener) => (call('subscribe', listener) as (() => void) | undefined) ?? (() => {}),
    set: async (field, value) => void (await call('set', field, value)),
    unset: async (field) => void (await call('unset', field)),
  }
}

function section(snapshot: unknown, key: string): Readonly<Record<string, unknown>> {
  const value = member(snapshot, key)
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : NOTHING
}
