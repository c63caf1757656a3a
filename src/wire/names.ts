/** What our commands are called, and under which other name each is offered where another plugin holds the first (the rows,
 *  controls and lines of a command go by the name that it got). */

import type { SideKind } from '../core/contract.ts'

export type CommandNames = Readonly<Record<SideKind, string>>

/** Per kind, the one that is free first. */
const NAMES: Readonly<Record<SideKind, readonly [string, ...string[]]>> = {
  btw: ['btw', 'sidebtw', 'sidemind-btw'],
  side: ['side', 'aside', 'sidemind-side'],
}

const DESCRIPTIONS: Readonly<Record<SideKind, string>> = {
  btw: 'Ask one question beside the running conversation. Nothing is kept.',
  side: 'Start a temporary side conversation. Nothing is kept.',
}

export const FIRST_NAMES: CommandNames = { btw: NAMES.btw[0], side: NAMES.side[0] }

export function namesOf(kind: SideKind): readonly string[] {
  return NAMES[kind]
}

/** What a menu says of the command; of one that had to take another name, why. */
export function describe(kind: SideKind, name: string): string {
  const first = NAMES[kind][0]
  return name === first ? DESCRIPTIONS[kind] : `${DESCRIPTIONS[kind]} (/${first} belongs to another plugin.)`
}

/** Under which names a host's roster has our commands; one that is not in it keeps its first. */
export function namesIn(roster: readonly { readonly name: string; readonly description: string }[]): CommandNames {
  const find = (kind: SideKind): string =>
    NAMES[kind].find((name) => roster.some((one) => one.name === name && one.description === describe(kind, name))) ??
    NAMES[kind][0]
  return { btw: find('btw'), side: find('side') }
}
