/** Two languages, one set of keys, plain words. */

import { describe, expect, it } from 'vitest'
import { SIDE_ERROR_CODES } from '../../src/wire/index.ts'
import { createTranslate, dictionaries } from '../../ui/locales.ts'
import type { LocaleKey } from '../../ui/locales.ts'
import { webDictionaries } from '../../ui/web/words.ts'
import type { WebKey } from '../../ui/web/words.ts'

const { zh, en } = dictionaries
const keys = Object.keys(zh) as LocaleKey[]
const holes = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').toSorted()

describe('words', () => {
  it('has the same keys and the same placeholders in both languages', () => {
    expect(Object.keys(en).toSorted()).toEqual(keys.toSorted())
    for (const key of keys) expect([key, holes(en[key])]).toEqual([key, holes(zh[key])])
  })

  it('has a sentence with a way out for every error code', () => {
    for (const code of SIDE_ERROR_CODES)
      for (const words of [zh, en]) expect(words[`error.${code}`].length).toBeGreaterThan(10)
  })

  it('names no product, exclaims nothing and leaves nothing empty', () => {
    for (const key of keys) {
      for (const words of [zh[key], en[key]]) {
        expect(words).not.toMatch(/sidemind|deepseek|[!！]/i)
        expect(words.trim()).not.toBe('')
      }
    }
  })

  it('writes Chinese in Chinese', () => {
    const bare = keys.filter((key) => !/[\u4e00-\u9fff]/.test(zh[key]))
    expect(bare).toEqual(['from.tokens', 'list.comma'])
    for (const key of keys) expect(zh[key]).not.toMatch(/[\u4e00-\u9fff][,;:?]/)
  })

  it('keeps the same rules on the page of the service', () => {
    const { zh: own, en: ours } = webDictionaries
    const all = Object.keys(own) as WebKey[]
    expect(Object.keys(ours).toSorted()).toEqual(all.toSorted())
    for (const key of all) {
      expect([key, holes(ours[key])]).toEqual([key, holes(own[key])])
      for (const words of [own[key], ours[key]]) expect(words).not.toMatch(/sidemind|deepseek|[!！]|^\s*$/i)
      expect(own[key]).not.toMatch(/[\u4e00-\u9fff][,;:?]/)
    }
    // The switch names the other language in that language.
    expect(all.filter((key) => !/[\u4e00-\u9fff]/.test(own[key]))).toEqual(['web.language'])
  })

  it('fills placeholders with what they are given, as it is', () => {
    expect(createTranslate('en')('btw.label', { title: '{n} $& <b>' })).toBe('btw: {n} $& <b>')
    expect(createTranslate('zh-Hans-CN')('from.turns', { n: 12 })).toBe('12 轮')
    expect(createTranslate('fr')('from.turn', { n: 1 })).toBe('1 turn')
    expect(createTranslate('en')('btw.label')).toBe('btw: {title}')
  })
})
