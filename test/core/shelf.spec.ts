import { describe, expect, it } from 'vitest'
import type { SideKind } from '../../src/core/contract.ts'
import { admit, arrange, EMPTY_SHELF, type Shelf, type ShelfMove } from '../../src/core/shelf.ts'
import { identity } from './rig.ts'

const limits = { sidesPerSource: 3, sidesPerHost: 5, parallelBtw: 2 }
const parent = (sessionId: string) => ({ workspaceId: 'w', sessionId })
const place = (id: string, source = 'p1', kind: SideKind = 'side'): ShelfMove => ({
  type: 'place',
  identity: identity(id, parent(source)),
  kind,
})
const shelved = (...moves: ShelfMove[]): Shelf => moves.reduce(arrange, EMPTY_SHELF)
const beside = (source: string) => ({ workspaceId: 'w', sourceSessionId: source })
const hide = (id: string, until: number, source = 'p1'): ShelfMove => ({
  type: 'hide',
  identity: identity(id, parent(source)),
  until,
})

describe('how many fit', () => {
  it('O11 counts per source and per host', () => {
    const three = shelved(place('a'), place('b'), place('c'))
    expect(admit(three, beside('p1'), 'side', limits).admitted).toBe(false)
    expect(admit(three, beside('p2'), 'side', limits).admitted).toBe(true)
    const five = shelved(place('a'), place('b'), place('c'), place('d', 'p2'), place('e', 'p2'))
    expect(admit(five, beside('p3'), 'side', limits).admitted).toBe(false)
  })

  it('O11 tells sources of two workspaces apart', () => {
    const three = shelved(place('a'), place('b'), place('c'))
    expect(admit(three, { workspaceId: 'v', sourceSessionId: 'p1' }, 'side', limits).admitted).toBe(true)
  })

  it('D8 counts btw questions that answer or are about to, and no others', () => {
    const two = shelved(place('a', 'p1', 'btw'), place('b', 'p1', 'btw'))
    expect(admit(two, beside('p1'), 'btw', limits).admitted).toBe(false)
    expect(admit(two, beside('p1'), 'side', limits).admitted).toBe(true)
    const one = arrange(two, { type: 'answering', identity: identity('a', parent('p1')), answering: false })
    expect(admit(one, beside('p1'), 'btw', limits).admitted).toBe(true)
    const busy = shelved(place('a'), place('b'))
    expect(
      admit(
        arrange(busy, { type: 'answering', identity: identity('a', parent('p1')), answering: true }),
        beside('p1'),
        'btw',
        { ...limits, parallelBtw: 1 },
      ).admitted,
    ).toBe(true)
  })

  it('D6 does not count hidden sides as open, but ends those that would end first to make place', () => {
    const shelf = shelved(place('a'), place('b'), place('c'), hide('a', 200), hide('b', 100))
    expect(admit(shelf, beside('p1'), 'side', limits)).toEqual({ admitted: true, evict: [identity('b', parent('p1'))] })
    const full = shelved(
      place('a'),
      place('b'),
      place('c', 'p2'),
      place('d', 'p2'),
      place('e', 'p3'),
      hide('d', 50, 'p2'),
    )
    expect(admit(full, beside('p1'), 'side', limits)).toEqual({ admitted: true, evict: [identity('d', parent('p2'))] })
  })
})

describe('what is on it', () => {
  it('keeps the order of opening over hiding and coming back', () => {
    const shelf = shelved(place('a'), place('b'), hide('a', 10), {
      type: 'reopen',
      identity: identity('a', parent('p1')),
    })
    expect(shelf.entries.map((one) => [one.identity.sideSessionId, one.hiddenUntil])).toEqual([
      ['a', null],
      ['b', null],
    ])
  })

  it('changes nothing for a side that is not on it, or not that one', () => {
    const shelf = shelved(place('a'))
    const other = identity('a', parent('p1'), 'other')
    for (const move of [
      { type: 'answering', identity: other, answering: true },
      { type: 'hide', identity: other, until: 1 },
      { type: 'reopen', identity: other },
      { type: 'remove', identity: other, endedAt: 1 },
      { type: 'answering', identity: identity('a', parent('p1')), answering: false },
    ] satisfies ShelfMove[]) {
      expect(arrange(shelf, move)).toBe(shelf)
    }
  })

  it('remembers what ended, newest first, twenty per source', () => {
    let shelf = EMPTY_SHELF
    for (let index = 0; index < 25; index += 1) {
      shelf = arrange(arrange(shelf, place(`s${index}`)), {
        type: 'remove',
        identity: identity(`s${index}`, parent('p1')),
        endedAt: index,
      })
    }
    shelf = arrange(arrange(shelf, place('other', 'p2')), {
      type: 'remove',
      identity: identity('other', parent('p2')),
      endedAt: 99,
      reason: 'client_lost',
    })
    expect(shelf.entries).toEqual([])
    expect(shelf.recent).toHaveLength(21)
    expect(shelf.recent[0]).toEqual({
      identity: identity('other', parent('p2')),
      kind: 'side',
      endedAt: 99,
      reason: 'client_lost',
    })
    expect(shelf.recent.slice(1).map((one) => one.endedAt)).toEqual(
      Array.from({ length: 20 }, (_, index) => 24 - index),
    )
  })

  it('O7 remembers nothing of a side that never began', () => {
    expect(shelved(place('a'), { type: 'remove', identity: identity('a', parent('p1')) })).toEqual(EMPTY_SHELF)
  })
})
