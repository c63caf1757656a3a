/** Bounds and windows of a side (D6, D7, D10, O10, T7, T8), with their units. Configuration may change them. */

export interface Limits {
  /** Longest question, UTF-8 bytes. */
  readonly questionBytes: number
  /** Most text of one answer kept in memory, UTF-16 code units. */
  readonly answerChars: number
  /** Messages that may wait while a side answers. */
  readonly queuedMessages: number
  readonly sidesPerSource: number
  readonly sidesPerHost: number
  /** `/btw` questions that may answer at once per source. */
  readonly parallelBtw: number
  /** Events buffered per Side before its gate opens (O5). */
  readonly openBuffer: number
  readonly openTimeoutMs: number
  /** How long close waits for a running turn to stop. */
  readonly quiesceMs: number
  /** A hidden side's child lives this long after close, so that close can be undone. */
  readonly undoMs: number
  /** A side whose client says nothing for this long is disposed. */
  readonly lostClientMs: number
  /** A hidden, idle side ends after this. */
  readonly parkedMs: number
  readonly sweepMs: number
  readonly shutdownMs: number
}

export const DEFAULT_LIMITS: Limits = {
  questionBytes: 100_000,
  answerChars: 4_000_000,
  queuedMessages: 10,
  sidesPerSource: 8,
  sidesPerHost: 16,
  parallelBtw: 4,
  openBuffer: 1_000,
  openTimeoutMs: 30_000,
  quiesceMs: 3_000,
  undoMs: 8_000,
  lostClientMs: 60_000,
  parkedMs: 30 * 60_000,
  sweepMs: 5_000,
  shutdownMs: 15_000,
}

/** Injected time, so that tests own the clock. Timers must not keep a process alive. */
export interface Clock {
  now(): number
  /** Runs `task` once after `ms`; returns its undo. */
  after(ms: number, task: () => void): () => void
}
