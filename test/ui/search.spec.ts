/** Finding words in the sides of one conversation. */

import { describe, expect, it } from 'vitest'
import { searchSides } from '../../ui/data/search.ts'
import { answered } from '../kit/fake-transport.ts'
import { createRig, MAIN, OTHER } from './rig.ts'
import type { Rig } from './rig.ts'

async function ask(rig: Rig, kind: 'btw' | 'side', question: string, answer: string, parent = MAIN): Promise<string> {
  const { sideId, accepted } = rig.runtime.ask(parent, kind, question)
  await accepted
  rig.transport.emit(sideId, ...answered(rig.transport.at(-1).turnId, question, answer))
  await rig.paint()
  return sideId
}

function found(rig: Rig, query: string): string[] {
  return searchSides(rig.runtime.sidesOf(MAIN.sessionId), query).map(
    ({ before, found: word, after }) => before + word + after,
  )
}

describe('searchSides', () => {
  it('finds all words in questions and answers, whatever their case, of this conversation alone', async () => {
    const rig = createRig()
    await ask(rig, 'btw', 'When is TIDE?', 'It rises\nat noon.')
    await ask(rig, 'side', 'And the moon?', 'Waning.')
    await ask(rig, 'btw', 'tide elsewhere', 'no', OTHER)
    expect(found(rig, 'tide noon')).toEqual(['When is TIDE? It rises at noon.'])
    expect(found(rig, 'WANING')).toHaveLength(1)
    expect(found(rig, 'tide waning')).toEqual([])
    expect(found(rig, '   ')).toEqual([])
  })

  it('finds what was closed, and leads there: a card to its text, a side to an empty one that shows it', async () => {
    const rig = createRig()
    const card = await ask(rig, 'btw', 'tide?', 'noon')
    const side = await ask(rig, 'side', 'moon?', 'noon too')
    rig.runtime.close(card)
    rig.runtime.close(side)
    await rig.pass(60_000)
    const hits = searchSides(rig.runtime.sidesOf(MAIN.sessionId), 'noon')
    expect(hits.map(({ sideId, closed }) => [sideId, closed])).toEqual([
      [side, true],
      [card, true],
    ])
    const [sideHit, cardHit] = hits
    if (sideHit === undefined || cardHit === undefined) throw new Error('two hits')
    expect(rig.runtime.goTo(MAIN, cardHit)).toBeNull()
    expect(rig.runtime.sidesOf(MAIN.sessionId).shownBtw).toBe(card)
    const draft = rig.runtime.goTo(MAIN, sideHit)
    expect(rig.runtime.find(draft ?? '')?.status.phase).toBe('draft')
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({
      reading: side,
      sought: { turnId: sideHit.turnId, times: 2 },
    })
    rig.runtime.leave(MAIN, card)
    rig.runtime.forget(MAIN.sessionId, side)
    expect(rig.runtime.sidesOf(MAIN.sessionId)).toMatchObject({ shownBtw: null, reading: null })
  })

  it('finds an attempt behind the newest one', async () => {
    const rig = createRig()
    const card = await ask(rig, 'btw', 'tide?', 'the lost words')
    rig.runtime.retry(card)
    await rig.paint()
    const { sideId, turnId } = rig.transport.at(-1)
    rig.transport.emit(sideId, ...answered(turnId, 'tide?', 'other words'))
    await rig.paint()
    expect(searchSides(rig.runtime.sidesOf(MAIN.sessionId), 'lost').map((hit) => hit.turnId)).toEqual([turnId])
  })
})
