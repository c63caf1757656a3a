/** [I11] A model that answers with attacks, on the real host in a real browser: no script runs, nothing is fetched
 *  without a click, and nothing but Markdown's own elements ever stands in an answer. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'

import { watchAnswers } from '../kit/answer-watch.ts'
import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { startSink, type Sink } from '../kit/sink.ts'
import { askIn, overlay, paste, side } from '../kit/surface.ts'

/** `inline` attacks end where they end, `definitions` reach over a whole answer, `swallowing` ones over what follows. */
type Corpus = Record<'inline' | 'definitions' | 'swallowing', Record<string, string>>

const RUN = '(window.attacked=1,alert(1))'

let rig: Rig
let sink: Sink
let open: OpenPage
let corpus: Record<keyof Corpus, [name: string, text: string][]>
let watch: Awaited<ReturnType<typeof watchAnswers>>
let dialogs: string[]

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())

beforeEach(async () => {
  sink = await startSink()
  const file = await readFile(join(import.meta.dirname, '../fixtures/markdown-attacks.json'), 'utf8')
  const raw = JSON.parse(file) as Corpus
  const filled = (group: keyof Corpus): [string, string][] =>
    Object.entries(raw[group]).map(([name, text]) => [
      name,
      text.replaceAll('{run}', RUN).replaceAll('{sink}', sink.url),
    ])
  corpus = { inline: filled('inline'), definitions: filled('definitions'), swallowing: filled('swallowing') }
  rig.model.clear()
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main, viewport: { width: 1440, height: 900 } })
  dialogs = []
  open.page.on('dialog', (dialog) => {
    dialogs.push(dialog.message())
    void dialog.dismiss()
  })
  watch = await watchAnswers(open.page)
})
afterEach(async () => {
  await open.close()
  await sink.close()
})

/** What must hold whatever was answered. */
async function expectHarmless(url: string): Promise<void> {
  // What was to be fetched would be on its way by now; a lazy image and a refresh need a moment.
  await open.page.waitForTimeout(500)
  expect(await watch.wrong()).toEqual([])
  expect(await watch.seen()).toBeGreaterThan(0)
  expect(await open.page.evaluate(() => Reflect.get(window, 'attacked') as unknown)).toBeUndefined()
  expect(dialogs).toEqual([])
  expect(open.page.url()).toBe(url)
  expect(open.page.frames()).toHaveLength(1)
  expect(sink.requests()).toEqual([])
  expect(sink.connections()).toBe(0)
  expect(open.errors).toEqual([])
}

/** Attacks in one answer; behind each stands a paragraph that shows that the attack ended where it should. */
function answerOf(attacks: readonly [string, string][]): string {
  return attacks.map(([name, text]) => `${text}\n\nAfter ${name}.\n\n`).join('')
}

function batches<T>(all: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.slice(at * size, (at + 1) * size))
}

it('renders every attack of the corpus in /side without harm', async () => {
  const url = open.page.url()
  const whole = [...batches(corpus.inline, 20), ...corpus.definitions.map((one) => [one])]
  const answers = [...whole.map(answerOf), ...corpus.swallowing.map(([, text]) => text)]
  for (const [at, answer] of answers.entries())
    rig.model.script({
      match: `ATTACK ${at}.`,
      behaviour: { kind: 'plain', text: answer, chunkMs: 1, chunkChars: 400 },
    })
  await paste(open.page, '/side ATTACK 0.')
  const panel = side(open.page, 'ATTACK 0.')
  for (const at of answers.keys()) {
    if (at > 0) await askIn(panel, `ATTACK ${at}.`)
    const turn = panel.locator('[data-turn]').nth(at)
    await turn.getByRole('button', { name: 'Retry', exact: true }).waitFor({ state: 'attached' })
    for (const [name] of whole[at] ?? [])
      expect(await turn.getByText(`After ${name}.`, { exact: true }).count(), name).toBe(1)
  }
  await expectHarmless(url)

  // The same page does fetch an image when it is asked to, without saying from where.
  await panel.getByRole('button', { name: 'Show image: pixel' }).click()
  await expect.poll(() => sink.requests().map((request) => request.url)).toEqual(['/pixel.png?q=what-was-said'])
  expect(sink.requests()[0]?.headers.referer).toBeUndefined()
})

