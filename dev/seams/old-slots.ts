/** Lets plugins written for a later renderer run under the old one: it knows `hooks` but no `keyedHooks`, and no hooks
 *  on every component. */
import { useCallback, useSyncExternalStore } from 'react'

import type { Face, PageContext, SlotOptions, Slots, Source } from './host-context.ts'

/** @returns the same context, whose `slots` take what later ones take. */
export function withLaterSlots(ctx: PageContext): PageContext {
  const old = ctx.slots
  const slots: Slots = {
    register: (options, component) => old.register(converted(options), component),
    inject: (name, callback) => old.inject(name, callback),
    // `useResource` on every component stays away: nothing here asks for it.
    provideRoot: () => undefined,
  }
  return new Proxy(ctx, { get: (target, key) => (key === 'slots' ? slots : Reflect.get(target, key, target)) })
}

function converted(options: SlotOptions): SlotOptions {
  const original = options.inject
  return original === undefined ? options : { ...options, inject: (...args) => boundFace(original(...args)) }
}

function boundFace(face: Face): Face {
  const { keyedHooks, ...rest } = face
  if (keyedHooks === undefined) return face
  const hooks = Object.entries(keyedHooks).map(([name, source]) => [hookName(name), hookOver(source)])
  return { ...rest, ...Object.fromEntries(hooks) }
}

function hookOver(sourceOf: (key: string) => Source): (key: string) => unknown {
  return function useKeyed(key) {
    const source = sourceOf(key)
    const subscribe = useCallback((changed: () => void) => source.subscribe(changed), [source])
    return useSyncExternalStore(subscribe, () => source.getSnapshot())
  }
}

function hookName(name: string): string {
  return `use${name.charAt(0).toUpperCase()}${name.slice(1)}`
}
