/** What a demo brings: somebody else's code, loaded only when it is asked for. */

export interface Demo {
  readonly codexHome: string
  readonly cwd: string
  readonly state: string
  /** Added to the environment of Codex. */
  readonly env: Readonly<Record<string, string>>
  /** Ends the model and removes the folder. Idempotent. */
  end(): Promise<void>
  /** Removes the folder at once, for an end that cannot wait. */
  drop(): void
}

export type StartDemo = () => Promise<Demo>
