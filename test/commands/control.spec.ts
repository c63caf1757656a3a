/** The encoding of control messages: exact, strict, and never mistaken for what a person typed (I8). */
import { describe, expect, it } from 'vitest'

import { parseInput } from '../../src/commands/parse.ts'
import { createSecrets } from '../../src/commands/secrets.ts'
import { decodeControl, encodeControl, PREFIX, type Control } from '../../src/wire/index.ts'

const side = 'a1b2c3d4-0000-4000-8000-000000000001'
const secret = 'S'.repeat(43)
const open: Control = {
  op: 'open',
  side,
  secret,
  request: 'request-1',
  turn: 'turn-0001',
  page: 'page-0001',
  kind: 'side',
  text: 'why?',
}

const messages: Control[] = [
  open,
  { ...open, route: { provider: 'p', model: 'm', effort: 'low' } },
  { ...open, scope: { kind: 'all' } },
  { ...open, scope: { kind: 'compaction' } },
  { ...open, scope: { kind: 'turns', turns: 3 } },
  { ...open, scope: { kind: 'digest' } },
  { op: 'send', side, secret, turn: 'turn-0002', text: ' literal\n text ' },
  { op: 'send', side, secret, turn: 'turn-0002', text: '' },
  { op: 'send', side, secret, turn: 'turn-0002', catchUp: true, text: 'and now?' },
  {
    op: 'send',
    side,
    secret,
    turn: 'turn-0002',
    route: { provider: 'p', model: 'm' },
    instead: 'turn-0001',
    text: '?',
  },
  { op: 'cancel', side, secret, turn: 'turn-0002' },
  { op: 'respond', side, secret, turn: 'turn-0002', request: 'r', response: { a: 1 } },
  { op: 'close', side, secret, keep: 8_000 },
  { op: 'promote', side, secret },
  { op: 'reopen', side, secret },
  { op: 'touch', side, secret, visible: false },
  { op: 'facts', side, secret, page: 'page-0001' },
  { op: 'hold', side, secret, page: 'page-0001' },
  { op: 'claim', side, secret },
  { op: 'send', side, secret, turn: 'turn-0002', boot: 'life-0001', text: 'late?' },
]

describe('encodeControl and decodeControl', () => {
  it.each(messages)('brings $op through unchanged', (message) => {
    expect(decodeControl(encodeControl(message))).toEqual(message)
  })

  it('keeps the text of a question byte for byte', () => {
    for (const text of ['\u0000', 'a\r\nb', PREFIX, `${PREFIX}{"op":"close"}`, '  ', '\n\n', '"}\n{']) {
      expect(decodeControl(encodeControl({ ...open, text }))).toMatchObject({ text })
    }
  })

  it.each([
    { kind: 'some' },
    { kind: 'turns' },
    { kind: 'turns', turns: 0 },
    { kind: 'turns', turns: 1.5 },
    { kind: 'turns', turns: '3' },
    { kind: 'all', turns: 3 },
    { kind: 'digest', also: 1 },
    'all',
    null,
  ])('takes an open with the scope %j for a question', (scope) => {
    expect(decodeControl(encodeControl({ ...open, scope: scope as never }))).toBeNull()
  })

  const line = encodeControl({ op: 'close', side, secret, keep: 0 })
  const own = { provider: 'p', model: 'm' }
  const again = encodeControl({
    op: 'send',
    side,
    secret,
    turn: 'turn-0002',
    route: own,
    instead: 'turn-0001',
    text: '?',
  })
  it.each([
    ['the bare prefix', ` ${PREFIX}`],
    ['no JSON', ` ${PREFIX}close`],
    ['cut-off JSON', line.slice(0, -1)],
    ['an array', ` ${PREFIX}[1,2]`],
    ['no secret', ` ${PREFIX}${JSON.stringify({ op: 'close', side, keep: 0 })}`],
    ['a short secret', line.replace(secret, 'S')],
    ['an unknown operation', line.replace('"close"', '"explode"')],
    ['an inherited name as operation', line.replace('"close"', '"constructor"')],
    ['a field too many', line.replace('"keep"', '"extra":1,"keep"')],
    ['an open with a date', encodeControl({ ...open, boot: 'life-0001' })],
    ['a route without a model', again.replace('"model":"m"', '"model":""')],
    ['a route with more in it', again.replace('"model":"m"', '"model":"m","default":true')],
    ['a malformed attempt', again.replace('"instead":"turn-0001"', '"instead":7')],
    ['a malformed date', line.replace('"keep"', '"boot":"x","keep"')],
    ['a missing field', ` ${PREFIX}${JSON.stringify({ op: 'cancel', side, secret })}`],
    ['a wrong type', line.replace('"keep":0', '"keep":"0"')],
    ['a negative time', line.replace('"keep":0', '"keep":-1')],
    ['text behind a message that has none', `${line}\nhello`],
    ['no text behind an open', encodeControl(open).split('\n')[0] ?? ''],
    ['two separators', ` ${line}`],
    ['text before the prefix', ` x${line.slice(1)}`],
    ['a header of 20 kB', line.replace('"side"', `"${'x'.repeat(20_000)}":1,"side"`)],
  ])('takes %s for a question', (_what, rawInput) => {
    expect(decodeControl(rawInput)).toBeNull()
  })
})

