/** The rig that every end-to-end file stands on. */
import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { openPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { family, survivors } from '../kit/processes.ts'

describe('a rig', () => {
  let rig: Rig
  beforeAll(async () => {
    rig = await startRig({ stock: true })
  })
  afterAll(() => rig.stop())

  it('takes a question through the host to the scripted model and back', async () => {
    rig.model.script({ match: 'one word', behaviour: { kind: 'plain', text: 'Driftwood.' } })
    await rig.ask(rig.sessionId, 'Say one word')
    expect(JSON.stringify(await rig.history(rig.sessionId))).toContain('Driftwood.')
    expect(rig.frames.events(rig.sessionId).map(({ type }) => type)).toContain('assistant/chunk')
  })

  it('shows the wanted conversation, in the wanted language and size, without an error', async () => {
    const { page, errors, close } = await openPage(rig.url, {
      sessionId: rig.sessionId,
      locale: 'zh-CN',
      viewport: { width: 700, height: 500 },
      colorScheme: 'dark',
    })
    await page.getByText('Driftwood.').first().waitFor()
    expect(await page.evaluate(() => [navigator.language, innerWidth])).toEqual(['zh-CN', 700])
    expect(await page.getByRole('button', { name: '继续', exact: true }).count()).toBe(0)
    expect(errors).toEqual([])
    await close()
  })

  it('gives the host no proxy, token or home of ours', async () => {
    if (!existsSync('/proc/self/environ')) return
    const names = readFileSync(`/proc/${rig.host.pid}/environ`, 'utf8')
      .split('\0')
      .map((pair) => pair.split('=')[0])
    expect(names.filter((name) => /proxy|token|npm_|^CI$/i.test(name ?? ''))).toEqual([])
    expect(readFileSync(`/proc/${rig.host.pid}/environ`, 'utf8')).toContain(`\0HOME=${rig.home}`)
  })

  it('comes back at the same address after a crash', async () => {
    const before = family(rig.host.pid)
    await rig.crash()
    expect(await survivors(before)).toEqual([])
    await rig.restartHost()
    expect(rig.host.url).toBe(rig.url)
    expect(JSON.stringify(await rig.history(rig.sessionId))).toContain('Driftwood.')
    await rig.ask(await rig.newSession(), 'Are you there?')
  })
})
