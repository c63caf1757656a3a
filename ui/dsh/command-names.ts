/** Under which names this host has our commands: another plugin may hold `/btw` or `/side`. The first names until it is known. */

import { FIRST_NAMES, namesIn, type CommandNames, type SideKind } from '../../src/wire/index.ts'
import { member } from './seams.ts'

export interface Names {
  known(): CommandNames
  subscribe(listener: () => void): () => void
  /** Asks the host once per page; what cannot be asked keeps the first names. Never rejects. */
  load(sessionId: string): Promise<CommandNames>
  /** Which of ours a typed name is, or undefined. */
  kindOf(name: string): SideKind | undefined
}

/** @param commands the host's `remote.commands`. */
export function commandNames(commands: () => unknown): Names {
  let names = FIRST_NAMES
  let loading: Promise<CommandNames> | null = null
  const listeners = new Set<() => void>()

  async function ask(sessionId: string): Promise<CommandNames> {
    const remote = commands()
    const list = member(remote, 'list')
    if (typeof list !== 'function') return names
    const answer: unknown = await Reflect.apply(list, remote, [sessionId])
    const value = member(answer, 'value')
    if (!Array.isArray(value)) throw new Error('the host told no commands')
    const next = namesIn(
      value.map((one: unknown) => ({
        name: textOf(member(one, 'name')),
        description: textOf(member(one, 'description')),
      })),
    )
    if (next.btw !== names.btw || next.side !== names.side) {
      names = next
      for (const listener of listeners) listener()
    }
    return names
  }

  return {
    known: () => names,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    load(sessionId) {
      loading ??= ask(sessionId).catch(() => {
        loading = null
        return names
      })
      return loading
    },
    kindOf: (name) => (name === names.btw ? 'btw' : name === names.side ? 'side' : undefined),
  }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
