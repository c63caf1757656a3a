import { describe, expect, it } from 'vitest'
import type { SideEvent } from '../../src/core/contract.ts'
import { createGate } from '../../src/core/gate.ts'
import { delta } from '../providers/fake.ts'

const word = (text: string): SideEvent => delta('t1', 'text', text)

function watched(limit = 2) {
  const published: string[] = []
  let overflows = 0
  const gate = createGate(
    limit,
    (event) => published.push(event.eventType === 'message_delta' ? event.data.content.text : event.eventType),
    () => (overflows += 1),
  )
  return { gate, published, overflows: () => overflows }
}

describe('the gate', () => {
  it('O5 keeps until it opens, and tells once that it overflowed', () => {
    const { gate, published, overflows } = watched()
    for (const text of ['a', 'b', 'c', 'd', 'e', 'f', 'g']) gate.push(word(text))
    expect(overflows()).toBe(1)
    gate.open(word('start'))
    expect(published).toEqual([])
  })

  it('O6 opens once, first things first', () => {
    const { gate, published } = watched()
    gate.push(word('a'))
    gate.open(word('start'))
    gate.open(word('again'))
    gate.push(word('b'))
    expect(published).toEqual(['start', 'a', 'b'])
  })

  it('O7 lets nothing through once it is shut, whether it was open or not', () => {
    const kept = watched()
    kept.gate.push(word('a'))
    kept.gate.shut()
    kept.gate.open(word('start'))
    kept.gate.push(word('b'))
    expect(kept.published).toEqual([])
    const open = watched()
    open.gate.open(word('start'))
    open.gate.shut()
    open.gate.push(word('a'))
    expect(open.published).toEqual(['start'])
  })

  it('O7 stops in the middle of what was kept when a listener shuts it', () => {
    const published: string[] = []
    const gate = createGate(
      9,
      (event) => {
        published.push(event.eventType === 'message_delta' ? event.data.content.text : '')
        if (published.length === 2) gate.shut()
      },
      () => undefined,
    )
    for (const text of ['a', 'b', 'c']) gate.push(word(text))
    gate.open(word('start'))
    gate.push(word('d'))
    expect(published).toEqual(['start', 'a'])
  })
})