describe('parseInput', () => {
  it('[K29] strips the one separator and nothing else from a question', () => {
    const admits = (): boolean => true
    expect(parseInput(' {"op":"close"}', admits)).toEqual({ kind: 'question', text: '{"op":"close"}' })
    expect(parseInput('\n  indented', admits)).toEqual({ kind: 'question', text: '  indented' })
    expect(parseInput('', admits)).toEqual({ kind: 'question', text: '' })
  })

  it('takes a well-formed message without the right secret for a question, whole', () => {
    const rawInput = encodeControl({ op: 'close', side, secret, keep: 0 })
    expect(parseInput(rawInput, () => false)).toEqual({ kind: 'question', text: rawInput.slice(1) })
  })
})

describe('createSecrets', () => {
  const close = (key: string): Control => ({ op: 'close', side, secret: key, keep: 0 })

  it('admits only the secret that the side was opened with', () => {
    const secrets = createSecrets()
    expect(secrets.admits(close(secret))).toBe(false)
    expect(secrets.admits(open)).toBe(true)
    secrets.bind(side, secret)
    expect(secrets.admits(close(secret))).toBe(true)
    expect(secrets.admits(close('T'.repeat(43)))).toBe(false)
    expect(secrets.admits({ ...open, secret: 'T'.repeat(43) })).toBe(false)
  })

  it('still knows the secret of a side that ended, so that a late message is no question', () => {
    const secrets = createSecrets()
    secrets.bind(side, secret)
    secrets.ended(side)
    expect(secrets.admits(close(secret))).toBe(true)
    expect(secrets.admits(close('T'.repeat(43)))).toBe(false)
    for (let count = 0; count < 1_024; count += 1) {
      secrets.bind(`other-${count}`, secret)
      secrets.ended(`other-${count}`)
    }
    expect(secrets.admits(close(secret))).toBe(false)
  })

  it('never gives a side a second secret, not even when two opens of it were admitted at once', () => {
    const secrets = createSecrets()
    expect(secrets.admits(open) && secrets.admits({ ...open, secret: 'T'.repeat(43) })).toBe(true)
    secrets.bind(side, secret)
    expect(() => secrets.bind(side, 'T'.repeat(43))).toThrow('conflict')
    secrets.bind(side, secret)
    expect(secrets.admits(close(secret))).toBe(true)
    expect(secrets.admits(close('T'.repeat(43)))).toBe(false)
  })

  it('lets a side that a plain command opened be claimed once, and by nothing but a claim', () => {
    const secrets = createSecrets()
    secrets.offer(side)
    expect(secrets.admits(close(secret))).toBe(false)
    expect(secrets.admits(open)).toBe(false)
    expect(secrets.admits({ op: 'claim', side, secret })).toBe(true)
    secrets.bind(side, secret)
    expect(secrets.admits({ op: 'claim', side, secret: 'T'.repeat(43) })).toBe(false)
  })
})
