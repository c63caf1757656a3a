/** How an answer is drawn in a browser on the real host: its heavy parts come when they are needed, and without them it
 *  is still an answer. */
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { overlay, paste } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string
/** The files of ours that the page asked for, by name. */
let files: string[]

beforeAll(async () => {
  rig = await startRig()
  main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
})
afterAll(() => rig?.stop())

beforeEach(async () => {
  rig.model.clear()
  open = await openPage(rig.url, { sessionId: main })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
  files = []
  open.page.on('request', (request) => {
    const file = /\/plugins\/sidemind-for-dsh\/later\/(\w+)\.js/.exec(request.url())?.[1]
    if (file !== undefined) files.push(file)
  })
})
afterEach(() => open.close())

const WORDS =
  'Some *stress* and a [link](https://a.test/).\n\n| a | b |\n|---|--:|\n| 1 | 2 |\n\n- [x] done\n- [ ] to do'
const CODE = '```ts\nexport const answer: number = 42 // of course\n```'
const FORMULA = 'So $e^{i\\pi} = -1$, which costs $5 or $10:\n\n$$\n\\sum_{k=1}^{n} k = \\frac{n(n+1)}{2}\n$$'

async function ask(question: string, text: string): Promise<ReturnType<typeof overlay>> {
  rig.model.script({ match: question, behaviour: { kind: 'plain', text, chunkMs: 1, chunkChars: 50 } })
  await paste(open.page, `/btw ${question}`)
  const card = overlay(open.page, question)
  await card.getByRole('button', { name: 'Retry', exact: true }).waitFor()
  return card
}

it('loads what reads Markdown with the first answer, colours and formulas when one has them', async () => {
  expect(files).toEqual([])
  let card = await ask('WORDS.', WORDS)
  await card.locator('em', { hasText: 'stress' }).waitFor()
  expect(await card.locator('td').count()).toBe(2)
  expect(await card.getByRole('checkbox').count()).toBe(2)
  expect(files).toEqual(['markdown'])

  card = await ask('CODE.', CODE)
  await card.locator('pre span', { hasText: /^export$/ }).waitFor()
  expect(await card.locator('pre').textContent()).toBe('export const answer: number = 42 // of course')
  expect(files).toEqual(['markdown', 'code'])

  card = await ask('FORMULA.', FORMULA)
  await expect.poll(() => card.locator('math').count()).toBe(2)
  expect(await card.locator('p').first().textContent()).toContain('which costs $5 or $10:')
  const wide = await card.locator('math').last().boundingBox()
  expect(wide?.height).toBeGreaterThan(30)
  expect(files).toEqual(['markdown', 'code', 'math'])
  expect(open.errors).toEqual([])
})

it('[K20] copies words as words, and several blocks as Markdown, with Ctrl+C', async () => {
  const card = await ask('COPY.', `${WORDS}\n\n${CODE}`)
  await card.locator('em', { hasText: 'stress' }).waitFor()
  await open.page.evaluate(() => {
    document.addEventListener('copy', (event) => {
      const native = document.getSelection()?.toString() ?? ''
      Reflect.set(window, 'copied', event.clipboardData?.getData('text/plain') || native)
    })
  })
  const copied = (): Promise<unknown> => open.page.evaluate(() => Reflect.get(window, 'copied') as unknown)
  await card.locator('em').dblclick()
  await open.page.keyboard.press('Control+c')
  await expect.poll(copied).toBe('stress')

  await card
    .locator('[data-block]')
    .first()
    .evaluate((first) => {
      const selection = document.getSelection()
      selection?.setBaseAndExtent(first, 0, first.parentElement ?? first, first.parentElement?.childNodes.length ?? 0)
    })
  await open.page.keyboard.press('Control+c')
  await expect.poll(copied).toBe(`${WORDS}\n\n${CODE}`)
  expect(open.errors).toEqual([])
})

it('shows an answer as text, and code as code, where those files cannot be had', async () => {
  await open.page.route('**/plugins/sidemind-for-dsh/later/**', (route) => route.abort())
  const card = await ask('EVERYTHING.', [WORDS, CODE, FORMULA].join('\n\n'))
  const text = (await card.textContent()) ?? ''
  for (const words of [
    'Some *stress* and a [link](https://a.test/).',
    '- [x] done',
    'e^{i\\pi} = -1',
    '\\frac{n(n+1)}{2}',
  ])
    expect(text).toContain(words)
  expect(await card.locator('pre').textContent()).toBe('export const answer: number = 42 // of course')
  expect(await card.locator('a, em, math').count()).toBe(0)
  // The browser says that it could not load them, and nothing else goes wrong.
  expect(open.errors.filter((error) => !error.includes('net::ERR_FAILED'))).toEqual([])
})
