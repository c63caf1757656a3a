/** The host's list of models, in the words of both kinds of hosts; whatever is not of that shape is left out. */

import { describe, expect, it } from 'vitest'
import { modelsOf } from '../../ui/dsh/models.ts'
import type { ClientContext } from '../../ui/dsh/seams.ts'

const GROUPS = [
  {
    id: 'p',
    name: 'Provider',
    models: [
      {
        id: 'a',
        name: 'A',
        reasoning: { efforts: [{ id: 'low', name: 'Low' }, { name: 'no id' }], defaultEffort: 'low' },
      },
      { id: 'b' },
      { name: 'no id' },
      null,
    ],
  },
  { id: 'empty', name: 'Empty', models: [] },
  'nonsense',
]
const PROVIDERS = [
  {
    provider: 'p',
    name: 'Provider',
    models: [
      { model: 'a', name: 'A', efforts: [{ id: 'low', name: 'Low' }], defaultEffort: 'low' },
      { model: 'b', name: 'b', efforts: [] },
    ],
  },
]

function hostWith(services: Readonly<Record<string, unknown>>): ClientContext {
  return {
    get(name: string) {
      if (!(name in services)) throw new Error(`no service ${name}`)
      return services[name]
    },
  } as unknown as ClientContext
}

describe('modelsOf', () => {
  it('reads a host whose page API tells what main asks next, and asks nothing but that', async () => {
    const asked: unknown[] = []
    const value = { current: { provider: 'p', model: 'a', reasoningEffort: 'low' }, groups: GROUPS, failures: [] }
    const sessions = {
      models: async (payload: unknown) => {
        asked.push(payload)
        return { result: { ok: true, value } }
      },
      selectModel: () => expect.unreachable('the choice of main'),
    }
    expect(await modelsOf(hostWith({ connection: { api: { sessions } } }))('main-1')).toEqual({
      main: { provider: 'p', model: 'a', effort: 'low' },
      providers: PROVIDERS,
    })
    expect(asked).toEqual([{ sessionId: 'main-1' }])
  })

  it('reads a host with a session remote, which does not tell what main asks next', async () => {
    const session = { modelCatalog: async () => ({ ok: true, value: { default: {}, groups: GROUPS, failures: [] } }) }
    expect(await modelsOf(hostWith({ remote: { session } }))('main-1')).toEqual({ main: null, providers: PROVIDERS })
  })

  it('offers nothing where the host tells nothing, and fails where it refuses', async () => {
    expect(await modelsOf(hostWith({}))('main-1')).toEqual({ main: null, providers: [] })
    const session = { modelCatalog: async () => ({ ok: false, error: { code: 'internal' } }) }
    await expect(modelsOf(hostWith({ remote: { session } }))('main-1')).rejects.toThrow()
  })
})
