/** Keys and input methods in a composer (K23). */

import { fireEvent, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import type { ReactElement } from 'react'
import { describe, expect, it, vi } from 'vitest'
import { Composer } from '../../ui/parts/Composer.tsx'
import { composerKey } from '../../ui/parts/composer-keys.ts'
import { mount } from './mount.tsx'

function Field({
  onSend,
  recall = '',
  start = '',
}: {
  readonly onSend: (text: string) => void
  readonly recall?: string
  readonly start?: string
}): ReactElement {
  const [text, setText] = useState(start)
  return (
    <Composer
      text={text}
      onText={setText}
      onSend={onSend}
      placeholder="ask"
      onRecall={() => setText(recall)}
      autoFocus
    />
  )
}

function open(start = '', recall = '') {
  const onSend = vi.fn()
  mount(<Field onSend={onSend} start={start} recall={recall} />)
  return { onSend, field: screen.getByRole<HTMLTextAreaElement>('textbox'), user: userEvent.setup() }
}

describe('composer', () => {
  it('sends with Enter and writes a line with Shift+Enter', async () => {
    const { onSend, field, user } = open()
    await user.keyboard('one{Shift>}{Enter}{/Shift}two')
    expect(field.value).toBe('one\ntwo')
    await user.keyboard('{Enter}')
    expect(onSend.mock.calls).toEqual([['one\ntwo']])
  })

  it('sends text as it is, never trimmed', async () => {
    const { onSend, field } = open('  /side {"op":"close"} \n')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(onSend.mock.calls).toEqual([['  /side {"op":"close"} \n']])
  })

  it('does not send blank text', () => {
    const { onSend, field } = open(' \n ')
    fireEvent.keyDown(field, { key: 'Enter' })
    expect(onSend).not.toHaveBeenCalled()
    expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Send' }).disabled).toBe(true)
  })

  it('[K23] does not send with the Enter that confirms a candidate (isComposing)', () => {
    const { onSend, field } = open('你好')
    fireEvent.compositionStart(field)
    fireEvent.keyDown(field, { key: 'Enter', isComposing: true, keyCode: 229 })
    expect(onSend).not.toHaveBeenCalled()
  })

  it('[K23] does not send with an Enter of keyCode 229 that claims not to be composing', () => {
    const { onSend, field } = open('你好')
    fireEvent.compositionStart(field)
    fireEvent.compositionEnd(field)
    fireEvent.keyDown(field, { key: 'Enter', isComposing: false, keyCode: 229 })
    expect(onSend).not.toHaveBeenCalled()
  })

  it('[K23] does neither send nor break the line with an ordinary Enter right after compositionend', () => {
    const { onSend, field } = open('你好')
    fireEvent.compositionStart(field)
    fireEvent.compositionEnd(field)
    const stopped = !fireEvent.keyDown(field, { key: 'Enter', isComposing: false, keyCode: 13 })
    expect(onSend).not.toHaveBeenCalled()
    expect(stopped).toBe(true)
  })

  it('[K23] sends with the next Enter', async () => {
    const { onSend, field } = open('你好')
    fireEvent.compositionStart(field)
    fireEvent.compositionEnd(field)
    await new Promise((resolve) => setTimeout(resolve, 120))
    fireEvent.keyDown(field, { key: 'Enter', keyCode: 13 })
    expect(onSend).toHaveBeenCalledTimes(1)
  })

  it('recalls the last question with Up in an empty field only', async () => {
    const { field, user } = open('', 'the last one')
    await user.keyboard('{ArrowUp}')
    expect(field.value).toBe('the last one')
    await user.clear(field)
    await user.keyboard('x{ArrowUp}')
    expect(field.value).toBe('x')
  })

  it('leaves keys with a modifier, and those of an input method, to the field', () => {
    const key = { keyCode: 0, isComposing: false, shiftKey: false, altKey: false, ctrlKey: false, metaKey: false }
    const state = { justComposed: false, empty: true }
    expect(composerKey({ ...key, key: 'ArrowUp', shiftKey: true }, state)).toBe('leave')
    expect(composerKey({ ...key, key: 'ArrowUp', keyCode: 229 }, state)).toBe('leave')
    expect(composerKey({ ...key, key: 'Enter', altKey: true }, state)).toBe('leave')
    expect(composerKey({ ...key, key: 'Enter', ctrlKey: true }, state)).toBe('send')
    expect(composerKey({ ...key, key: 'Enter', isComposing: true }, { ...state, justComposed: true })).toBe('leave')
  })
})
