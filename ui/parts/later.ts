/** The heavy halves of an answer's renderers (reading Markdown, colouring code, setting formulas): fetched when first
 *  needed. Owns their state. Where they live is told by the layer that mounts the surfaces; without them an answer is
 *  the text that it is. */

import { useEffect, useSyncExternalStore } from 'react'
import type {
  CopySelection,
  DrawFormula,
  DrawMarkdown,
  FormulaOf,
  HighlightCode,
  TargetsFor,
} from './markdown-nodes.ts'
import type { TabsParts } from './tabs.tsx'

export interface LaterParts {
  readonly markdown: {
    readonly draw: DrawMarkdown
    readonly targetsFor: TargetsFor
    readonly formulaOf: FormulaOf
    readonly copySelection: CopySelection
  }
  readonly code: { readonly highlight: HighlightCode }
  readonly math: { readonly draw: DrawFormula }
  readonly tabs: TabsParts
}
export type LaterName = keyof LaterParts

/** What each part must export to be one. */
const EXPORTS: Readonly<Record<LaterName, string>> = { markdown: 'draw', code: 'highlight', math: 'draw', tabs: 'Root' }
/** A part that did not come is asked for again no sooner than this, in milliseconds. */
const AGAIN_MS = 5_000

/** @param attempt 0 for the first one: an address that failed may be remembered as failed. */
export type FetchLater = (name: LaterName, attempt: number) => Promise<unknown>

let fetchLater: FetchLater | null = null
const parts: Partial<LaterParts> = {}
const asked = new Map<LaterName, { readonly at: number; readonly attempt: number; readonly open: boolean }>()
const listeners = new Set<() => void>()

/** Says where parts come from. */
export function fetchLaterBy(fetch: FetchLater): void {
  fetchLater = fetch
  asked.clear()
}

/** What a later file exports, once it has the page's modules. Throws when it is no such file. */
export function openLater(file: unknown, page: Readonly<Record<string, unknown>>): unknown {
  const open: unknown = typeof file === 'object' && file !== null ? Reflect.get(file, 'default') : undefined
  if (typeof open !== 'function') throw new TypeError('no later file')
  return (open as (require: (name: string) => unknown) => unknown)((name) => page[name])
}

/** Puts a part into its place; null takes it away. */
export function supplyLater<N extends LaterName>(name: N, part: LaterParts[N] | null): void {
  if (part === null) delete parts[name]
  else parts[name] = part
  for (const listener of listeners) listener()
}

/** Asks for a part, unless it is here, on its way, or has just failed. */
export function wantLater(name: LaterName): void {
  const before = asked.get(name)
  if (fetchLater === null || parts[name] !== undefined || before?.open === true) return
  if (before !== undefined && Date.now() - before.at < AGAIN_MS) return
  const attempt = before === undefined ? 0 : before.attempt + 1
  const note = (open: boolean): void => void asked.set(name, { at: Date.now(), attempt, open })
  note(true)
  fetchLater(name, attempt)
    .then((part) => {
      if (isPart(part, name)) supplyLater(name, part as LaterParts[typeof name])
    })
    // Absent is a state of its own: plain text.
    .catch(() => undefined)
    .finally(() => {
      note(false)
      for (const listener of listeners) listener()
    })
}

function isPart(part: unknown, name: LaterName): boolean {
  return typeof part === 'object' && part !== null && isUsable(Reflect.get(part, EXPORTS[name]))
}

/** A function, or a component that React wrapped. */
function isUsable(value: unknown): boolean {
  return typeof value === 'function' || (typeof value === 'object' && value !== null && '$$typeof' in value)
}

/** Whether the part was asked for and did not come, or cannot be asked for at all. */
export function useLaterFailed(name: LaterName): boolean {
  return useSyncExternalStore(subscribe, () => {
    if (parts[name] !== undefined) return false
    return fetchLater === null || asked.get(name)?.open === false
  })
}

/** The part, or null until it is here; asked for while it is `wanted`. */
export function useLater<N extends LaterName>(name: N, wanted = true): LaterParts[N] | null {
  const part = useSyncExternalStore(subscribe, () => parts[name] ?? null)
  useEffect(() => {
    if (wanted) wantLater(name)
  }, [name, wanted])
  return wanted ? part : null
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
