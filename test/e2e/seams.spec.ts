/** The seams adapter on the real host: the published right sidebar and a follow stream, as plugins meet them. */
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'

import { publishedFollowCodec } from '../../dev/seams/published-codec.ts'
import type { FollowFrame, SessionAddress, Snapshot, WireEvent } from '../../ui/dsh/old-follow.ts'
import { packProbe } from '../dev/seams-probe.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'

/** What the probe plugin leaves in the page. */
interface Probe {
  closed: string[]
  sidebar: { openTab(kind: string, options: object): void; isExpanded(): boolean }
  follow(address: SessionAddress): Followed
  followed: Followed
}

interface Followed {
  frames: FollowFrame[]
  code?: string
}

declare global {
  interface Window {
    probe: Probe
  }
}

describe('the seams adapter', () => {
  let rig: Rig
  let probe: Awaited<ReturnType<typeof packProbe>>

  beforeAll(async () => {
    probe = await packProbe()
    rig = await startRig({ plugins: [probe.tarball] })
    await rig.ask(rig.sessionId, 'What is here?')
  })
  afterAll(async () => {
    await rig?.stop()
    await probe?.remove()
  })

  describe('right sidebar', () => {
    let opened: OpenPage
    afterEach(() => opened.close())

    it('stands beside the conversation, with a tab that knows what it was opened with', async () => {
      opened = await openPage(rig.url, { sessionId: rig.sessionId, viewport: { width: 1280, height: 800 } })
      const { page, errors } = opened
      await openTab(page, { n: 7 })
      await page.getByText('{"n":7} on screen').waitFor()
      const panel = await box(page, '[data-sidebar-right-panel]')
      const composer = await composerEnd(page)
      expect(panel.right).toBe(1280)
      expect(panel.left).toBeGreaterThan(640)
      expect(composer).toBeLessThan(panel.left)

      await page.getByRole('button', { name: 'Close the sidebar' }).click()
      await page.getByText('{"n":7} hidden').waitFor({ state: 'attached' })
      expect(await composerEnd(page)).toBeGreaterThan(composer)
      expect(await page.evaluate(() => window.probe.closed)).toEqual([])

      await page.getByRole('button', { name: 'Open the sidebar' }).click()
      await page.getByRole('button', { name: 'Close the probe' }).click()
      await page.locator('[data-probe-tab]').waitFor({ state: 'detached' })
      expect(await page.evaluate(() => window.probe.closed)).toHaveLength(1)
      expect(errors).toEqual([])
    })

    it('takes a narrow page whole and gives it back', async () => {
      opened = await openPage(rig.url, { sessionId: rig.sessionId, viewport: { width: 820, height: 700 } })
      const { page, errors } = opened
      await openTab(page, {})
      await page.getByText('on screen').waitFor()
      await page.waitForFunction(
        () => document.querySelector('[data-sidebar-right-panel]')?.getBoundingClientRect().left === 0,
      )
      expect((await box(page, '[data-sidebar-right-panel]')).right).toBe(820)
      await page.getByRole('button', { name: 'Close the sidebar' }).click()
      await page.getByPlaceholder('Message the agent').click()
      expect(errors).toEqual([])
    })
  })

  describe('remote.session.follow', () => {
    const sockets: string[] = []
    let opened: OpenPage
    let page: Page
    beforeAll(async () => {
      opened = await openPage(rig.url, { sessionId: rig.sessionId })
      page = opened.page
      page.on('websocket', (socket) => sockets.push(socket.url()))
      await page.reload()
      await page.waitForFunction(() => window.probe?.follow !== undefined)
    })
    afterAll(() => opened?.close())

    it.each(['probe', 'probe-unlinked'])(
      'follows a live child of /%s from the middle of its answer',
      async (command) => {
        const words = Array.from({ length: 120 }, (_, n) => `w${n}`).join(' ')
        rig.model.script({
          match: `all words of ${command}`,
          behaviour: { kind: 'plain', text: words, chunkMs: 10, chunkChars: 3 },
        })
        const { result } = await rig.command(rig.sessionId, `/${command} all words of ${command}`)
        const childSessionId = String(result.text)
        await rig.frames.waitFor('a few deltas', ({ sessionId, event }) => {
          return (
            sessionId === childSessionId &&
            event?.type === 'assistant/chunk' &&
            JSON.stringify(event.data).includes('w9')
          )
        })
        const address = { kind: 'subagent', parentSessionId: rig.sessionId, childSessionId, mode: 'one-shot' } as const
        await page.evaluate((child) => void (window.probe.followed = window.probe.follow(child)), address)
        await page.waitForFunction(() =>
          window.probe.followed.frames.some((frame) => frame.type === 'event' && frame.event.type === 'turn/end'),
        )
        const { frames, code } = await page.evaluate(() => window.probe.followed)
        expect(code).toBeUndefined()
        const [first, ...rest] = frames
        if (first?.type !== 'snapshot') throw new Error('the first frame is no snapshot')
        expect(rest.map((frame) => frame.type === 'event' && frame.event.seq)).toEqual(
          rest.map((_, n) => first.cursor + 1 + n),
        )
        expect(answerIn([...first.records, ...rest], first.header.seedLength ?? 0)).toBe(words)
        expect(rest.length).toBeGreaterThan(10)

        // What hosts with follow would send passes their codec; so does this, and it drops nothing.
        const codec = await publishedFollowCodec()
        expect(frames.map((frame) => codec.frame.parse(frame))).toEqual(frames)
        // The page's own connection carries it.
        expect(sockets.filter((url) => url.includes('events.mux'))).toHaveLength(1)
        expect(opened.errors).toEqual([])
      },
    )

    it('says that a session is not there', async () => {
      const address = {
        kind: 'subagent',
        parentSessionId: rig.sessionId,
        childSessionId: 'none',
        mode: 'one-shot',
      } as const
      await page.evaluate((child) => void (window.probe.followed = window.probe.follow(child)), address)
      await page.waitForFunction(() => window.probe.followed.code !== undefined)
      expect(await page.evaluate(() => window.probe.followed.code)).toBe('subagent/not-found')
    })

    it('goes on without a gap after the host was away', async () => {
      const address = { kind: 'session', sessionId: rig.sessionId } as const
      await page.evaluate((session) => void (window.probe.followed = window.probe.follow(session)), address)
      await page.waitForFunction(() => window.probe.followed.frames.length > 0)
      await rig.crash()
      await rig.restartHost()
      // Most of this happens before the page has noticed that the host is back.
      await rig.ask(rig.sessionId, 'Are you back?')
      const last = (await rig.history(rig.sessionId)).at(-1)?.seq
      await page.waitForFunction(
        (seq) => window.probe.followed.frames.some((frame) => frame.type === 'event' && frame.event.seq === seq),
        last,
      )
      const seqs = await page.evaluate(() =>
        window.probe.followed.frames.flatMap((frame) => (frame.type === 'event' ? frame.event.seq : [])),
      )
      const first = await page.evaluate(() => window.probe.followed.frames[0])
      if (first?.type !== 'snapshot') throw new Error('the first frame is no snapshot')
      expect(seqs).toEqual(seqs.map((_, n) => first.cursor + 1 + n))
    })
  })
})

