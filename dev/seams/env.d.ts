/** What the bundler adds to TypeScript's view: published bundles as values, and a package the page supplies. */

declare module 'published:*' {
  /** As the bundle would hand it to the page's module loader. */
  const registration: { readonly id: string; readonly factory: (require: (name: string) => unknown) => unknown }
  export default registration
}

declare module '@deepseek-ai/dsh-client-ui-primitives'

/** Named by the published session types and left out of every published package; as in their published codec. */
declare module '@deepseek-ai/dsh-session/chunk-rows' {
  interface Run {
    turn: number
    step: number
    index: number
    dt: number[]
  }
  export type ChunkRow =
    | { type: 'text-chunks'; data: Run & { texts: string[] } }
    | { type: 'reasoning-chunks'; data: Run & { texts: string[] } }
    | { type: 'tool-call-chunks'; data: Run & { id: string; name?: string; args: string[] } }
}
