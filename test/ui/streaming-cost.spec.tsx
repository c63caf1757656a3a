/** What a delta costs does not depend on how long the answer is already that it is added to: characters and list items that
 *  are handled, blocks that are read, elements that are made. Counted, never timed; from the stream to the elements. */
import { cleanup } from '@testing-library/react'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { answerText } from '../../bench/answer-text.ts'
import { EMPTY_TRANSCRIPT, project, type SideEvent, type Transcript } from '../../src/wire/index.ts'
import * as code from '../../ui/later/code.ts'
import * as markdown from '../../ui/later/markdown.tsx'
import { supplyLater } from '../../ui/parts/later.ts'
import { say } from '../kit/fake-transport.ts'
import { handledBy, type Handled } from '../kit/handled.ts'
import { mountBtw, mountSide, type Page } from './mount.tsx'

const made = vi.hoisted(() => ({ elements: 0 }))
vi.mock('react/jsx-dev-runtime', async (original) => {
  const real = await original<{ jsxDEV: (...args: unknown[]) => unknown }>()
  const jsxDEV = (...args: unknown[]): unknown => {
    made.elements += 1
    return real.jsxDEV(...args)
  }
  return { ...real, jsxDEV }
})

const SHORT = 10_000
const LONG = 1_000_000
const DELTAS = 300
/** Deltas that come between two frames. */
const PER_FRAME = 8
/** Answers as they come, by the characters that are there before the deltas that are counted. */
const ANSWERS: readonly { name: string; before: (chars: number) => string; deltas: string }[] = [
  { name: 'of many blocks', before: answerText, deltas: answerText(DELTAS * 20, 60_000) },
  {
    name: 'of one piece of code',
    before: (chars) => `\`\`\`text\n${'a line of code, some forty characters long\n'.repeat(chars / 43)}`,
    deltas: 'another line of code\n'.repeat(DELTAS),
  },
]

function deltasOf(text: string): readonly string[] {
  const size = Math.ceil(text.length / DELTAS)
  return Array.from({ length: DELTAS }, (_, at) => text.slice(at * size, (at + 1) * size))
}

describe('the meter', () => {
  it('sees whoever reads all of it for every delta', async () => {
    const deltas = deltasOf('word '.repeat(DELTAS))
    const { characters, items } = await handledBy(() => {
      let text = 'words '.repeat(10_000)
      for (const delta of deltas) {
        text += delta
        text.split(' ').map((word) => word)
      }
    })
    expect(characters).toBeGreaterThan(DELTAS * 60_000)
    expect(items).toBeGreaterThan(DELTAS * 10_000)
  })
})

describe('in the projector, a delta handles nothing of what is there', () => {
  it.each(ANSWERS)('in an answer $name', async ({ before, deltas }) => {
    const events = deltasOf(deltas).map((text) => say.text('t1', text))
    const start = pieces(before(LONG))
      .map((text) => say.text('t1', text))
      .reduce(after, EMPTY_TRANSCRIPT)
    let end = start
    const handled = await handledBy(() => {
      for (const event of events) end = project(end, event)
    })
    expect(handled).toEqual({ characters: 0, items: 0 })
    expect(end.turns[0]?.items).toMatchObject([{ text: before(LONG) + deltas }])
  })
})

function after(transcript: Transcript, event: SideEvent): Transcript {
  return project(transcript, event)
}

interface Cost extends Handled {
  /** Elements that React was given. */
  elements: number
  /** Nodes that were put into the page. */
  nodes: number
  /** Characters that were read as Markdown. */
  read: number
}

describe('on screen, a delta costs the same in a long answer', () => {
  let read = 0
  beforeAll(() => {
    supplyLater('markdown', {
      ...markdown,
      draw(text) {
        read += text.length
        return <p>{text.slice(0, 40)}</p>
      },
    })
    supplyLater('code', { highlight: () => null })
  })
  afterAll(() => {
    supplyLater('markdown', markdown)
    supplyLater('code', code)
  })
  afterEach(cleanup)

  async function stream(page: Page, sideId: string, before: string, deltas: string): Promise<Cost> {
    const turnId = page.runtime.find(sideId)?.turns.at(-1)?.turnId ?? ''
    page.transport.emit(sideId, say.running(turnId), ...pieces(before).map((piece) => say.text(turnId, piece)))
    await page.tick()
    const parts = deltasOf(deltas)
    const frames = Array.from({ length: Math.ceil(DELTAS / PER_FRAME) }, (_, at) =>
      parts.slice(at * PER_FRAME, (at + 1) * PER_FRAME),
    )
    let nodes = 0
    const observer = new MutationObserver((records) => {
      for (const { addedNodes } of records) nodes += addedNodes.length
    })
    observer.observe(document.body, { childList: true, subtree: true })
    read = made.elements = 0
    const handled = await handledBy(async () => {
      for (const frame of frames) {
        for (const part of frame) page.transport.emit(sideId, say.text(turnId, part))
        await page.tick()
      }
    })
    observer.disconnect()
    return { ...handled, elements: made.elements, nodes, read }
  }

  async function inSide(before: string, deltas: string): Promise<Cost> {
    const page = mountSide()
    page.runtime.send(page.sideId, 'Why?')
    await page.tick()
    return stream(page, page.sideId, before, deltas)
  }

  async function inCard(before: string, deltas: string): Promise<Cost> {
    const page = mountBtw()
    return stream(page, await page.ask('Why?'), before, deltas)
  }

  describe.each([
    ['in a side', inSide],
    ['in the card', inCard],
  ])('%s', (_, measure) => {
    it.each(ANSWERS)(
      'an answer $name',
      async ({ before, deltas }) => {
        const short = await measure(before(SHORT), deltas)
        cleanup()
        const long = await measure(before(LONG), deltas)
        expect(short.elements).toBeGreaterThan(DELTAS / PER_FRAME)
        expect(long).toMatchObject({ characters: 0, items: 0 })
        expect(long.read).toBeLessThanOrEqual(short.read * 1.1)
        // What else comes while it lasts (a clock, a run) is a handful.
        expect(long.nodes).toBeLessThanOrEqual(short.nodes * 1.1 + 5)
        // At most the runs of one step more to the end.
        expect(long.elements).toBeLessThanOrEqual(short.elements + Math.ceil(DELTAS / PER_FRAME) * 32)
      },
      60_000,
    )
  })
})

/** What a text comes in when it comes fast. */
function pieces(text: string): readonly string[] {
  return Array.from({ length: Math.ceil(text.length / 4_000) }, (_, at) => text.slice(at * 4_000, (at + 1) * 4_000))
}
