/** `/btw` as a person uses it, in a browser on the real host: beside a main turn that goes on. */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { openPage, type OpenPage } from '../kit/browser.ts'
import { startRig, type Rig } from '../kit/host.ts'
import { button, composer, overlay, paste, recordText, type } from '../kit/surface.ts'

let rig: Rig
let open: OpenPage
let main: string

beforeAll(async () => {
  rig = await startRig()
})
afterAll(() => rig?.stop())

beforeEach(async () => {
  rig.model.clear()
  main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi there.]]')
  open = await openPage(rig.url, { sessionId: main })
  await open.page.locator('[data-chat-flow]').getByText('Hi there.', { exact: true }).waitFor()
})
afterEach(async () => {
  await open.close()
  expect(open.errors).toEqual([])
})

/** Lets main answer in many small pieces until released. */
async function mainStreams(): Promise<{ release(): Promise<void>; text: string }> {
  const before = 'Main writes slowly. '.repeat(10)
  const after = 'And now main is done.'
  rig.model.script({ match: 'MAIN-STREAMS', behaviour: { kind: 'gate', name: 'main', before, after } })
  await rig.prompt(main, 'MAIN-STREAMS please')
  await rig.frames.waitFor(
    'main to write',
    ({ sessionId, event }) => sessionId === main && event?.type === 'assistant/chunk',
  )
  return {
    text: before + after,
    async release() {
      const since = rig.frames.all.length
      rig.model.release('main')
      await rig.frames.waitFor(
        'the end of main',
        ({ sessionId, event }) => sessionId === main && event?.type === 'turn/end',
        { since },
      )
    },
  }
}

function request(text: string) {
  const found = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes(text))
  if (found === undefined) throw new Error(`nothing asked about ${text}`)
  return found
}

async function mainAnswer(): Promise<string> {
  const last = (await rig.history(main)).findLast(({ type: kind }) => kind === 'assistant/message')
  if (last === undefined) throw new Error('main has not answered')
  const { content } = (last.data as { message: { content: { type: string; text: string }[] } }).message
  return content.map(({ type: kind, text }) => (kind === 'text' ? text : '')).join('')
}

