/** What is typed for main, per thread. In memory alone: a draft is text, and text is not stored. */

export interface Drafts {
  read(threadId: string): string
  write(threadId: string, text: string): void
  /** Puts `text` behind what is there, on a paragraph of its own. */
  append(threadId: string, text: string): void
  subscribe(listener: () => void): () => void
}

export function createDrafts(): Drafts {
  const drafts = new Map<string, string>()
  const listeners = new Set<() => void>()
  const read = (threadId: string): string => drafts.get(threadId) ?? ''
  function write(threadId: string, text: string): void {
    if (read(threadId) === text) return
    drafts.set(threadId, text)
    for (const listener of listeners) listener()
  }
  return {
    read,
    write,
    append(threadId, text) {
      const before = read(threadId)
      write(threadId, before === '' ? text : `${before.replace(/\n*$/, '')}\n\n${text}`)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}
