/** How much of main a side would take along, before its fork: the rungs to choose from, and the one it would get. Pure. */

import { fits, isSame, ladderOf, rungFor } from '../../src/wire/index.ts'
import type { Measured, Rung, Scope } from '../../src/wire/index.ts'

/** What the page knows of main's size. */
export interface MainSize {
  readonly measured: Measured
  /** Context window of main's model in tokens, null when the host does not tell. */
  readonly window: number | null
}

export interface ScopeChoice {
  /** The rung that the next question would fork. */
  readonly rung: Rung
  /** True when it is smaller than what was wanted, because that would not fit. */
  readonly reduced: boolean
  /** The largest first. */
  readonly rungs: readonly { readonly rung: Rung; readonly fits: boolean; readonly chosen: boolean }[]
  readonly window: number | null
}

/** @param wanted what the person chose; null = as much as fits. */
export function scopeChoice({ measured, window }: MainSize, wanted: Scope | null): ScopeChoice {
  const rung = rungFor(measured, window, wanted ?? undefined)
  const floor = measured.turns > 0
  return {
    rung,
    reduced: !isSame(rung.scope, rungFor(measured, null, wanted ?? undefined).scope),
    rungs: ladderOf(measured, rung).map((one) => ({
      rung: one,
      fits: fits(one, window) || (floor && one.scope.kind === 'digest'),
      chosen: isSame(one.scope, rung.scope),
    })),
    window,
  }
}
