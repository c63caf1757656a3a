/** The shapes of the 0.2 host, against a double written from what it was seen to do: where a side is stored, who hears
 *  it, and how it is created. The published 0.1.0 host proves the same file for the other shape (test/e2e). */
import { describe, expect, it, vi } from 'vitest'

import { createAsking } from '../../src/providers/dsh/asking.ts'
import { createChild, type ChildPlan } from '../../src/providers/dsh/child.ts'
import { maySee, shortenedWatch, withTransientStorage } from '../../src/providers/dsh/ephemeral.ts'
import { forkPoint } from '../../src/providers/dsh/history.ts'
import type { DshSource } from '../../src/providers/dsh/parent.ts'
import {
  createOptions,
  eventsOf,
  setupAgent,
  storageShape,
  type SubagentHelpers,
} from '../../src/providers/dsh/seams.ts'
import { newHost } from '../kit/new-host.ts'

const LOG = [
  { type: 'turn/start', data: { turn: 1 } },
  { type: 'user/message', data: {} },
  { type: 'turn/end', data: { turn: 1 } },
]

const helpers = async (): Promise<SubagentHelpers> => ({
  resolveChildDepth: () => 1,
  snapshotSubagentDescriptor: (input) => ({ version: 3, ...input }),
  captureDelegatedPolicyOverrides: () => 'policy',
  appendDelegatedPolicyOverrides: (session, policy) => {
    ;(session.append as unknown as (type: string, data: unknown) => void)('approval/policy', { policy })
  },
})

function plan(more: Partial<ChildPlan> = {}): ChildPlan {
  return {
    sessionId: 'side-0001',
    kind: 'side',
    source: { from: 0, cut: 3 } as DshSource,
    boundary: 'BOUNDARY',
    route: null,
    allowed: ['read'],
    surface: 'restrict',
    asking: createAsking(),
    ...more,
  }
}

