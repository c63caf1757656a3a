/** The old host's page services, as far as the adapter touches them. Written by hand because that host's own
 *  declarations lean on a package of types that was not published beside it. */
import type { ComponentType } from 'react'

/** What one registration into a slot says. */
export interface SlotOptions {
  readonly name: string
  readonly id?: string
  readonly key?: string
  readonly order?: number
  readonly children?: Readonly<
    Record<string, { kind: 'single' | 'list' | 'keyed' | 'chain'; scope: 'root' | 'session' }>
  >
  readonly inject?: (...args: never[]) => Face
}

/** Something a component can watch. */
export interface Source {
  getSnapshot(): unknown
  subscribe(listener: () => void): () => void
}

/** What a registration's `inject` gives its component. Later renderers turn each of `keyedHooks` into `use<Name>(key)`. */
export interface Face {
  readonly keyedHooks?: Readonly<Record<string, (key: string) => Source>>
  readonly [name: string]: unknown
}

/** `ctx.slots`. */
export interface Slots {
  register(options: SlotOptions, component: ComponentType<never>): () => void
  inject(name: string, callback: () => () => void): () => void
  provideRoot?(face: unknown): void
}

/** `ctx.layout`, with the two verbs that later hosts added. */
export interface Layout {
  openRightbar?(track: boolean, fullscreen: boolean): void
  closeRightbar?(): void
}

/** A plugin's context in the page. */
export interface PageContext {
  readonly slots: Slots
  readonly layout: Layout
  readonly reflect: { provide(name: string, value: unknown): () => void }
  get(name: string): unknown
  effect(work: () => () => void, label: string): unknown
  inject(services: readonly string[], callback: (ctx: PageContext) => void): unknown
}
