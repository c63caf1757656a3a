/** What the chips in main's composer stand for. The host keeps a placeholder in the draft where a chip is, and unfolds it
 *  for main alone; a claimed line gets the placeholder (K27). */

import { member } from './seams.ts'

/** The host's services that know of chips, and the conversation whose composer it is. */
export interface ChipHost {
  readonly conversation: unknown
  readonly inputTriggers: unknown
  readonly scope: unknown
}

interface Chip {
  readonly offset: number
  readonly length: number
  readonly source: unknown
  readonly ref: unknown
}

/**
 * The text behind a claimed line as main would get it; `args` is the end of the draft.
 * @returns the text itself where it holds no chip, so that nothing waits without a reason.
 * @throws, or rejects, when a chip cannot be unfolded: its text must not be left out.
 */
export function unfoldChips(args: string, { conversation, inputTriggers, scope }: ChipHost): string | Promise<string> {
  const input = call(member(conversation, 'input'), 'for', scope)
  const state = call(member(input, 'state'), 'getSnapshot')
  const draft = member(state, 'draft')
  const all = member(state, 'occurrences')
  if (typeof draft !== 'string' || !Array.isArray(all) || all.length === 0) return args
  if (!draft.endsWith(args)) throw new Error('the draft is not what was claimed')
  const from = draft.length - args.length
  const chips = (all as Chip[]).filter(({ offset }) => offset >= from).toSorted((a, b) => a.offset - b.offset)
  if (chips.length === 0) return args
  const owner = call(inputTriggers, 'sessionOf', scope)
  if (typeof member(owner, 'serializeReference') !== 'function') throw new Error('this host does not unfold chips')
  const { signal } = new AbortController()
  return Promise.all(chips.map(({ source, ref }) => call(owner, 'serializeReference', source, ref, signal))).then(
    (texts) => {
      let unfolded = ''
      let at = from
      for (const [index, { offset, length }] of chips.entries()) {
        const text = texts[index]
        if (typeof text !== 'string') throw new Error('a chip without a text')
        unfolded += draft.slice(at, offset) + text
        at = offset + length
      }
      return unfolded + draft.slice(at)
    },
  )
}

function call(target: unknown, verb: string, ...args: readonly unknown[]): unknown {
  const method = member(target, verb)
  return typeof method === 'function' ? (Reflect.apply(method, target, args) as unknown) : undefined
}
