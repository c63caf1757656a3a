/** How much is measured: enough for a steady median, or just enough to see that everything still runs. */

export interface Plan {
  /** Lengths of the parent, in completed turns. */
  turns: readonly number[]
  /** Samples of a time, per length. */
  samples(turns: number): number
  /** Asked before samples count, so that nothing is measured cold. */
  warmUps: number
  /** Sides over which written bytes are averaged. */
  sides: number
}

export const FULL: Plan = { turns: [10, 100, 1_000], samples: (turns) => (turns > 500 ? 9 : 21), warmUps: 2, sides: 10 }
export const QUICK: Plan = { turns: [10, 100], samples: () => 3, warmUps: 1, sides: 3 }
