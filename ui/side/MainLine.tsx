/** The quiet live line of what main is doing (K15). */

/** Told by the mounting layer. `what` is untrusted text, one line ("npm test"); `since` epoch milliseconds. */
export interface MainActivity {
  readonly state: 'running' | 'approval' | 'done' | 'failed'
  readonly what?: string
  readonly since?: number
}