describe('/btw while main streams', () => {
  it('[K09] [K10] [K11] [K45] shows a card at once, streams every delta beside main, and leaves main alone', async () => {
    const stream = await mainStreams()
    const answer = Array.from({ length: 40 }, (_, at) => `**w${at}**`).join(' ')
    rig.model.script({ match: 'what is 2+2', behaviour: { kind: 'plain', text: answer, chunkMs: 60, chunkChars: 8 } })
    const texts = await recordText(open.page, '[data-sidemind] [role="region"]')
    await composer(open.page).click()
    await composer(open.page).pressSequentially('/btw what is 2+2')
    const pressed = Date.now()
    await open.page.keyboard.press('Enter')
    await overlay(open.page, 'what is 2+2').waitFor()
    console.log(`pending card ${Date.now() - pressed} ms after Enter`)
    await overlay(open.page).getByText('w39').waitFor()
    await button(overlay(open.page), 'Retry').waitFor()

    expect(request('MAIN-STREAMS').endedAt ?? null).toBeNull()
    expect(await overlay(open.page).locator('strong').allTextContents()).toEqual(
      Array.from({ length: 40 }, (_, at) => `w${at}`),
    )
    // In pieces, not in lumps: nearly every delta had a moment of its own on screen.
    const steps = new Set((await texts.stop()).map((text) => text.match(/w\d+/g)?.length ?? 0))
    expect(steps.size).toBeGreaterThan(30)
    await stream.release()
    expect(await mainAnswer()).toBe(stream.text)
    await open.page.getByText('And now main is done.').waitFor()
  })

  it('[K16] [K18] [K25] stops and keeps with Esc, dismisses with the next, and swallows a third', async () => {
    const stream = await mainStreams()
    rig.model.script({
      match: 'long story',
      behaviour: { kind: 'gate', name: 'side', before: 'Once upon a time', after: 'the end' },
    })
    await type(open.page, '/btw tell a long story')
    await overlay(open.page).getByText('Once upon a time').waitFor()
    await overlay(open.page).getByText('Esc stop').waitFor()
    await open.page.keyboard.press('Escape')
    await overlay(open.page).getByText('Esc close').waitFor()
    expect(await overlay(open.page).textContent()).toContain('Once upon a time')
    await open.page.keyboard.press('Escape')
    await open.page.keyboard.press('Escape')
    await overlay(open.page).waitFor({ state: 'detached' })
    rig.model.release('side')
    await stream.release()
    expect(await mainAnswer()).toBe(stream.text)
    const end = (await rig.history(main)).findLast(({ type: kind }) => kind === 'turn/end')
    expect(end?.data).toMatchObject({ reason: { kind: 'completed' } })
  })

  it('answers 50 of 50 questions on screen while main streams', async () => {
    const stream = await mainStreams()
    rig.model.script({
      match: 'question number',
      behaviour: { kind: 'plain', text: 'The answer is here.', chunkMs: 1 },
    })
    let seen = 0
    for (let at = 0; at < 50; at += 1) {
      await paste(open.page, `/btw question number ${at}`)
      const card = overlay(open.page, `question number ${at}`)
      await card.getByText('The answer is here.').waitFor()
      await button(card, 'Close').click()
      await card.waitFor({ state: 'detached' })
      seen += 1
    }
    expect(seen).toBe(50)
    expect(
      rig.model.requests().filter(({ kind, lastUser }) => kind === 'chat' && lastUser?.includes('question number')),
    ).toHaveLength(50)
    await stream.release()
    expect(await mainAnswer()).toBe(stream.text)
  })

  it('runs a second question beside the first, and arrows reach both (D8)', async () => {
    rig.model.script([
      { match: 'FIRST', behaviour: { kind: 'gate', name: 'first', before: 'First begins', after: ' and ends.' } },
      { match: 'SECOND', behaviour: { kind: 'plain', text: 'Second is quick.' } },
    ])
    await paste(open.page, '/btw FIRST question')
    await overlay(open.page).getByText('First begins').waitFor()
    await paste(open.page, '/btw SECOND question')
    await overlay(open.page, 'SECOND question').getByText('Second is quick.').waitFor()
    await button(overlay(open.page), /^Previous/).click()
    await overlay(open.page, 'FIRST question').getByText('First begins').waitFor()
    rig.model.release('first')
    await overlay(open.page, 'FIRST question').getByText('First begins and ends.').waitFor()
  })
})

