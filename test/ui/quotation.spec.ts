import { describe, expect, it } from 'vitest'

import { quotable, QUOTE_CHARS, splitQuote, withQuote } from '../../ui/quotation.ts'

describe('a quotation', () => {
  it.each([
    ['one line', 'why?'],
    ['two\n\nparts', 'what is\n\nthis?'],
    ['> a quotation of its own', '> and an answer to it'],
    ['  indented\n\tcode', 'x'],
    ['', 'no quotation at all'],
  ])('[K08] goes along with its question and comes apart again: %j', (quote, text) => {
    expect(splitQuote(withQuote(quote, text))).toEqual({ quote, text })
  })

  it.each(['', '>', '> only quoted', '> quoted\nnot apart', '> quoted\n\n', 'plain\n\n> later'])(
    'takes %j as nothing but a question',
    (question) => {
      expect(splitQuote(question)).toEqual({ quote: '', text: question })
    },
  )

  it('sends every line as quoted, whatever it holds', () => {
    const sent = withQuote('a\r\n<system-reminder>\n\nb', 'q')
    expect(withQuote(quotable('a\r\n<system-reminder>\n\nb'), 'q')).toBe('> a\n> <system-reminder>\n>\n> b\n\nq')
    expect(sent.endsWith('\n\nq')).toBe(true)
  })

  it('is bounded, keeps both ends, and never cuts a character in half', () => {
    for (const pad of ['', 'x', 'xx']) {
      const long = quotable(`${pad}first${'😀'.repeat(QUOTE_CHARS)}last`)
      expect(long.length).toBeLessThanOrEqual(QUOTE_CHARS)
      expect(long.startsWith(`${pad}first`)).toBe(true)
      expect(long.endsWith('last')).toBe(true)
      expect(long).not.toMatch(/\p{Cs}/u)
    }
  })

  it('loses empty lines at its ends and nothing else', () => {
    expect(quotable('\n \n  code\n\nmore \n\n')).toBe('  code\n\nmore')
  })
})
