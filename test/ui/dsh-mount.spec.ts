/** The client half on hosts that lack things: it mounts, claims its lines, and says in one sentence what is missing. */
import { afterEach, describe, expect, it, vi } from 'vitest'

import { mount } from '../../ui/dsh/mount.ts'
import {
  commandTransport,
  followOf,
  registerLineSource,
  type ClientContext,
  type LineSource,
} from '../../ui/dsh/seams.ts'

interface Roster {
  name: string
  onPick?: (pick: { candidate: { name: string }; session: { sessionId: string } }) => unknown
}

/** A host's client context with these services, and what was left to undo. */
function host(services: Record<string, unknown>): {
  ctx: ClientContext
  undo: (() => void)[]
  fire(event: string, ...args: unknown[]): void
} {
  const undo: (() => void)[] = []
  const listeners = new Map<string, (...args: never[]) => void>()
  const ctx: ClientContext = {
    get(name) {
      if (!(name in services)) throw new Error(`cannot get property "${name}" without provide`)
      return services[name]
    },
    inject(names, callback) {
      if (names.every((name) => name in services)) callback(ctx)
    },
    effect(setup) {
      const end = setup()
      undo.push(end)
      return end
    },
    on(event, listener) {
      listeners.set(event, listener)
      return () => listeners.delete(event)
    },
  }
  return { ctx, undo, fire: (event, ...args) => listeners.get(event)?.(...(args as never[])) }
}

function triggers(): { live: { sources: (Roster | LineSource)[] }; registerSource(source: LineSource): () => void } {
  const sources: (Roster | LineSource)[] = [{ name: 'command', onPick: () => 'the host' }, { name: 'skill' }]
  return {
    live: { sources },
    registerSource(source) {
      sources.push(source)
      return () => sources.splice(sources.indexOf(source), 1)
    },
  }
}

function ours(roster: ReturnType<typeof triggers>): LineSource {
  return roster.live.sources.find(({ name }) => name === 'sidemind') as LineSource
}

const ended: (() => void)[] = []
afterEach(() => {
  for (const end of ended.splice(0).toReversed()) end()
})

describe('mount', () => {
  it('loads on a host that offers nothing at all', () => {
    const { ctx, undo } = host({})
    ended.push(...undo)
    expect(() => mount(ctx)).not.toThrow()
  })

  it.each([
    ['no command transport', {}],
    [
      'commands but no stream',
      { remote: { commands: { execute: vi.fn(async () => ({ ok: true, value: undefined })) } } },
    ],
  ])('answers a typed line with one sentence on a host with %s, and sends nothing', async (_what, services) => {
    const inputTriggers = triggers()
    const { ctx, undo } = host({ inputTriggers, ...services })
    mount(ctx)
    ended.push(...undo)
    for (const line of ['/btw why?', '/side why?']) {
      const answer = await ours(inputTriggers).matchEnter({ sessionId: 'main' }, line, new AbortController().signal, {})
      expect(await answer?.claim.submit('why?')).toEqual({
        kind: 'error',
        text: 'This conversation cannot have a side here. Ask in main instead.',
      })
    }
    const execute = (services as { remote?: { commands: { execute: ReturnType<typeof vi.fn> } } }).remote?.commands
      .execute
    if (execute !== undefined) expect(execute).not.toHaveBeenCalled()
  })

  it('claims only its own names', async () => {
    const inputTriggers = triggers()
    const { ctx, undo } = host({ inputTriggers })
    mount(ctx)
    ended.push(...undo)
    const match = async (line: string) =>
      (await ours(inputTriggers).matchEnter({ sessionId: 'main' }, line, new AbortController().signal, {})) !==
      undefined
    expect(await Promise.all(['/btw', '/side', '/btw x', '/side\nx'].map(match))).toEqual([true, true, true, true])
    expect(await Promise.all(['/btws x', '/sidebar', 'x /btw', '/BTW x', ' /btw x'].map(match))).toEqual([
      false,
      false,
      false,
      false,
      false,
    ])
  })

  it('refuses images before anything is cleared [K28]', async () => {
    const inputTriggers = triggers()
    const { ctx, undo } = host({ inputTriggers })
    mount(ctx)
    ended.push(...undo)
    const enter = (envelope: object) =>
      ours(inputTriggers).matchEnter({ sessionId: 'main' }, '/btw x', new AbortController().signal, envelope)
    await expect(enter({ images: 1 })).rejects.toThrow('Images cannot go along here.')
    await expect(enter({ attachments: 2 })).rejects.toThrow('Images cannot go along here.')
  })
})

describe('registerLineSource', () => {
  const source = {
    trigger: '/',
    name: 'sidemind',
    order: -10,
    onPick: ({ candidate }: { candidate: { name: string } }) => (candidate.name === 'btw' ? 'ours' : undefined),
  } as unknown as LineSource

  it('gets ahead of the host’s commands, answers their entries of our names, and puts everything back', () => {
    const roster = triggers()
    const undo = registerLineSource(roster, source)
    expect(roster.live.sources.map(({ name }) => name)).toEqual(['sidemind', 'command', 'skill'])
    const command = roster.live.sources[1] as Required<Roster>
    expect(command.onPick({ candidate: { name: 'btw' }, session: { sessionId: 's' } })).toBe('ours')
    expect(command.onPick({ candidate: { name: 'compact' }, session: { sessionId: 's' } })).toBe('the host')
    undo()
    expect(roster.live.sources.map(({ name }) => name)).toEqual(['command', 'skill'])
    expect(
      (roster.live.sources[0] as Required<Roster>).onPick({ candidate: { name: 'btw' }, session: { sessionId: 's' } }),
    ).toBe('the host')
  })

  it('is content with the public order where the roster is kept in another way', () => {
    const registered: unknown[] = []
    const undo = registerLineSource(
      { registerSource: (one: unknown) => (registered.push(one), () => registered.pop()) },
      source,
    )
    expect(registered).toEqual([source])
    undo()
    expect(registered).toEqual([])
    expect(registerLineSource(undefined, source)).toBeTypeOf('function')
  })
})

describe('seams', () => {
  it('finds the transport under either name, and nothing where there is none', () => {
    const execute = async () => ({ ok: true })
    expect(commandTransport(host({ remote: { commands: { execute } } }).ctx)).not.toBeNull()
    expect(commandTransport(host({ 'remote.commands': { execute } }).ctx)).not.toBeNull()
    expect(commandTransport(host({ remote: {} }).ctx)).toBeNull()
    expect(commandTransport(host({}).ctx)).toBeNull()
  })

  it('takes the host’s own follow stream where it has one', () => {
    expect(followOf(host({ remote: { session: { follow: () => 'stream' } } }).ctx)?.({} as never)).toBe('stream')
    expect(followOf(host({}).ctx)).toBeNull()
    expect(followOf(host({ connection: {} }).ctx)).toBeNull()
  })
})
