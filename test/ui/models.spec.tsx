/** The picker of models and its menu, by keyboard. */

import { act, screen, within } from '@testing-library/react'
import axe from 'axe-core'
import { describe, expect, it } from 'vitest'
import { mountBtw, mountSide } from './mount.tsx'
import { MAIN } from './rig.ts'

const names = (): (string | null)[] => screen.getAllByRole('menuitemradio').map((item) => item.textContent)

describe('the model picker', () => {
  it('[K39] lists what the host offers, and chooses with the keyboard for this side alone', async () => {
    const page = mountSide()
    await page.tick()
    const button = screen.getByRole('button', { name: 'Model: Main’s model' })
    act(() => button.focus())
    await page.user.keyboard('{Enter}')
    expect(names()).toEqual(['Main’s model', 'Flashmain', 'Pro', 'Small', 'Off', 'Low', 'High'])
    expect(document.activeElement?.textContent).toBe('Main’s model')
    await page.user.keyboard('{ArrowDown}{ArrowDown}{Enter}')
    expect(page.runtime.find(page.sideId)?.route).toEqual({ provider: 'tide', model: 'pro', effort: 'high' })
    await page.user.click(screen.getByRole('menuitemradio', { name: 'Low' }))
    expect(page.runtime.find(page.sideId)?.route).toEqual({ provider: 'tide', model: 'pro', effort: 'low' })
    expect(page.runtime.models.remembered('main')).toBeNull()
    await page.user.click(screen.getByRole('menuitemcheckbox', { name: 'Use for new sides here' }))
    expect(page.runtime.models.remembered('main')).toEqual({ provider: 'tide', model: 'pro', effort: 'low' })
    const found = await axe.run(document.querySelector('[data-sidemind]') as HTMLElement, {
      rules: { 'color-contrast': { enabled: false }, region: { enabled: false } },
    })
    expect(found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)).toEqual([])
    await page.user.keyboard('{Escape}')
    expect(screen.queryByRole('menu')).toBeNull()
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Model: Pro, Low' }))
    expect(page.mainHeard).not.toContain('Escape')
  })

  it('says what a choice costs until it is asked: the cache, or another provider that gets the history', async () => {
    const page = mountSide()
    await page.tick()
    await act(async () => page.runtime.pick(page.sideId, { provider: 'tide', model: 'pro' }))
    screen.getByText(/without the prompt cache/)
    await act(async () => page.runtime.pick(page.sideId, { provider: 'ebb', model: 'small' }))
    screen.getByText(/Main’s history also goes to Ebb/)
    await act(async () => page.runtime.pick(page.sideId, { provider: 'tide', model: 'flash', effort: 'low' }))
    expect(screen.queryByText(/prompt cache/)).toBeNull()
  })

  it('is not there where the host tells no models', async () => {
    const page = mountSide()
    page.transport.catalog = { main: null, providers: [] }
    await page.tick()
    await act(async () => page.runtime.models.load(MAIN))
    await page.tick()
    expect(screen.queryByRole('button', { name: /^Model/ })).toBeNull()
  })

  it('leaves a menu with Esc without stopping the answer or closing the card', async () => {
    const page = mountBtw()
    const side = await page.ask('why?')
    await page.answer(side, 'because')
    await page.user.click(screen.getByRole('button', { name: 'Ask again with another model or effort' }))
    const menu = screen.getByRole('menu')
    await page.user.click(within(menu).getByRole('menuitemradio', { name: 'Pro' }))
    await page.user.keyboard('{Escape}')
    expect(screen.queryByRole('menu')).toBeNull()
    expect(page.runtime.find(side)?.status.phase).toBe('idle')
    expect(page.transport.opened).toHaveLength(1)
  })
})