async function openTab(page: Page, params: object): Promise<void> {
  await page.waitForFunction(
    () => window.probe?.sidebar !== undefined && document.querySelector('[data-sidebar-right-expand]') !== null,
  )
  await page.evaluate((given) => window.probe.sidebar.openTab('probe', { params: given }), params)
}

/** Where something is once it has stopped sliding. */
async function box(page: Page, selector: string): Promise<{ left: number; right: number }> {
  await page
    .locator(selector)
    .evaluate((element) => Promise.allSettled(element.getAnimations().map(({ finished }) => finished)))
  return page.locator(selector).evaluate((element) => {
    const { left, right } = element.getBoundingClientRect()
    return { left: Math.ceil(left), right: Math.round(right) }
  })
}

async function composerEnd(page: Page): Promise<number> {
  // The frame slides.
  await page.waitForTimeout(400)
  return page.getByPlaceholder('Message the agent').evaluate((element) => element.getBoundingClientRect().right)
}

/** The text of the assistant's deltas after the inherited part. */
function answerIn(entries: readonly (FollowFrame | Snapshot['records'][number])[], inherited: number): string {
  return entries
    .map((entry) => (entry.type === 'event' && entry.event.seq > inherited ? deltaOf(entry.event) : ''))
    .join('')
}

function deltaOf({ type, data }: WireEvent): string {
  const { chunk }: { chunk?: { text?: string } } = Object(data)
  return type === 'assistant/chunk' ? (chunk?.text ?? '') : ''
}
