/** Finds words in the questions and answers of one conversation's sides, those that were closed included. Pure; what is
 *  read stays in memory. */

import type { TranscriptTurn } from '../../src/wire/index.ts'
import { splitQuote } from '../quotation.ts'
import type { SidesSnapshot } from './snapshot.ts'

export interface Hit {
  readonly sideId: string
  readonly turnId: string
  readonly kind: 'btw' | 'side'
  /** Only its text is left. */
  readonly closed: boolean
  readonly question: string
  /** Where the first word was found, with what stands around it. */
  readonly before: string
  readonly found: string
  readonly after: string
}

const MOST = 30
const AROUND = 40

/** Hits for all words of `query`, newest side first; nothing for a blank one. Letter case does not count. */
export function searchSides(sides: SidesSnapshot, query: string): readonly Hit[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return []
  const open = [...sides.btw, ...sides.side].toReversed()
  const hits: Hit[] = []
  for (const { sideId, kind, turns, earlier, closed } of [
    ...open.map((side) => ({ ...side, closed: false })),
    ...sides.recent.map((side) => ({ ...side, closed: true })),
  ]) {
    for (const turn of turns) {
      const text = textOf(turn, earlier[turn.turnId] ?? [])
      const low = lowered(turn, text)
      if (!words.every((word) => low.includes(word))) continue
      hits.push({
        sideId,
        turnId: turn.turnId,
        kind,
        closed,
        question: oneLine(splitQuote(turn.question).text),
        ...around(text, low, words[0] ?? '', turn.question.length),
      })
      if (hits.length >= MOST) return hits
    }
  }
  return hits
}

/** Whether there is anything to find. */
export function isSearchable({ btw, side, recent }: SidesSnapshot): boolean {
  return [...btw, ...side, ...recent].some((one) => one.turns.length > 0)
}

function textOf(turn: TranscriptTurn, earlier: readonly TranscriptTurn[]): string {
  const answers = [...earlier, turn].flatMap((one) =>
    one.items.flatMap((item) => (item.kind === 'text' ? [item.text] : [])),
  )
  return [turn.question, ...answers].join('\n')
}

const known = new WeakMap<TranscriptTurn, { readonly text: string; readonly low: string }>()

function lowered(turn: TranscriptTurn, text: string): string {
  const before = known.get(turn)
  if (before?.text === text) return before.low
  const low = text.toLowerCase()
  known.set(turn, { text, low })
  return low
}

/** @param question length of the question, which is read anyway: words of the answer are shown first. */
function around(text: string, low: string, word: string, question: number): Pick<Hit, 'before' | 'found' | 'after'> {
  // Some letters change their length in lower case; what is cut is then off by a little, never wrong.
  const inAnswer = low.indexOf(word, question)
  const at = inAnswer < 0 ? low.indexOf(word) : inAnswer
  const from = Math.max(0, at - AROUND)
  const to = at + word.length
  return {
    before: `${from > 0 ? '…' : ''}${flat(text.slice(from, at))}`,
    found: text.slice(at, to),
    after: `${flat(text.slice(to, to + 2 * AROUND))}${to + 2 * AROUND < text.length ? '…' : ''}`,
  }
}

function oneLine(text: string): string {
  return flat(text.slice(0, 200)).trim()
}

function flat(text: string): string {
  return text.replace(/\s+/g, ' ')
}
