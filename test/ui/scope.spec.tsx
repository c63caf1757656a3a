/** What goes along with the first question: said before it is sent, changed by the person, never more than fits. */
import { screen, within } from '@testing-library/react'
import { describe, expect, it } from 'vitest'

import type { MainSize } from '../../ui/data/scope.ts'
import { FACTS } from '../kit/fake-transport.ts'
import { mountSide } from './mount.tsx'

const SIZE: MainSize = {
  measured: {
    turns: 12,
    tokens: 20_000,
    base: 8_000,
    tail: Array.from({ length: 12 }, () => 1_000),
    compacted: false,
  },
  window: 128_000,
}

describe('what goes along', () => {
  it('[K06] is said before the first question, and asks the host nothing', () => {
    const page = mountSide({ size: SIZE })
    expect(screen.getByText('all 12 turns, 20k of 128k tokens')).toBeTruthy()
    expect(page.transport.calls).toEqual([])
  })

  it('is what the person picked, for the fork and not for a follow-up', async () => {
    const page = mountSide({ size: SIZE })
    await page.user.click(screen.getByRole('button', { name: 'Change' }))
    await page.user.click(screen.getByRole('radio', { name: /the last 3 turns/ }))
    expect(screen.getByText('the last 3 turns, 11k of 128k tokens')).toBeTruthy()
    await page.user.click(screen.getByRole('textbox', { name: 'Question' }))
    await page.user.keyboard('why?{Enter}')
    await page.tick()
    expect(page.transport.opened[0]?.scope).toEqual({ kind: 'turns', turns: 3 })
  })

  it('is left to the host while the person picks nothing', async () => {
    const page = mountSide({ size: SIZE })
    await page.user.keyboard('why?{Enter}')
    await page.tick()
    expect(page.transport.opened[0]).not.toHaveProperty('scope')
  })

  it('[K05] is less than everything when everything does not fit, which it says and does not offer', async () => {
    const page = mountSide({ size: { ...SIZE, window: 16_000 } })
    expect(screen.getByText('the last 4 turns, 12k of 16k tokens')).toBeTruthy()
    expect(screen.getByText(/All of it would not fit/)).toBeTruthy()
    await page.user.click(screen.getByRole('button', { name: 'Change' }))
    const all = screen.getByRole<HTMLInputElement>('radio', { name: /all 12 turns/ })
    expect(all.disabled).toBe(true)
    expect(within(all.closest('label') as HTMLElement).getByText('too long')).toBeTruthy()
    const digest = screen.getByRole<HTMLInputElement>('radio', { name: /digest/ })
    expect(digest.disabled).toBe(false)
  })

  it('closes with Esc and nothing else does', async () => {
    const page = mountSide({ size: SIZE })
    await page.user.click(screen.getByRole('button', { name: 'Change' }))
    await page.user.keyboard('{Escape}')
    expect(screen.queryByRole('radio')).toBeNull()
    expect(page.mainHeard).not.toContain('Escape')
  })

  it('[K05] is offered smaller when the model refused it, keeps the question, and forks anew', async () => {
    const page = mountSide({ size: SIZE })
    page.transport.facts = {
      ...FACTS,
      scope: { kind: 'all' },
      smaller: { scope: { kind: 'turns', turns: 5 }, turns: 5, tokens: 13_000 },
    }
    await page.user.keyboard('too long?{Enter}')
    await page.tick()
    const first = page.transport.opened[0]
    page.transport.emit(page.sideId, {
      eventType: 'state_patch',
      data: {
        turn: {
          turnId: first?.turnId ?? '',
          phase: 'settled',
          outcome: 'failed',
          error: { code: 'provider_error', kind: 'context_overflow', detail: '' },
        },
      },
    })
    await page.tick()
    await page.user.click(screen.getByRole('button', { name: 'Ask with the last 5 turns' }))
    await page.tick()
    expect(page.transport.opened).toHaveLength(2)
    expect(page.transport.opened[1]).toMatchObject({
      scope: { kind: 'turns', turns: 5 },
      content: [{ type: 'text', text: 'too long?' }],
    })
    expect(page.transport.of('close').map(([sideId, keep]) => [sideId, keep])).toEqual([[first?.sideId, 0]])
    expect(screen.getByText('too long?')).toBeTruthy()
  })
})
