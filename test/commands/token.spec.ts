/** What a command answers with: ids, codes and counts, readable back, never a word of a person. */
import { describe, expect, it } from 'vitest'

import { sentenceOf } from '../../src/commands/sentences.ts'
import {
  errorText,
  parseErrorCode,
  parseReply,
  parseStartToken,
  replyToken,
  SIDE_ERROR_CODES,
  startToken,
} from '../../src/wire/index.ts'

describe('tokens', () => {
  it('names a side and its kind, and takes nothing else for a token', () => {
    expect(parseStartToken(startToken('btw', 'side-0001'))).toEqual({ kind: 'btw', sideId: 'side-0001' })
    for (const text of [
      undefined,
      '',
      'sidemind:btw:',
      'sidemind:other:side-0001',
      ' sidemind:btw:side-0001',
      'sidemind:btw:side-0001 x',
    ]) {
      expect(parseStartToken(text)).toBeNull()
    }
  })

  it('brings replies back and refuses anything else', () => {
    expect(parseReply(replyToken({ canceled: true }))).toEqual({ canceled: true })
    expect(parseReply('sidemind:reply:{')).toBeUndefined()
    expect(parseReply('hello')).toBeUndefined()
  })

  it.each(SIDE_ERROR_CODES)('has a sentence for %s, and the code can be read back', (code) => {
    const text = errorText(code, sentenceOf(code, ''))
    expect(text).toMatch(/^[A-Z][^!]*\. \([a-z_]+\)$/)
    expect(parseErrorCode(text)).toBe(code)
  })

  it('reads no code from a sentence that only looks like one', () => {
    expect(parseErrorCode('Something (else)')).toBeNull()
    expect(parseErrorCode('no code')).toBeNull()
  })
})
