/** The rule of the leak tests, for the host and for the page alike: what our cycles left in the heap, held against what as
 *  many commands that do nothing left in the same process. */
import { expect } from 'vitest'

/** What the heap may keep beyond the price that the host itself takes for its commands. */
export const ALLOWED_BYTES = 2 * 1024 * 1024

/** Three looks at one heap, in bytes, each after garbage was collected. */
export interface HeapLooks {
  before: number
  /** After our cycles. */
  after: number
  /** After as many commands that do nothing, run after our cycles. */
  afterNothing: number
}

/** What our cycles left, and what the commands that do nothing left. */
export function heapGrowth({ before, after, afterNothing }: HeapLooks): { ours: number; theirs: number } {
  return { ours: after - before, theirs: afterNothing - after }
}

/** Fails when our cycles left more than the host itself takes, and 2 MB. */
export function expectNoHeapGrowth(looks: HeapLooks): void {
  const { ours, theirs } = heapGrowth(looks)
  expect(ours).toBeLessThanOrEqual(Math.max(theirs, 0) + ALLOWED_BYTES)
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1024 / 1024).toFixed(2)} MB`
}
