/** Roles, names and structure of every state, checked by axe (contrast needs a browser). */

import { act, screen } from '@testing-library/react'
import axe from 'axe-core'
import { describe, expect, it } from 'vitest'
import { SideDrawer } from '../../ui/side/SideDrawer.tsx'
import { say } from '../kit/fake-transport.ts'
import { mount, mountBtw, mountSide } from './mount.tsx'
import { createRig, MAIN } from './rig.ts'

async function problems(): Promise<string[]> {
  const root = document.querySelector('[data-sidemind]') as HTMLElement
  const { violations } = await axe.run(root, {
    rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
  })
  return violations.flatMap((one) => one.nodes.map((node) => `${one.id}: ${node.html}`))
}

const RICH =
  'A [link](https://a.test), `code`.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- [ ] todo\n\n```ts\nx\n```\n\n![i](https://a.test/i.png)'

describe('axe finds nothing', () => {
  it('in the overlay: opening, streaming, answered, several, closed', async () => {
    const page = mountBtw()
    page.transport.script.open = 'hold'
    act(() => void page.runtime.ask(MAIN, 'btw', 'slow'))
    expect(await problems()).toEqual([])
    page.transport.script.open = 'accept'
    const side = await page.ask('why')
    await page.stream(side, RICH)
    expect(await problems()).toEqual([])
    await page.answer(side, '')
    expect(await problems()).toEqual([])
    act(() => page.runtime.close(side))
    expect(await problems()).toEqual([])
  })

  it('in a side: empty, thinking with tools and a queue, failed, ended', async () => {
    const page = mountSide({ main: { state: 'running', what: 'npm test', since: 0 } })
    expect(await problems()).toEqual([])
    await page.user.keyboard('one{Enter}')
    await page.tick()
    const { turnId } = page.transport.at(0)
    page.transport.emit(
      page.sideId,
      say.running(turnId),
      say.thought(turnId, 'hm'),
      say.tool(turnId, 'read', 'a.ts', 'ok', 'text'),
    )
    await page.tick()
    await page.user.keyboard('two{Enter}')
    expect(await problems()).toEqual([])
    const options = [{ label: 'npm' }, { label: 'pnpm', description: 'The one of this project.' }]
    const questions = [
      { id: 'one', question: 'Which one?', header: 'Lockfile', options, multiple: false },
      { id: 'many', question: 'Which of them?', options, multiple: true },
      { id: 'why', question: 'What for?', options: [], multiple: false },
    ]
    const prompt = { requestId: 'r', turnId, kind: 'question', status: 'pending', input: { questions } } as const
    page.transport.emit(page.sideId, { eventType: 'state_patch', data: { interaction: prompt } })
    await page.tick()
    expect(screen.getByRole('group', { name: 'It has a question' })).toBeTruthy()
    expect(await problems()).toEqual([])
    page.transport.emit(
      page.sideId,
      say.text(turnId, RICH),
      say.turn({
        turnId,
        phase: 'settled',
        outcome: 'failed',
        error: { code: 'provider_error', kind: 'auth', detail: '401' },
      }),
    )
    await page.tick()
    expect(await problems()).toEqual([])
    page.transport.emit(page.sideId, say.expired('provider_lost'))
    await page.tick()
    expect(await problems()).toEqual([])
  })

  it('in the drawer with two tabs', async () => {
    const rig = createRig()
    rig.runtime.ask(MAIN, 'side', 'one')
    rig.runtime.ask(MAIN, 'side', 'two')
    await rig.paint()
    mount(<SideDrawer runtime={rig.runtime} parent={MAIN} open onHide={() => {}} reserve={null} />)
    expect(await problems()).toEqual([])
  })
})
