import { describe, expect, it } from 'vitest'
import { manualClock } from '../core/clock.ts'
import { sideProviderContract, type ProviderRig } from './contract.ts'
import { createFakeProvider, SCRIPTED, SCRIPTED_THOUGHT } from './fake.ts'

async function startFakeRig(): Promise<ProviderRig> {
  const clock = manualClock()
  const provider = createFakeProvider(clock)
  const before = JSON.stringify(provider.parent)
  return {
    provider,
    clock,
    pause: () => clock.advance(20),
    source: async () => provider.source(),
    sourceOfChild: async (sessionId) => provider.source({ sessionId }),
    script: provider.script,
    expected: (name) => ({
      text: SCRIPTED[name].join(''),
      ...(name === 'reasoning' ? { reasoning: SCRIPTED_THOUGHT.join('') } : {}),
      ...(name === 'tool' ? { tool: { name: 'read', target: 'package.json' } } : {}),
    }),
    requests: async () => provider.requests,
    childAlive: async (id) => provider.children().includes(id),
    children: async () => provider.children(),
    sourceUntouched: async () => JSON.stringify(provider.parent) === before,
    lose: async (id) => provider.lose(provider.sideOf(id)),
    dispose: async () => undefined,
  }
}

sideProviderContract('fake', startFakeRig)

describe('the fake itself', () => {
  it('leaves no timer behind', async () => {
    const clock = manualClock()
    const provider = createFakeProvider(clock)
    const identity = { workspaceId: 'w', sourceSessionId: 'parent-1', sideSessionId: 's1', requestId: 'r' }
    const request = {
      source: provider.source(),
      side: identity,
      kind: 'side',
      boundary: '',
      signal: new AbortController().signal,
    } as const
    const { providerSessionId } = await provider.open(request, { event: () => undefined, lost: () => undefined })
    provider.script('slow')
    const side = { identity, kind: 'side', providerSessionId } as const
    await provider.exec(side, { turnId: 't1', clientSubmitId: 'c', content: [{ type: 'text', text: 'why?' }] })
    expect(clock.pending()).toBeGreaterThan(1)
    await provider.close(side)
    expect(clock.pending()).toBe(0)
  })
})
