/** The card in the page and the schema in the host speak of the same fields with the same bounds. */
import { describe, expect, it } from 'vitest'

import { Config } from '../../src/config.ts'
import { FIELDS, parseText, toText, type Field } from '../../ui/settings/fields.ts'

const defaults = Config({} as never) as unknown as Record<string, unknown>
const accepts = (name: string, value: unknown): boolean => {
  try {
    Config({ [name]: value } as never)
    return true
  } catch {
    return false
  }
}

describe('the settings card', () => {
  it('has every field of the configuration, and no other', () => {
    expect(FIELDS.map(({ name }) => name).toSorted()).toEqual(Object.keys(defaults).toSorted())
  })

  it.each(FIELDS as readonly Field[])('takes the default of $name as it is shown', (field) => {
    expect(parseText(field, toText(defaults[field.name]))).toEqual({ ok: true, value: defaults[field.name] })
  })

  it.each([
    ['undoSeconds', ['-1', '0', '2.5', '60', '61', 'Infinity']],
    ['sidesPerConversation', ['0', '1', '1.5', '32', '33']],
    ['sidesPerHost', ['0', '64', '65']],
    ['lostClientSeconds', ['9', '10', '3600', '3601']],
    ['parkedMinutes', ['0', '1', '1440', '1441']],
    ['inheritFromTokens', ['-1', '0', '1.5', '1000000']],
    ['copyKey', ['', 'c', 'ж', 'cc', '1', ' ']],
    ['sideKey', ['', 'Ctrl+Shift+Comma', 'Shift+KeyA', 'KeyA', 'Alt+F1', 'Ctrl+', 'Meta+Shift+Slash']],
  ] as const)('refuses of %s what the host would refuse', (name, texts) => {
    const field = (FIELDS as readonly Field[]).find((one) => one.name === name) as Field
    for (const text of texts) {
      const parsed = parseText(field, text)
      const value = parsed.ok ? parsed.value : field.kind === 'number' ? Number(text) : text
      expect({ text, ok: accepts(name, value) }).toEqual({ text, ok: parsed.ok })
    }
  })

  it('takes nothing that is no number', () => {
    const undo = FIELDS.find(({ name }) => name === 'undoSeconds') as Field
    for (const text of ['', 'x', '1e999']) expect(parseText(undo, text)).toEqual({ ok: false, why: 'badNumber' })
  })

  it('takes no keys that a browser keeps for itself', () => {
    const keys = FIELDS.find(({ name }) => name === 'sideKey') as Field
    for (const text of [
      'Ctrl+KeyT',
      'Ctrl+KeyW',
      'Ctrl+Shift+KeyN',
      'Ctrl+Minus',
      'Meta+KeyQ',
      'Ctrl+Digit0',
      'Alt+F4',
    ])
      expect(parseText(keys, text)).toEqual({ ok: false, why: 'reservedKeys' })
    expect(parseText(keys, toText(defaults['sideKey']))).toMatchObject({ ok: true })
  })
})
