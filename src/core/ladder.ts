/** How much of main a side takes along: the ladder from everything down to a digest, how large each rung is, and which
 *  one fits the model (K05, K06). Pure, so that the page shows before the fork what the host will do. */

/** A rung. `all`: what main's next request would hold. `compaction`: the whole turns behind main's last compaction.
 *  `turns`: the last n whole turns. `digest`: no turn at all, a few lines about the newest ones instead. */
export type Scope =
  | { readonly kind: 'all' }
  | { readonly kind: 'compaction' }
  | { readonly kind: 'turns'; readonly turns: number }
  | { readonly kind: 'digest' }

export interface Rung {
  readonly scope: Scope
  /** Whole turns of main that it holds. */
  readonly turns: number
  /** Size in tokens of a request that holds it, tools and system prompt included; partly estimated. */
  readonly tokens: number
}

/** The sizes of a conversation. */
export interface Measured {
  /** Completed turns. */
  readonly turns: number
  /** Tokens of its whole context now. */
  readonly tokens: number
  /** Tokens that every request holds: system prompt and tools. */
  readonly base: number
  /** Tokens of each turn that can be taken by itself, the newest first: none before a compaction or a broken turn. */
  readonly tail: readonly number[]
  /** Whether a summary stands in for what lies before `tail`. */
  readonly compacted: boolean
}

/** Past this share of its context window a model's host compacts, and a side would begin with that (K05). */
const FULL = 0.8
/** Numbers of turns that a person is offered. */
const OFFERED = [20, 10, 5, 3, 1]
/** Rungs between everything and the digest that a person is offered. */
const OFFERED_MOST = 4

/** Whether a side of this size has room to answer. An unknown window (null) takes everything. */
export function fits({ tokens }: Rung, window: number | null): boolean {
  return window === null || tokens <= window * FULL
}

/** Every rung, the largest first. The last one is the digest, the floor; before main's first answer there is nothing to
 *  leave out. */
export function rungsOf(measured: Measured): readonly Rung[] {
  const { base, tail, turns, tokens, compacted } = measured
  if (turns === 0) return [{ scope: { kind: 'all' }, turns, tokens }]
  const rungs: Rung[] = [{ scope: { kind: 'digest' }, turns: 0, tokens: base }]
  let sum = base
  for (const [index, size] of tail.entries()) {
    const count = index + 1
    sum += size
    if (count < tail.length) rungs.push({ scope: { kind: 'turns', turns: count }, turns: count, tokens: sum })
    else if (compacted) rungs.push({ scope: { kind: 'compaction' }, turns: count, tokens: sum })
    else if (count < turns) rungs.push({ scope: { kind: 'turns', turns: count }, turns: count, tokens: sum })
  }
  rungs.push({ scope: { kind: 'all' }, turns, tokens })
  return rungs.toReversed()
}

/** The rungs to choose from: few, and with round numbers; `chosen` is among them. */
export function ladderOf(measured: Measured, chosen: Rung): readonly Rung[] {
  const rungs = rungsOf(measured)
  const round = rungs
    .filter(({ scope }) => scope.kind === 'turns' && OFFERED.includes(scope.turns))
    .slice(-(OFFERED_MOST - (rungs.some(({ scope }) => scope.kind === 'compaction') ? 1 : 0)))
  return rungs.filter((rung) => rung.scope.kind !== 'turns' || round.includes(rung) || isSame(rung.scope, chosen.scope))
}

/** The rung a side gets: the wanted one (left out: everything), or the first below it that fits the window. What is not
 *  there any more gives way to the next smaller one. */
export function rungFor(measured: Measured, window: number | null, wanted?: Scope): Rung {
  const rungs = rungsOf(measured)
  const from = wanted === undefined ? 0 : rungs.findIndex((rung) => !isLarger(rung, wanted))
  return rungs.slice(Math.max(0, from)).find((rung) => fits(rung, window)) ?? (rungs.at(-1) as Rung)
}

/** The way out when a model refused this rung as too long after all: half of it, in the end the digest; null below it. */
export function smallerRung(measured: Measured, used: Rung): Rung | null {
  if (used.scope.kind === 'digest') return null
  const half = measured.base + (used.tokens - measured.base) / 2
  return rungsOf(measured).find((rung) => rung.turns < used.turns && rung.tokens <= half) ?? null
}

export function isSame(a: Scope, b: Scope): boolean {
  return a.kind === b.kind && (a.kind !== 'turns' || b.kind !== 'turns' || a.turns === b.turns)
}

const ORDER: Record<Scope['kind'], number> = { all: 3, compaction: 2, turns: 1, digest: 0 }

function isLarger({ scope }: Rung, than: Scope): boolean {
  if (scope.kind === 'turns' && than.kind === 'turns') return scope.turns > than.turns
  return ORDER[scope.kind] > ORDER[than.kind]
}
