/** What a line typed on the page of the service means. */

import { describe, expect, it } from 'vitest'
import { readLine } from '../../ui/web/typed-line.ts'

describe('a typed line', () => {
  it.each([
    ['/side why?', 'side', 'why?'],
    ['/btw why?', 'btw', 'why?'],
    ['/side', 'side', ''],
    ['/side   \n ', 'side', ''],
    ['  /btw late start', 'btw', 'late start'],
    ['/Side as a phone writes it', 'side', 'as a phone writes it'],
    ['/side\nfirst\n  second', 'side', 'first\n  second'],
    ['/side /btw nested', 'side', '/btw nested'],
  ])('%j is for a side', (text, to, question) => {
    expect(readLine(text)).toEqual({ to, question })
  })

  it.each(['why?', '/sidebar', '/btws x', 'see /side', '/compact', 'a\n/side b'])(
    '%j is for main, as it is',
    (text) => {
      expect(readLine(text)).toEqual({ to: 'main', text })
    },
  )
})