it('renders them in /btw without harm, whatever the question looks like', async () => {
  const url = open.page.url()
  const answers = [...batches(corpus.inline, 45), corpus.definitions, ...batches(corpus.swallowing, 5)].map(answerOf)
  for (const [at, answer] of answers.entries()) {
    const question = `${at} <img src=${sink.url}/q.png onerror=${RUN}> ![x](${sink.url}/q2.png) [x](javascript:${RUN})`
    rig.model.script({ behaviour: { kind: 'plain', text: answer, chunkMs: 1, chunkChars: 400 } })
    await paste(open.page, `/btw ${question}`)
    const card = overlay(open.page, `${at} <img src=${sink.url}`)
    await card.getByRole('button', { name: 'Retry', exact: true }).waitFor()
    await card.getByRole('button', { name: 'Close' }).click()
  }
  await expectHarmless(url)
})

it('renders them without harm while they come in pieces of three characters', async () => {
  const url = open.page.url()
  const some = [...corpus.inline.filter((_, at) => at % 4 === 0), ...corpus.definitions.slice(0, 2)]
  const texts = [answerOf(some), ...corpus.swallowing.slice(0, 2).map(([, text]) => text)]
  await paste(open.page, '/side PIECES.')
  const panel = side(open.page, 'PIECES.')
  for (const [at, text] of texts.entries()) {
    rig.model.script({ match: `PIECE ${at}.`, behaviour: { kind: 'plain', text, chunkMs: 1, chunkChars: 3 } })
    await panel.getByRole('button', { name: 'Retry', exact: true }).nth(at).waitFor({ state: 'attached' })
    await askIn(panel, `PIECE ${at}.`)
  }
  await panel.getByRole('button', { name: 'Retry', exact: true }).nth(texts.length).waitFor({ state: 'attached' })
  await expectHarmless(url)
})

it('renders them as words where a model thinks, calls a tool or fails', async () => {
  const url = open.page.url()
  const attack = `<img src=${sink.url}/w.png onerror=${RUN}> ![x](${sink.url}/w2.png) <script>${RUN}</script>`
  rig.model.script([
    { match: 'THINK.', behaviour: { kind: 'reasoning', reasoning: attack, text: 'Thought.' } },
    {
      match: 'CALL.',
      behaviour: { kind: 'tool', calls: [{ name: 'read', arguments: { file_path: attack } }], after: 'Called.' },
    },
    { match: 'FAIL.', behaviour: { kind: 'status', status: 400, message: attack } },
  ])
  await paste(open.page, '/side THINK.')
  const panel = side(open.page, 'THINK.')
  await panel.getByText('Thought.').waitFor()
  await panel.getByRole('button', { name: /^thought/ }).click()
  await askIn(panel, 'CALL.')
  await panel.getByText('Called.').waitFor()
  await panel.getByRole('button', { name: /^read/ }).click()
  await askIn(panel, 'FAIL.')
  await panel.getByRole('button', { name: 'Retry', exact: true }).nth(2).waitFor({ state: 'attached' })
  expect(await panel.locator('[data-turn]').first().textContent()).toContain(attack)
  await expectHarmless(url)
})

it('stays usable after an answer that is nested thousands deep', async () => {
  const deep = `${'>'.repeat(5_000)} DEEP words`
  const texts = [deep, `${'- '.repeat(300)}x`, `${'['.repeat(2_000)}x`, '<div>'.repeat(5_000), '&#'.repeat(5_000)]
  rig.model.script({
    match: 'NESTED.',
    behaviour: { kind: 'plain', text: texts.join('\n\n'), chunkMs: 1, chunkChars: 4_000 },
  })
  await paste(open.page, '/side NESTED.')
  const panel = side(open.page)
  await panel.getByRole('button', { name: 'Retry', exact: true }).waitFor({ state: 'attached' })
  expect(await panel.locator('pre').first().textContent()).toBe(deep)
  await askIn(panel, 'Still there? [[plain Still here.]]')
  await panel.getByText('Still here.', { exact: true }).waitFor()
  // The overflow itself is reported to the console, and nothing else is.
  expect(open.errors.filter((error) => !error.includes('Maximum call stack'))).toEqual([])
})