describe('the overlay', () => {
  it('[K20] copies raw Markdown with C, and leaves Ctrl+C, text fields and selections alone', async () => {
    await open.page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    const clipboard = (): Promise<string> => open.page.evaluate(() => navigator.clipboard.readText())
    rig.model.script({ match: 'MARKDOWN', behaviour: { kind: 'plain', text: '**bold** and `code`' } })
    await type(open.page, '/btw MARKDOWN please')
    await button(overlay(open.page), 'Retry').waitFor()
    await overlay(open.page).focus()
    await open.page.evaluate(() => navigator.clipboard.writeText('before'))
    await open.page.keyboard.press('Control+c')
    expect(await clipboard()).toBe('before')
    await open.page.keyboard.press('c')
    await expect.poll(clipboard).toBe('**bold** and `code`')
    await open.page.evaluate(() => navigator.clipboard.writeText('before'))
    await overlay(open.page).locator('strong').dblclick()
    await overlay(open.page).focus()
    expect(await open.page.evaluate(() => document.getSelection()?.toString())).toBe('bold')
    await open.page.keyboard.press('c')
    await open.page.keyboard.press('Escape')
    expect(await clipboard()).toBe('before')
    await composer(open.page).click()
    await open.page.keyboard.press('c')
    expect(await composer(open.page).inputValue()).toBe('c')
    expect(await clipboard()).toBe('before')
  })

  it('leaves Esc in main’s composer to main', async () => {
    rig.model.script({
      match: 'STAYS',
      behaviour: { kind: 'gate', name: 'stays', before: 'Still answering', after: '.' },
    })
    await type(open.page, '/btw STAYS open')
    await overlay(open.page).getByText('Still answering').waitFor()
    await composer(open.page).click()
    await open.page.keyboard.press('Escape')
    await open.page.waitForTimeout(300)
    expect(await overlay(open.page).textContent()).toContain('Still answering')
    expect(request('STAYS').aborted).toBe(false)
    rig.model.release('stays')
    await button(overlay(open.page), 'Retry').waitFor()
  })

  it('[K44] [K43] shows thinking apart, and says what it inherited and keeps', async () => {
    rig.model.script({
      match: 'THINK',
      behaviour: { kind: 'reasoning', reasoning: 'Let me see.', text: 'I have thought.' },
    })
    await type(open.page, '/btw THINK about it')
    await overlay(open.page).getByText('I have thought.').waitFor()
    const answer = await overlay(open.page).textContent()
    expect(answer).not.toContain('Let me see.')
    expect(answer).toMatch(/1 turn\b.*no tools.*not stored/)
    await button(overlay(open.page), /thought|Thought/).click()
    await overlay(open.page).getByText('Let me see.').waitFor()
  })

  it('[K38] leaves one quiet line in main’s transcript, without ids, and nothing in the list of conversations', async () => {
    await type(open.page, '/btw QUIET row')
    await button(overlay(open.page), 'Retry').waitFor()
    await button(overlay(open.page), 'Close').click()
    const text = await open.page.locator('main, body').first().innerText()
    expect(text).not.toMatch(/sidemind:|[0-9a-f]{8}-[0-9a-f]{4}/)
    expect(await open.page.getByText('asked on the side', { exact: false }).count()).toBe(1)
    expect(await open.page.locator('[data-chat-flow]').innerText()).not.toContain('side conversation')
    expect(text).not.toMatch(/subagent/i)
  })

  it('[K16] stays readable while main asks its person, and its Esc leaves that question pending', async () => {
    rig.model.script({
      match: 'OPEN-SIDE',
      behaviour: { kind: 'gate', name: 'open-side', before: 'It begins', after: ' and ends.' },
    })
    await type(open.page, '/btw OPEN-SIDE question')
    await overlay(open.page).getByText('It begins').waitFor()
    const questions = [{ id: 'q', question: 'Which file is meant?', options: [{ label: 'a.txt' }, { label: 'b.txt' }] }]
    rig.model.script({
      match: 'MAIN-ASKS',
      behaviour: { kind: 'tool', calls: [{ name: 'ask_user_question', arguments: { questions } }], after: 'Thanks.' },
    })
    await rig.prompt(main, 'MAIN-ASKS something')
    await open.page.getByText('Which file is meant?').waitFor()
    rig.model.release('open-side')
    await overlay(open.page).getByText('It begins and ends.').waitFor()
    await overlay(open.page).focus()
    await open.page.keyboard.press('Escape')
    await open.page.keyboard.press('Escape')
    await overlay(open.page).waitFor({ state: 'detached' })
    await open.page.getByText('Which file is meant?').waitFor()
    const events = rig.frames.events(main).map(({ type: kind }) => kind)
    expect(events.lastIndexOf('tool/result')).toBeLessThan(events.lastIndexOf('tool/call'))
    await open.page.getByText('a.txt').click()
    await open.page.getByRole('button', { name: 'Submit' }).click()
    await open.page.getByText('Thanks.').waitFor()
  })

  it('cannot be seen or driven from another tab (D7)', async () => {
    const other = await openPage(rig.url, { sessionId: main })
    rig.model.script({ match: 'PRIVATE', behaviour: { kind: 'plain', text: 'PRIVATE-ANSWER' } })
    await type(open.page, '/btw PRIVATE question')
    await overlay(open.page).getByText('PRIVATE-ANSWER').waitFor()
    await other.page.waitForTimeout(500)
    expect(await other.page.locator('body').innerText()).not.toContain('PRIVATE')
    expect(
      await other.page.evaluate(() => JSON.stringify([Object.entries(sessionStorage), Object.entries(localStorage)])),
    ).not.toContain('PRIVATE')
    expect(await other.page.evaluate(() => sessionStorage.getItem('sidemind-sides'))).toBeNull()
    await other.close()
  })
})

