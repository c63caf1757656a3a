/** A side that asks its person: choosing, words, keys, failures, and what is kept when the prompt goes away. */

import { act, screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import type { AskedQuestion, InteractionPatch, SideEvent } from '../../src/wire/index.ts'
import { say } from '../kit/fake-transport.ts'
import { mountSide } from './mount.tsx'

const ONE: AskedQuestion = {
  id: 'one',
  question: 'Which one?',
  header: 'Lockfile',
  options: [{ label: 'npm' }, { label: 'pnpm', description: 'The one of this project.' }],
  multiple: false,
}
const MANY: AskedQuestion = { id: 'many', question: 'Which of them?', options: ONE.options, multiple: true }
const WHY: AskedQuestion = { id: 'why', question: 'What for?', options: [], multiple: false }

type Page = Awaited<ReturnType<typeof asking>>

async function asking(questions: readonly AskedQuestion[], locale = 'en') {
  const page = mountSide({}, locale)
  await page.user.keyboard('go{Enter}')
  await page.tick()
  const { turnId } = page.transport.at(0)
  const told = (status: InteractionPatch['status']): SideEvent => ({
    eventType: 'state_patch',
    data: {
      turn: { turnId, phase: status === 'pending' ? 'waiting' : 'running' },
      interaction: { requestId: 'r', turnId, kind: 'question', status, input: { questions } },
    },
  })
  const tell = async (status: InteractionPatch['status']): Promise<void> => {
    page.transport.emit(page.sideId, told(status))
    await page.tick()
  }
  page.transport.emit(page.sideId, say.running(turnId))
  await tell('pending')
  return { ...page, turnId, tell }
}

const prompt = () => screen.getByRole('group', { name: 'It has a question' })
const answerButton = () => within(prompt()).getByRole<HTMLButtonElement>('button', { name: 'Answer' })
const composer = () => screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Question' })
const responses = (page: Page) => page.transport.of('respond').map((call) => call[3])

describe('a question of a side', () => {
  it('offers what was asked, sends one answer for all, and goes away with the event alone (T6)', async () => {
    const page = await asking([ONE, MANY, WHY])
    expect(answerButton().disabled).toBe(true)
    const [one, many] = screen
      .getAllByRole('group')
      .filter((group) => group.tagName === 'FIELDSET')
      .slice(1)
    await page.user.click(within(one as HTMLElement).getByRole('radio', { name: /^pnpm/ }))
    await page.user.click(within(many as HTMLElement).getByRole('checkbox', { name: 'npm' }))
    await page.user.type(within(many as HTMLElement).getByRole('textbox'), 'yarn')
    await page.user.type(screen.getByRole('textbox', { name: 'Your answer' }), ' To install.{Enter}')
    await page.tick()
    expect(responses(page)).toEqual([
      {
        answers: [
          { id: 'one', selected: ['pnpm'] },
          { id: 'many', selected: ['npm'], custom: 'yarn' },
          { id: 'why', selected: [], custom: 'To install.' },
        ],
      },
    ])
    expect(answerButton().matches(':disabled')).toBe(true)
    await page.tell('answered')
    expect(screen.queryByRole('group', { name: 'It has a question' })).toBeNull()
    expect(document.activeElement).toBe(composer())
    expect(composer().value).toBe('')
  })

  it('takes words in place of an option, and keeps both while the person wavers', async () => {
    const page = await asking([ONE])
    const words = screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'In your own words' })
    await page.user.type(words, 'yarn')
    await page.user.click(screen.getByRole('radio', { name: /^npm/ }))
    expect(words.value).toBe('yarn')
    await page.user.click(screen.getByRole('radio', { name: 'In your own words' }))
    await page.user.click(answerButton())
    expect(responses(page)).toEqual([{ answers: [{ id: 'one', selected: [], custom: 'yarn' }] }])
  })

  it('keeps what was chosen and says so when the answer was refused, and sends it again', async () => {
    const page = await asking([WHY])
    page.transport.script.respond = 'stream_unavailable'
    await page.user.type(screen.getByRole('textbox', { name: 'Your answer' }), 'Because.{Enter}')
    await page.tick()
    expect(screen.getByRole<HTMLTextAreaElement>('textbox', { name: 'Your answer' }).value).toBe('Because.')
    expect(screen.getAllByText(/could not be reached|connection|offline/i).length).toBeGreaterThan(0)
    page.transport.script.respond = 'accept'
    await page.user.click(answerButton())
    await page.tick()
    expect(responses(page)).toHaveLength(2)
  })

  it('puts it aside with one button', async () => {
    const page = await asking([ONE])
    await page.user.click(within(prompt()).getByRole('button', { name: 'Do not answer' }))
    expect(responses(page)).toEqual([{ decision: 'refuse' }])
  })

  it('[I9] brings typed words back into the composer when it goes away unanswered', async () => {
    const page = await asking([WHY])
    await page.user.type(screen.getByRole('textbox', { name: 'Your answer' }), 'half an answer')
    page.transport.emit(page.sideId, say.settled(page.turnId, 'canceled'))
    await page.tick()
    expect(screen.queryByRole('group', { name: 'It has a question' })).toBeNull()
    expect(composer().value).toBe('half an answer')
  })

  it('[I9] keeps typed words with the side that ended', async () => {
    const page = await asking([WHY])
    await page.user.type(screen.getByRole('textbox', { name: 'Your answer' }), 'half an answer')
    page.transport.emit(page.sideId, say.expired('provider_lost'))
    await page.tick()
    expect(page.runtime.draftOf(page.sideId)).toBe('half an answer')
  })

  it('leaves a field with words by Esc first; the next Esc stops, and none reaches main', async () => {
    const page = await asking([WHY])
    await page.user.type(screen.getByRole('textbox', { name: 'Your answer' }), 'half')
    page.mainHeard.length = 0
    await page.user.keyboard('{Escape}')
    expect(document.activeElement).toBe(prompt())
    expect(page.transport.of('cancel')).toEqual([])
    await page.user.keyboard('{Escape}')
    expect(page.transport.of('cancel')).toHaveLength(1)
    expect(page.mainHeard).toEqual([])
  })

  it('says that it waits, in the row and to a screen reader', async () => {
    await asking([ONE])
    expect(screen.getByText('waiting for you')).toBeTruthy()
    await act(() => new Promise((resolve) => setTimeout(resolve, 1_100)))
    expect(screen.getByRole('status').textContent).toBe('It has a question')
  })

  it('asks in Chinese', async () => {
    await asking([MANY], 'zh')
    const group = screen.getByRole('group', { name: '它想问你' })
    expect(
      within(group)
        .getAllByRole('button')
        .map((one) => one.textContent),
    ).toEqual(['答复', '不答复'])
    expect(within(group).getByText('可以多选')).toBeTruthy()
  })
})
