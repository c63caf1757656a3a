/** The size of a question, as the host half holds it, in bytes and not in characters (D10). */
import { expect, it } from 'vitest'

import { registerCommands, type CommandHost } from '../../src/commands/register.ts'
import { createSecrets } from '../../src/commands/secrets.ts'
import { DEFAULT_LIMITS } from '../../src/core/limits.ts'
import { encodeControl } from '../../src/wire/index.ts'
import { coreRig } from '../core/rig.ts'

const LARGEST = ['x'.repeat(100_000), `${'字'.repeat(33_333)}x`]
const SENTENCE = 'Type a question of at most 100 kB after the command. (invalid_request)'

it.each(LARGEST)('takes a question of 100 kB and refuses one byte more, typed, opened and sent', async (largest) => {
  const core = coreRig()
  const handlers = new Map<string, Parameters<CommandHost<string>['register']>[0]['handler']>()
  let ids = 0
  registerCommands<string, ReturnType<typeof core.provider.source>>(
    {
      register({ name, handler }) {
        handlers.set(name, handler)
        return () => {}
      },
    },
    {
      controller: core.controller,
      secrets: createSecrets(),
      limits: () => DEFAULT_LIMITS,
      clock: core.clock,
      capture: async () => core.provider.source(),
      facts: () => undefined,
      newId: () => `plain-${String((ids += 1)).padStart(4, '0')}`,
    },
  )
  const run = (rawInput: string) =>
    handlers.get('side')?.({ agent: 'parent-1', rawInput, signal: new AbortController().signal })
  const base = { side: 'side-0001', secret: 'S'.repeat(43) }
  const open = (text: string) =>
    encodeControl({
      op: 'open',
      ...base,
      request: 'request-1',
      turn: 'turn-0001',
      page: 'page-0001',
      kind: 'side',
      text,
    })
  const send = (text: string) => encodeControl({ op: 'send', ...base, turn: 'turn-0002', text })

  for (const write of [(text: string) => ` ${text}`, open, send]) {
    expect(await run(write(`${largest}x`))).toEqual({ kind: 'error', text: SENTENCE })
    expect((await run(write(largest)))?.kind).toBe('success')
    await core.clock.advance(1_000)
  }
  expect(core.provider.requests.map((request) => request.endsWith(largest))).toEqual([true, true, true])
})