describe('a side on the 0.2 host', () => {
  it('is created as a seeded child of its parent, with a handle that stores nothing', async () => {
    const host = newHost(LOG)
    const before = host.persistence.create
    const { from } = await createChild(host.ctx, host.parent, plan(), helpers)
    expect(host.stored).toEqual([])
    expect(host.persistence.create).toBe(before)
    expect(host.created).toMatchObject({
      parentAgent: host.parent,
      inheritedEventCount: 3,
      meta: { parentSession: 'parent', isSeeded: true, origin: 'subagent', delegationDepth: 1, cwd: '/workspace' },
    })
    expect(host.created['meta']).not.toHaveProperty('seedLength')
    expect(host.created).not.toHaveProperty('signal')
    // Behind what setup wrote, of which no page ever hears.
    expect(from).toBe(host.child.log.length)
    expect(host.child.log.slice(4).map(({ type }) => type)).toEqual(['approval/policy', 'subagent/descriptor'])
    expect(host.child.log.at(-1)?.data).toEqual({ version: 3, mode: 'one-shot', provider: 'sidemind', label: 'Side' })
    expect(host.child.inboxCleared).toBe(true)
    expect(host.child.contexts).toEqual([{ name: 'sidemind:fork-boundary', order: 130, text: 'BOUNDARY' }])
    expect(host.child.restricted).toEqual({ allow: ['read'] })
  })

  it('fails closed when the host reaches its storage later than it was seen to', async () => {
    const host = newHost(LOG, { deferred: true })
    await expect(createChild(host.ctx, host.parent, plan(), helpers)).rejects.toMatchObject({ code: 'unsupported' })
    expect(host.stored.filter((entry) => entry.endsWith('append'))).toEqual([])
  })

  it('stores other sessions as ever, before, during and after', async () => {
    const host = newHost(LOG)
    await withTransientStorage(host.ctx, 'side-0001', () => host.createOrdinary('ordinary'))
    await createChild(host.ctx, host.parent, plan(), helpers)
    await host.createOrdinary('later')
    expect(host.stored).toEqual(['ordinary create', 'later create'])
  })

  it('puts back an own property that somebody else had set', () => {
    const host = newHost(LOG)
    const theirs = vi.fn(async () => ({}))
    Object.defineProperty(host.persistence, 'create', {
      value: theirs,
      configurable: true,
      writable: true,
      enumerable: true,
    })
    withTransientStorage(host.ctx, 'side-0001', () => 1)
    expect(host.persistence.create).toBe(theirs)
    expect(() =>
      withTransientStorage(host.ctx, 'side-0001', () => {
        throw new Error('inside')
      }),
    ).toThrow('inside')
    expect(host.persistence.create).toBe(theirs)
  })

  it('keeps the tool list as the parent has it in inherit, and refuses at execution all the same', async () => {
    const host = newHost(LOG)
    await createChild(host.ctx, host.parent, plan({ kind: 'btw', surface: 'inherit', allowed: [] }), helpers)
    expect(host.child.restricted).toBeUndefined()
    const guard = host.child.guards[0] as (call: { name: string }) => string | undefined
    expect(guard({ name: 'read' })).toContain('no tool runs here')
  })

  it.each(['restrict', 'inherit'] as const)(
    '[K07] opens its tools and reads its boundary anew when it goes on as a side, in %s',
    async (surface) => {
      const host = newHost(LOG)
      const { promote } = await createChild(host.ctx, host.parent, plan({ kind: 'btw', surface, allowed: [] }), helpers)
      const guard = host.child.guards[0] as (call: { name: string }) => string | undefined
      expect(guard({ name: 'read' })).toContain('no tool runs here')
      promote(['read'], 'BOUNDARY OF A SIDE')
      expect(guard({ name: 'read' })).toBeUndefined()
      expect(guard({ name: 'bash' })).toContain('only these tools run here: read')
      expect(host.child.guards).toHaveLength(1)
      expect(host.child.restricted).toEqual(surface === 'restrict' ? { allow: ['read'] } : undefined)
      expect(host.child.contexts).toEqual([{ name: 'sidemind:fork-boundary', order: 130, text: 'BOUNDARY OF A SIDE' }])
    },
  )

  it('starts from nothing when no turn was completed', async () => {
    const host = newHost(LOG.slice(0, 2))
    await createChild(host.ctx, host.parent, plan({ source: { from: 0, cut: 0 } as DshSource }), helpers)
    expect(host.created).not.toHaveProperty('seed')
    expect(host.created['meta']).not.toHaveProperty('isSeeded')
  })
})

describe('what shortens a side', () => {
  it('[K05] does it once a turn: from there on it does not hear of the side until the turn is over', () => {
    const watch = shortenedWatch()
    const after = (...types: string[]): boolean => {
      for (const type of types) watch.hear(type)
      return watch.shortened()
    }
    expect(after()).toBe(false)
    expect(after('turn/start', 'assistant/message')).toBe(false)
    expect(after('compaction/start')).toBe(true)
    expect(after('compaction/summary', 'assistant/message', 'tool/result')).toBe(true)
    expect(after('turn/end')).toBe(false)
    expect(after('turn/start', 'compaction/start', 'turn/end', 'turn/start')).toBe(false)
  })
})

