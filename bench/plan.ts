/** How much is measured: enough for a steady median, or just enough to see that everything still runs. */

export interface Plan {
  /** Lengths of the parent, in completed turns. */
  turns: readonly number[]
  /** Sizes of it, in tokens. */
  tokens: readonly number[]
  /** Samples of a time, per length. */
  samples(turns: number): number
  /** Asked before samples count, so that nothing is measured cold. */
  warmUps: number
  /** Sides over which written bytes are averaged. */
  sides: number
  /** Starts of the host, each with a load of the page. */
  starts: number
  /** A folder for profiles of the host while it forks; left out, they are not kept. */
  profiles?: string
  /** Lengths that an answer has already, in kB. 10 is among them. */
  answers: readonly number[]
  /** Windows of a thousand deltas, per length. */
  windows: number
  /** Length of the answer that is drawn from its first word to its last, in kB. */
  longAnswer: number
}

export const FULL: Plan = {
  turns: [10, 100, 1_000, 10_000],
  tokens: [1_000, 10_000, 100_000, 500_000],
  samples: (turns) => (turns > 5_000 ? 5 : turns > 500 ? 9 : 21),
  warmUps: 2,
  sides: 10,
  starts: 15,
  answers: [1, 10, 100, 1_000],
  windows: 5,
  longAnswer: 200,
}
export const QUICK: Plan = {
  turns: [10, 100],
  tokens: [1_000, 10_000],
  samples: () => 3,
  warmUps: 1,
  sides: 3,
  starts: 1,
  answers: [10, 50],
  windows: 1,
  longAnswer: 20,
}
