/** Which page a side lives for: held, lost, renewed, told (D7). */
import { describe, expect, it } from 'vitest'

import { createPages } from '../../src/commands/pages.ts'
import type { SideIdentity } from '../../src/core/contract.ts'

function rig() {
  const timers = new Set<() => void>()
  const kept = new Map<string, number>()
  const count = (id: string, by: number): void => void kept.set(id, (kept.get(id) ?? 0) + by)
  const pages = createPages({
    clock: {
      now: () => 0,
      after(_ms, task) {
        timers.add(task)
        return () => timers.delete(task)
      },
    },
    keep: ({ sideSessionId }) => {
      count(sideSessionId, 1)
      return () => count(sideSessionId, -1)
    },
    renewMs: 600_000,
  })
  return { pages, kept, timers, fire: () => [...timers].forEach((task) => task()) }
}

function side(id: string): SideIdentity {
  return { workspaceId: 'w', sourceSessionId: 'p', sideSessionId: id, requestId: 'r' }
}

describe('createPages', () => {
  it('keeps the sides of a page while it holds, those opened later too, and lets go when it is gone', async () => {
    const { pages, kept, timers } = rig()
    const gone = new AbortController()
    pages.bind(side('one'), 'page')
    const held = pages.hold('page', gone.signal)
    pages.bind(side('two'), 'page')
    expect([...kept]).toEqual([
      ['one', 1],
      ['two', 1],
    ])
    gone.abort()
    await held
    expect([...kept]).toEqual([
      ['one', 0],
      ['two', 0],
    ])
    expect(timers.size).toBe(0)
  })

  it('tells a page which of its sides ended, at once or at its next hold', async () => {
    const { pages, kept } = rig()
    const { signal } = new AbortController()
    pages.bind(side('one'), 'page')
    pages.bind(side('two'), 'page')
    const held = pages.hold('page', signal)
    pages.ended('one', 'parked_too_long')
    expect(await held).toEqual({ gone: [{ side: 'one', reason: 'parked_too_long' }] })
    pages.ended('two', 'provider_lost')
    expect(await pages.hold('page', signal)).toEqual({ gone: [{ side: 'two', reason: 'provider_lost' }] })
    expect([...kept.values()]).toEqual([0, 0])
  })

  it('moves a side to the page that restored it, so that the old one cannot end it', async () => {
    const { pages, kept } = rig()
    const old = new AbortController()
    pages.bind(side('one'), 'before')
    const held = pages.hold('before', old.signal)
    pages.bind(side('one'), 'after')
    void pages.hold('after', new AbortController().signal)
    old.abort()
    await held
    expect(kept.get('one')).toBe(1)
  })

  it('answers a hold for renewal, so that a host that never aborts is noticed', async () => {
    const { pages, fire } = rig()
    pages.bind(side('one'), 'page')
    const held = pages.hold('page', new AbortController().signal)
    fire()
    expect(await held).toEqual({ gone: [] })
  })

  it('tells the hold that came last, not one of a connection that is gone unnoticed', async () => {
    const { pages, kept } = rig()
    pages.bind(side('one'), 'page')
    const lost = pages.hold('page', new AbortController().signal)
    const live = pages.hold('page', new AbortController().signal)
    expect(await lost).toEqual({ gone: [] })
    expect(kept.get('one')).toBe(1)
    pages.ended('one', 'provider_lost')
    expect(await live).toEqual({ gone: [{ side: 'one', reason: 'provider_lost' }] })
  })

  it('keeps what a page has to hear until somebody is there to hear it', async () => {
    const { pages } = rig()
    pages.bind(side('one'), 'page')
    pages.ended('one', 'provider_lost')
    expect(await pages.hold('page', AbortSignal.abort())).toEqual({ gone: [] })
    expect(await pages.hold('page', new AbortController().signal)).toEqual({
      gone: [{ side: 'one', reason: 'provider_lost' }],
    })
  })

  it('says nothing about a side that the page closed itself', async () => {
    const { pages, kept, fire } = rig()
    pages.bind(side('one'), 'page')
    const held = pages.hold('page', new AbortController().signal)
    pages.forget('one')
    expect(kept.get('one')).toBe(0)
    fire()
    expect(await held).toEqual({ gone: [] })
  })

  it('ignores a hold whose client was gone before it arrived', async () => {
    const { pages, kept } = rig()
    pages.bind(side('one'), 'page')
    expect(await pages.hold('page', AbortSignal.abort())).toEqual({ gone: [] })
    expect(kept.get('one') ?? 0).toBe(0)
  })
})