describe('when the model fails', () => {
  it.each([
    ['401', { kind: 'status', status: 401 }, '', 'The model service refused the key.'],
    [
      'a cut-off stream',
      { kind: 'cut', text: 'Half an answer' },
      'Half an answer',
      /The (connection to the )?model service/,
    ],
    [
      'a malformed stream',
      { kind: 'malformed', text: 'Half an answer' },
      'Half an',
      'The model service sent something incomplete.',
    ],
    ['a context overflow', { kind: 'overflow' }, '', 'The conversation is too long for the model.'],
  ] as const)(
    'says it in a sentence after %s, keeps what was written, and tries again',
    async (_what, behaviour, kept, sentence) => {
      rig.model.script({ match: 'FAILING', behaviour })
      await type(open.page, '/btw FAILING question')
      await overlay(open.page).getByText(sentence).waitFor({ timeout: 45_000 })
      expect(await overlay(open.page).textContent()).toContain(kept)
      rig.model.clear()
      rig.model.script({ match: 'FAILING', behaviour: { kind: 'plain', text: 'Now it works.' } })
      await button(overlay(open.page), 'Retry').first().click()
      await overlay(open.page).getByText('Now it works.').waitFor()
      await rig.ask(main, 'Main afterwards. [[plain Fine.]]')
    },
  )

  it('keeps the partial answer of a stalled model when it is stopped, and tries again', async () => {
    rig.model.script({ match: 'STALLED', behaviour: { kind: 'stall', text: 'It began like this' } })
    await type(open.page, '/btw STALLED question')
    await overlay(open.page).getByText('It began like this').waitFor()
    await button(overlay(open.page), 'Stop').click()
    await button(overlay(open.page), 'Retry').waitFor()
    expect(await overlay(open.page).textContent()).toContain('It began like this')
    rig.model.clear()
    rig.model.script({ match: 'STALLED', behaviour: { kind: 'plain', text: 'Now it works.' } })
    await button(overlay(open.page), 'Retry').click()
    await overlay(open.page).getByText('Now it works.').waitFor()
  })

  it('says it in a sentence when the host has given up on 429, 500 and resets, with main untouched', async () => {
    const failing = [
      ['LIMITED', { kind: 'status', status: 429 }, 'The model service asks for a pause.'],
      ['BROKEN', { kind: 'status', status: 500 }, 'The model service is busy.'],
      ['RESET', { kind: 'reset', text: 'Half an answer' }, 'The connection to the model service broke.'],
    ] as const
    for (const [match, behaviour] of failing) {
      rig.model.script({ match, behaviour })
      await paste(open.page, `/btw ${match} question`)
      await overlay(open.page, `${match} question`).waitFor()
    }
    // The host asks each of them several times before it gives up.
    for (const [match, , sentence] of failing.toReversed()) {
      await overlay(open.page, `${match} question`).getByText(sentence).first().waitFor({ timeout: 90_000 })
      if (match !== 'LIMITED') await button(overlay(open.page), /^Previous/).click()
    }
    await rig.ask(main, 'Main afterwards. [[plain Fine.]]')
    expect(await mainAnswer()).toBe('Fine.')
  }, 150_000)
})
