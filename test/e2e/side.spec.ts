/** `/side` as a person uses it, in a browser on the real host: in the native right sidebar and in our drawer. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { filesUnder } from '../kit/disk.ts'
import type { Rig } from '../kit/host.ts'
import { askProbe, startProbedRig } from '../kit/probe.ts'
import { askIn, button, composer, paste, side, type } from '../kit/surface.ts'

describe.each([
  ['the native right sidebar', false],
  ['our drawer on a stock host', true],
] as const)('/side in %s', (_where, stock) => {
  let rig: Rig
  let open: OpenPage
  let main: string

  beforeAll(async () => {
    rig = await startProbedRig({ stock })
  })
  afterAll(() => rig?.stop())

  beforeEach(async () => {
    rig.model.clear()
    main = await rig.newSession()
    await rig.ask(main, 'Hello. [[plain Hi there.]]')
    open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
    await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  })
  afterEach(async () => {
    await open.close()
    expect(open.errors).toEqual([])
  })

  const closeTab = async (title: string): Promise<void> => {
    const ours = open.page.locator('[data-sidemind]').getByRole('button', { name: `Close ${title}` })
    const hosts = open.page.getByRole('tab', { name: new RegExp(title) }).getByRole('button', { name: 'Close' })
    await (stock ? ours : hosts).first().click()
  }
  const liveSides = async (): Promise<number> =>
    (await askProbe(rig, main)).agents.filter((id) => !id.startsWith('session-')).length

  it('opens an empty side as a draft: no agent, no file; the child comes with the first question (D1)', async () => {
    const agents = await liveSides()
    const files = await filesUnder(`${rig.home}/sessions`)
    for (let at = 0; at < 5; at += 1) await type(open.page, '/side')
    await open.page.locator('[data-sidemind]').getByText('Ask here while main goes on.').first().waitFor()
    await open.page.reload()
    await composer(open.page).waitFor()
    await open.page.reload()
    await composer(open.page).waitFor()
    expect(await liveSides()).toBe(agents)
    expect(rig.model.requests().filter(({ lastUser }) => lastUser?.startsWith('/side'))).toEqual([])
    expect(await filesUnder(`${rig.home}/sessions`)).toEqual(files)
  })

  it('[K12] [K45] answers a question and three follow-ups in order, and none of it reaches main', async () => {
    await type(open.page, '/side FIRST question? [[plain First answer.]]')
    const panel = side(open.page)
    await panel.getByText('First answer.', { exact: true }).waitFor()
    for (const n of ['one', 'two', 'three']) {
      await askIn(panel, `FOLLOW-UP ${n} [[plain Answer ${n}.]]`)
      await panel.getByText(`Answer ${n}.`, { exact: true }).waitFor()
    }
    const text = await panel.innerText()
    const order = ['First answer.', 'Answer one.', 'Answer two.', 'Answer three.'].map((answer) => text.indexOf(answer))
    expect(order).toEqual([...order].toSorted((a, b) => a - b))
    await rig.ask(main, 'Main goes on. [[plain Fine.]]')
    const last = rig.model.requests().findLast(({ lastUser }) => lastUser?.includes('Main goes on.'))
    expect(JSON.stringify(last?.body)).not.toMatch(/FIRST question|FOLLOW-UP/)
    // The model of the side sees its own turns.
    const third = rig.model.requests().findLast(({ lastUser }) => lastUser?.includes('FOLLOW-UP three'))
    expect(JSON.stringify(third?.body)).toContain('Answer two.')
    // One quiet row, however much was said (D14).
    expect(await open.page.locator('[data-chat-flow]').getByText('side conversation').count()).toBe(1)
  })

  it('[K13] queues what is written while it answers, shows it, and sends it afterwards', async () => {
    rig.model.script({
      match: 'LONG',
      behaviour: { kind: 'gate', name: 'long', before: 'Working', after: ' and done.' },
    })
    await type(open.page, '/side LONG question')
    const panel = side(open.page)
    await panel.getByText('Working').waitFor()
    await askIn(panel, 'QUEUED next [[plain Queued answer.]]')
    await panel.getByText('queued', { exact: true }).waitFor()
    expect(rig.model.requests().some(({ lastUser }) => lastUser?.includes('QUEUED'))).toBe(false)
    rig.model.release('long')
    await panel.getByText('Queued answer.', { exact: true }).waitFor()
  })

  it('keeps two sides apart, and hides and brings them back with their conversation (U6) [K26]', async () => {
    await type(open.page, '/side ALPHA? [[plain Alpha answer.]]')
    await side(open.page).getByText('Alpha answer.', { exact: true }).waitFor()
    await type(open.page, '/side BETA? [[plain Beta answer.]]')
    await open.page.locator('[data-sidemind]').getByText('Beta answer.', { exact: true }).waitFor()
    await open.page.getByRole('tab', { name: /ALPHA/ }).first().click()
    await open.page.locator('[data-sidemind]').getByText('Alpha answer.', { exact: true }).waitFor()
    expect(await liveSides()).toBeGreaterThanOrEqual(2)

    const other = await rig.newSession()
    await rig.ask(other, 'Elsewhere. [[plain Yes.]]')
    await open.page.getByText('Elsewhere.', { exact: true }).first().click()
    await open.page.locator('[data-chat-flow]').getByText('Yes.', { exact: true }).waitFor()
    expect(await open.page.getByText('Alpha answer.', { exact: true }).filter({ visible: true }).count()).toBe(0)
    await open.page.getByText('Hello.', { exact: true }).filter({ visible: true }).first().click()
    await open.page
      .locator('[data-sidemind]')
      .getByText('Alpha answer.', { exact: true })
      .filter({ visible: true })
      .waitFor()
  })

  it('comes back after a reload of the page, and goes on (D7)', async () => {
    await type(open.page, '/side RELOADED? [[plain Before the reload.]]')
    await side(open.page).getByText('Before the reload.', { exact: true }).waitFor()
    await open.page.reload()
    const panel = side(open.page)
    await panel.getByText('Before the reload.', { exact: true }).waitFor()
    await askIn(panel, 'AFTER [[plain After the reload.]]')
    await panel.getByText('After the reload.', { exact: true }).waitFor()
    const last = rig.model.requests().findLast(({ lastUser }) => lastUser?.includes('AFTER'))
    expect(JSON.stringify(last?.body)).toContain('Before the reload.')
  })

  it('ends its child when its tab is closed, after the time to undo (D6)', async () => {
    const before = await liveSides()
    await paste(open.page, '/side CLOSED? [[plain Soon gone.]]')
    await side(open.page).getByText('Soon gone.', { exact: true }).waitFor()
    expect(await liveSides()).toBe(before + 1)
    await closeTab('CLOSED')
    await open.page.locator('[data-sidemind]').getByText('Soon gone.', { exact: true }).waitFor({ state: 'hidden' })
    await open.page.getByRole('button', { name: 'Undo' }).first().waitFor()
    await expect.poll(liveSides, { timeout: 15_000, interval: 500 }).toBe(before)
  })

  it('stops and keeps the partial answer', async () => {
    rig.model.script({
      match: 'STOPPED',
      behaviour: { kind: 'gate', name: 'stopped', before: 'Half of it', after: 'rest' },
    })
    await type(open.page, '/side STOPPED?')
    const panel = side(open.page)
    await panel.getByText('Half of it').waitFor()
    await button(panel, 'Stop').first().click()
    await panel.getByText('stopped', { exact: true }).waitFor()
    expect(await panel.innerText()).toContain('Half of it')
    rig.model.clear()
    await askIn(panel, 'And now? [[plain Goes on.]]')
    await panel.getByText('Goes on.', { exact: true }).waitFor()
  })

  it('[K48] never covers main’s composer, at three widths', async () => {
    await type(open.page, '/side WIDTHS? [[plain An answer.]]')
    await side(open.page).getByText('An answer.', { exact: true }).waitFor()
    for (const width of stock ? [1440, 768, 360] : [1440, 1100]) {
      await open.page.setViewportSize({ width, height: 900 })
      await open.page.waitForTimeout(500)
      const field = await composer(open.page).boundingBox()
      const panel = await side(open.page).boundingBox()
      if (field === null || panel === null) throw new Error(`something is not on screen at ${width}`)
      const apart =
        panel.x + panel.width <= field.x ||
        panel.x >= field.x + field.width ||
        panel.y + panel.height <= field.y ||
        panel.y >= field.y + field.height
      expect(apart, `at ${width}: ${JSON.stringify({ field, panel })}`).toBe(true)
      expect(panel.x).toBeGreaterThanOrEqual(0)
      expect(panel.x + panel.width).toBeLessThanOrEqual(width)
    }
  })

  it('[K49] is revealed when what holds it was collapsed, and a second ask finds the same place', async () => {
    await type(open.page, '/side COLLAPSED? [[plain First here.]]')
    await side(open.page).getByText('First here.', { exact: true }).waitFor()
    if (stock) await open.page.locator('[data-sidemind]').getByRole('button', { name: 'Hide' }).click()
    else
      await open.page
        .getByRole('button', { name: /collapse|hide|close.*sidebar/i })
        .last()
        .click()
    await open.page.getByText('First here.', { exact: true }).waitFor({ state: 'hidden' })
    await open.page.locator('[data-chat-flow]').getByText('COLLAPSED?').click()
    await open.page.getByText('First here.', { exact: true }).filter({ visible: true }).waitFor()
    await type(open.page, '/side AGAIN? [[plain Second here.]]')
    await open.page.getByText('Second here.', { exact: true }).filter({ visible: true }).waitFor()
    expect(await open.page.getByRole('tab', { name: /COLLAPSED|AGAIN/ }).count()).toBe(2)
  })

  it('[K41] shows what it reads', async () => {
    await type(open.page, '/side READS [[tool:read {"file_path":"README.md"}]]')
    const panel = side(open.page)
    await panel.getByText('README.md').first().waitFor()
    await panel.getByText('ok', { exact: true }).waitFor()
  })
})