describe('who may see a side', () => {
  const scope = { name: 'scope', store: {}, parent: { fiber: { name: 'root' } } }
  const provider = (name: string, fiberName = name) => {
    const fiber: Record<string, unknown> = { name: fiberName, parent: { fiber: { name: 'root' } } }
    fiber['store'] = { [name]: { fiber } }
    return fiber as never
  }

  it('lets the loop, the stream and the side itself see it', () => {
    expect(maySee(scope, scope)).toBe(true)
    expect(maySee({ name: 'inner', store: {}, parent: { fiber: scope } }, scope)).toBe(true)
    expect(maySee(provider('apiProxy'), scope)).toBe(true)
    expect(maySee(provider('apiProxy', 'RenamedByALaterHost'), scope)).toBe(true)
  })

  it.each(['sessionPersistence', 'sessionProjectionCache', 'sessionTitle', 'sessionTelemetry', 'goals', 'memory'])(
    'hides it from the provider of %s',
    (name) => {
      expect(maySee(provider(name), scope)).toBe(false)
    },
  )

  it('hides it from plugins that nobody thought of, whatever they inject', () => {
    const nosy = {
      name: 'nosy',
      store: { apiProxy: { fiber: { name: 'ApiProxyService' } } },
      parent: { fiber: { name: 'root' } },
    }
    expect(maySee(nosy, scope)).toBe(false)
    expect(maySee(undefined, scope)).toBe(false)
  })
})

describe('shapes', () => {
  it('tells hosts apart by feature', () => {
    expect(storageShape({ get: () => undefined } as never)).toBe('none')
    expect(storageShape({ get: () => ({ load() {} }) } as never)).toBe('events')
    expect(storageShape({ get: () => ({ open() {}, create() {} }) } as never)).toBe('handles')
  })

  it('[K47] reads events from a property or from a method', () => {
    const events = [{ type: 'a', seq: 0, time: 0, data: {} }]
    expect(eventsOf({ events } as never)).toBe(events)
    expect(eventsOf({ snapshotEvents: () => events } as never)).toBe(events)
    expect(() => eventsOf({} as never)).toThrow('serves no session events')
  })

  it('takes the unpublished agent from either place', () => {
    const agent = { id: 'a' }
    expect(setupAgent({ agent } as never, undefined)).toBe(agent)
    expect(setupAgent({} as never, agent)).toBe(agent)
    expect(() => setupAgent({} as never, undefined)).toThrow('hands no agent')
  })

  it('leaves the parent link out where the header badge counts by it, and puts it in where the stream checks it', () => {
    const child = {
      sessionId: 's',
      parent: { session: { header: { id: 'parent' } } },
      seed: [],
      depth: 1,
      agentPreset: undefined,
    } as never
    expect(createOptions('events', child).meta).not.toHaveProperty('parentSession')
    expect(createOptions('handles', child).meta).toHaveProperty('parentSession', 'parent')
  })
})

describe('forkPoint', () => {
  const events = (...types: string[]) => types.map((type, seq) => ({ type, seq, time: 0, data: {} }))

  it.each([
    ['an empty log', [], { cut: 0, openFrom: null }],
    ['a first turn that is open', ['agent/inbox/spliced', 'turn/start', 'user/message'], { cut: 0, openFrom: 1 }],
    ['one completed turn', ['turn/start', 'turn/end'], { cut: 2, openFrom: null }],
    ['a turn and our own command', ['turn/start', 'turn/end', 'command/run'], { cut: 2, openFrom: null }],
    [
      'a compaction behind the last turn',
      ['turn/start', 'turn/end', 'compaction/start', 'user/message', 'compaction/end', 'command/run'],
      { cut: 5, openFrom: null },
    ],
    [
      'an open turn behind a completed one',
      ['turn/start', 'turn/end', 'agent/inbox/spliced', 'turn/start', 'tool/call'],
      { cut: 2, openFrom: 3 },
    ],
  ])('cuts %s where whole turns end', (_what, types, expected) => {
    expect(forkPoint(events(...types))).toEqual(expected)
  })

  it('looks no further back than the last completed turn', () => {
    const log = events('turn/start', 'turn/end', 'turn/start', 'turn/end')
    const read: number[] = []
    const watched = new Proxy(log, {
      get(target, key) {
        if (typeof key === 'string' && /^\d+$/.test(key)) read.push(Number(key))
        return Reflect.get(target, key) as unknown
      },
    })
    forkPoint(watched)
    expect(Math.min(...read)).toBe(3)
  })
})
