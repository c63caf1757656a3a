/** The example of docs/embedding.md runs. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { askAside } from '../../examples/embed.ts'
import { waitUntil } from '../kit/codex.ts'
import { startService, TOKEN, type ServiceRig } from '../kit/service.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXAMPLE = join(ROOT, 'examples/embed.ts')

describe('the example', () => {
  let rig: ServiceRig
  beforeEach(async () => {
    rig = await startService()
  })
  afterEach(() => rig.close())

  const ask = (signal: AbortSignal, shown: string[] = [], threadId = 'parent-1') =>
    askAside({
      url: rig.url,
      token: TOKEN,
      thread: { threadId, workspaceId: 'w' },
      question: 'why?',
      show: (transcript) => shown.push(transcript.turns[0]?.phase ?? 'none'),
      signal,
    })

  it('asks, shows what comes, and leaves no side', async () => {
    const shown: string[] = []
    const turn = await ask(new AbortController().signal, shown)
    expect(turn).toMatchObject({ question: 'why?', outcome: 'completed' })
    expect(turn.items).toContainEqual(expect.objectContaining({ text: 'It refuses to update\n\n\tthe lockfile. ' }))
    expect(shown.at(-1)).toBe('settled')
    expect(rig.provider.children()).toEqual([])
  })

  it('ends the side when it is given up', async () => {
    rig.provider.script('stall')
    const giveUp = new AbortController()
    const asked = ask(giveUp.signal).catch((error: unknown) => error)
    await waitUntil('it is asked', () => rig.provider.requests.length === 1)
    giveUp.abort()
    expect(await asked).toMatchObject({ name: expect.stringMatching(/AbortError|SideError/) })
    expect(rig.provider.children()).toEqual([])
  })

  it('rejects with a code of the service', async () => {
    await expect(ask(new AbortController().signal, [], 'unknown')).rejects.toMatchObject({ code: 'not_found' })
  })

  it('stands word for word in docs/embedding.md', async () => {
    const guide = await readFile(join(ROOT, 'docs/embedding.md'), 'utf8')
    const [, block] = /```ts\n(.*?)```/s.exec(guide) ?? []
    expect(block).toBe(await readFile(EXAMPLE, 'utf8'))
  })
})
