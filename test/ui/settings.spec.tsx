/** The settings card: staged, checked in words, saved field by field, and honest when the host refuses. */
import { cleanup, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'

import { createTranslate } from '../../ui/locales.ts'
import { SurfaceProvider } from '../../ui/parts/surface.tsx'
import { SettingsCard, type SettingsScope, type SettingsState } from '../../ui/settings/SettingsCard.tsx'

afterEach(cleanup)

const BASE = { undoSeconds: 8, copyKey: 'c', sideKey: 'Ctrl+Shift+Comma', liveTurn: 'digest', tools: ['read'] }

function scopeOf(options: { refuse?: boolean; writable?: boolean } = {}) {
  let state: SettingsState = { ready: true, writable: options.writable ?? true, value: BASE, base: BASE, user: {} }
  const listeners = new Set<() => void>()
  const change = (user: Record<string, unknown>): void => {
    if (options.refuse) return
    state = { ...state, user, value: { ...BASE, ...user } }
    for (const listener of listeners) listener()
  }
  const scope: SettingsScope = {
    getSnapshot: () => state,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    set: async (field, value) => change({ ...state.user, [field]: value }),
    async unset(field) {
      const { [field]: _gone, ...rest } = state.user
      change(rest)
    },
  }
  return { scope, user: () => state.user }
}

async function open(scope: SettingsScope, language = 'en') {
  const person = userEvent.setup()
  render(
    <SurfaceProvider value={{ t: createTranslate(language) }}>
      <ul>
        <SettingsCard scope={scope} />
      </ul>
    </SurfaceProvider>,
  )
  await person.click(screen.getByRole('button', { expanded: false }))
  return person
}

describe('the settings card', () => {
  it('saves what was changed, shows that it was, and goes back to the default', async () => {
    const { scope, user } = scopeOf()
    const person = await open(scope)
    const undo = screen.getByLabelText('Undo after closing (seconds)')
    await person.clear(undo)
    await person.type(undo, '3')
    await person.selectOptions(screen.getByLabelText('What main is doing'), 'off')
    expect(user()).toEqual({})
    await person.click(screen.getByRole('button', { name: 'Save' }))
    expect(user()).toEqual({ undoSeconds: 3, liveTurn: 'off' })
    expect(screen.getAllByText('changed')).toHaveLength(2)
    await person.click(screen.getAllByRole('button', { name: 'Reset' })[0] as HTMLElement)
    await person.click(screen.getByRole('button', { name: 'Save' }))
    expect(Object.keys(user())).toHaveLength(1)
  })

  it('says in words what is wrong, and saves nothing until it is right', async () => {
    const { scope, user } = scopeOf()
    const person = await open(scope)
    const keys = screen.getByLabelText('Shortcut that shows a side')
    await person.clear(keys)
    await person.type(keys, 'Ctrl+KeyT')
    expect(screen.getByText(/The browser keeps these keys/)).toBeTruthy()
    expect(screen.getByRole('button', { name: 'Save' })).toHaveProperty('disabled', true)
    await person.clear(keys)
    expect(screen.queryByText(/The browser keeps these keys/)).toBeNull()
    await person.click(screen.getByRole('button', { name: 'Save' }))
    expect(user()).toEqual({ sideKey: '' })
  })

  it('keeps what was typed when the host refuses it, and says so', async () => {
    const { scope } = scopeOf({ refuse: true })
    const person = await open(scope)
    const undo = screen.getByLabelText('Undo after closing (seconds)')
    await person.clear(undo)
    await person.type(undo, '3')
    await person.click(screen.getByRole('button', { name: 'Save' }))
    expect(screen.getByText(/That was not saved/)).toBeTruthy()
    expect(undo).toHaveProperty('value', '3')
  })

  it('can be read but not changed where settings are not writable, in Chinese too', async () => {
    const { scope } = scopeOf({ writable: false })
    await open(scope, 'zh')
    expect(screen.getByLabelText('关闭后可撤销（秒）')).toHaveProperty('disabled', true)
    expect(screen.getByText('这里的设置现在不能改。')).toBeTruthy()
  })
})
