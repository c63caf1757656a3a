/** Hostile composer input, generated: controls with wrong, near, stolen and replayed secrets, broken and oversized ones,
 *  tokens, and plain questions, in bursts, through the real commands and controller over the fake provider (I8).
 *  `fuzz` throws at the first broken law, shrunk; fuzz.spec.ts and fuzz.full.spec.ts say how much of it runs. */
import { deepStrictEqual, ok, strictEqual } from 'node:assert'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'

import { registerCommands, type CommandHost, type CommandResult } from '../../src/commands/register.ts'
import { createSecrets } from '../../src/commands/secrets.ts'
import { sentenceOf } from '../../src/commands/sentences.ts'
import { SIDE_ERROR_CODES } from '../../src/core/errors.ts'
import { DEFAULT_LIMITS } from '../../src/core/limits.ts'
import { encodeControl, errorText, parseReply, parseStartToken, PREFIX, type Control } from '../../src/wire/index.ts'
import { settle } from '../core/clock.ts'
import { coreRig } from '../core/rig.ts'
import { SCRIPTED, type Script, type Verb } from '../providers/fake.ts'

/** What the inputs came to, so that a run that proves nothing is noticed. */
export interface Tally {
  inputs: number
  /** How many of each sort; a broken one counts as broken, whatever it was before. */
  readonly sorts: Record<Spec['type'], number>
  /** Asked the model. */
  questions: number
  /** Acted as a control. */
  controls: number
  /** Of those, how many carried the secret of the side that they name. */
  rightful: number
  refusals: number
  /** Handlers that threw. */
  crashes: number
  /** Inputs that were answered more than once. */
  answeredTwice: number
}

/** Runs at least `inputs` inputs. */
export async function fuzz(inputs: number, seed: number): Promise<Tally> {
  const sorts = { question: 0, genuine: 0, forged: 0, open: 0, replay: 0, echo: 0, shaped: 0, broken: 0 }
  const tally = { inputs: 0, sorts, questions: 0, controls: 0, rightful: 0, refusals: 0, crashes: 0, answeredTwice: 0 }
  const bursts = fc.array(burst, { minLength: 1, maxLength: 40, size: 'max' })
  for (let round = 0; tally.inputs < inputs; round += 1) {
    await fc.assert(
      fc.asyncProperty(bursts, fc.boolean(), (steps, roomy) => play(steps, roomy, tally)),
      { numRuns: 20, seed: seed + round },
    )
  }
  return tally
}

type Op = Control['op']
type Mutation = { readonly at: number } & (
  | { readonly kind: 'cut' | 'drop' | 'double' | 'case' | 'swap' | 'boot' }
  | { readonly kind: 'insert'; readonly text: string }
)

/** An input before it is known which sides there are; numbers choose among them. */
type Spec =
  | { readonly type: 'question'; readonly text: string }
  | { readonly type: 'genuine'; readonly op: Op; readonly side: number; readonly text: string }
  | { readonly type: 'forged'; readonly op: Op; readonly side: number; readonly secret: number; readonly text: string }
  | { readonly type: 'open'; readonly side: number; readonly secret: number; readonly text: string }
  | { readonly type: 'replay'; readonly at: number }
  | { readonly type: 'echo'; readonly at: number; readonly text: string }
  | { readonly type: 'shaped'; readonly side: number; readonly header: unknown }
  | { readonly type: 'broken'; readonly base: Spec; readonly mutations: readonly Mutation[] }

interface Burst {
  readonly inputs: readonly { readonly spec: Spec; readonly kind: 'btw' | 'side'; readonly separator: string }[]
  readonly script: Script
  readonly fault: Verb | null
  /** Milliseconds that pass afterwards. */
  readonly pause: number
}

const FIXTURES = JSON.parse(
  readFileSync(join(import.meta.dirname, '../fixtures/adversarial-inputs.json'), 'utf8'),
) as readonly string[]
const NASTY = [
  '\n',
  '\r',
  ' ',
  '\t',
  '\u0000',
  '\ud800',
  '\u2063',
  '\u200b',
  '"',
  '\\',
  '{',
  '}',
  ',',
  '\\u0000',
  PREFIX,
]
const OPS: readonly Op[] = [
  'open',
  'send',
  'cancel',
  'respond',
  'promote',
  'close',
  'reopen',
  'touch',
  'facts',
  'hold',
  'claim',
]

const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.string({ unit: 'grapheme', maxLength: 40 }) },
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 40 }) },
  { weight: 4, arbitrary: fc.array(fc.constantFrom(...NASTY), { maxLength: 5 }).map((parts) => parts.join('')) },
  { weight: 4, arbitrary: fc.constantFrom(...FIXTURES) },
  { weight: 2, arbitrary: fc.json({ maxDepth: 2 }) },
  { weight: 1, arbitrary: fc.constantFrom('x'.repeat(100_000), 'x'.repeat(100_001), '字'.repeat(33_334)) },
)
const which = fc.nat({ max: 30 })
const op = fc.constantFrom(...OPS)
const mutation: fc.Arbitrary<Mutation> = fc.oneof(
  fc.record({ kind: fc.constantFrom('cut', 'drop', 'double', 'case', 'swap', 'boot'), at: fc.nat({ max: 400 }) }),
  fc.record({
    kind: fc.constant('insert'),
    at: fc.nat({ max: 400 }),
    text: fc.oneof(fc.constantFrom(...NASTY), fc.constant('x'.repeat(17_000)), fc.string({ maxLength: 4 })),
  }),
)
const plain: fc.Arbitrary<Spec> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ type: fc.constant('question'), text }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('genuine'), op, side: which, text }) },
  { weight: 5, arbitrary: fc.record({ type: fc.constant('forged'), op, side: which, secret: which, text }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('open'), side: which, secret: which, text }) },
  { weight: 3, arbitrary: fc.record({ type: fc.constant('replay'), at: fc.nat() }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant('echo'), at: fc.nat(), text }) },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant('shaped'),
      side: which,
      header: fc.oneof(
        fc.jsonValue({ maxDepth: 2 }),
        fc.dictionary(
          fc.constantFrom('op', 'side', 'secret', 'turn', 'text', '__proto__', 'constructor', 'keep'),
          fc.oneof(fc.constantFrom(...OPS), fc.jsonValue({ maxDepth: 1 })),
        ),
      ),
    }),
  },
)
const burst: fc.Arbitrary<Burst> = fc.record({
  inputs: fc.array(
    fc.record({
      spec: fc.oneof(
        { weight: 5, arbitrary: plain },
        {
          weight: 3,
          arbitrary: fc.record({
            type: fc.constant('broken'),
            base: plain,
            mutations: fc.array(mutation, { minLength: 1, maxLength: 3 }),
          }),
        },
      ),
      kind: fc.constantFrom('btw', 'side'),
      separator: fc.constantFrom(' ', ' ', ' ', '\n', '\t'),
    }),
    { minLength: 1, maxLength: 3 },
  ),
  script: fc.constantFrom('plain', 'plain', 'stall', 'ask', 'error-429'),
  fault: fc.oneof(
    { weight: 12, arbitrary: fc.constant(null) },
    { weight: 1, arbitrary: fc.constantFrom<Verb[]>('open', 'exec', 'cancel', 'respond', 'close') },
  ),
  pause: fc.oneof(
    { weight: 20, arbitrary: fc.constantFrom(0, 20, 200, 1_000) },
    { weight: 1, arbitrary: fc.constantFrom(DEFAULT_LIMITS.undoMs, DEFAULT_LIMITS.lostClientMs + 1_000) },
  ),
})

interface Side {
  readonly id: string
  /** Null: a plain command opened it and nobody claimed it. */
  secret: string | null
  readonly page: string
}

const LEAK = 'LEAKED-DETAIL'
const FACTS = {
  from: 3,
  inheritedTurns: 2,
  mainTurn: 2,
  inheritedTokens: 1_000,
  scope: { kind: 'all' },
  smaller: null,
  window: null,
  liveDigest: false,
  forkedAt: 1,
  route: null,
  tools: ['read'],
  toolSurface: 'restrict',
  ephemeral: true,
} as const
const ERRORS = new Set([
  ...SIDE_ERROR_CODES.map((code) => errorText(code, sentenceOf(code, ''))),
  errorText('invalid_request', sentenceOf('invalid_request', 'empty question')),
])

async function play(bursts: readonly Burst[], roomy: boolean, tally: Tally): Promise<void> {
  const limits = roomy
    ? { ...DEFAULT_LIMITS, sidesPerSource: 10_000, sidesPerHost: 10_000, parallelBtw: 10_000 }
    : DEFAULT_LIMITS
  const core = coreRig({ limits })
  const { provider, controller, clock } = core
  const execs: { readonly side: string; readonly turn: string; readonly text: string }[] = []
  const exec = provider.exec.bind(provider)
  provider.exec = (side, request) => {
    const words = request.content.map((part) => (part.type === 'text' ? part.text : '')).join('')
    execs.push({ side: side.identity.sideSessionId, turn: request.turnId, text: words })
    return exec(side, request)
  }
  const handlers = new Map<string, Parameters<CommandHost<string>['register']>[0]['handler']>()
  let made: string[] = []
  let alive = new Set<string>()
  let ids = 0
  const takeBack = registerCommands<string, ReturnType<typeof provider.source>>(
    {
      register({ name, handler }) {
        handlers.set(name, handler)
        return () => void handlers.delete(name)
      },
    },
    {
      controller,
      secrets: createSecrets(),
      limits: () => limits,
      clock,
      capture: async () => {
        await Promise.resolve()
        return provider.source()
      },
      facts: () => FACTS,
      newId() {
        const id = `host-made-${String((ids += 1)).padStart(8, '0')}`
        made.push(id)
        return id
      },
    },
  )
  const run = async (kind: string, rawInput: string, signal: AbortSignal): Promise<CommandResult> => {
    const handler = handlers.get(kind)
    ok(handler !== undefined)
    return handler({ agent: 'parent-1', rawInput, signal }).catch((error: unknown) => {
      tally.crashes += 1
      throw error
    })
  }

  const sides: Side[] = []
  const heard: string[] = []
  const said: string[] = []
  /** Every secret that any message ever named. */
  const secrets = new Set<string>()

  /** The input of one command, its separator included. */
  function write(spec: Spec, separator: string): string {
    switch (spec.type) {
      case 'question':
        return `${separator}${spec.text}`
      case 'genuine': {
        const side = own(spec)
        return (
          separator + encodeControl(controlOf(spec.op, side, side.secret ?? secretOf(spec.side), spec.text)).slice(1)
        )
      }
      case 'forged': {
        const side = sides[spec.side % sides.length] as Side
        return separator + encodeControl(controlOf(spec.op, side, wrongSecret(side, spec.secret), spec.text)).slice(1)
      }
      case 'open': {
        const side = { id: `fresh-side-${spec.side}`, secret: null, page: `fresh-page-${spec.side % 4}` }
        return separator + encodeControl(controlOf('open', side, secretOf(spec.secret), spec.text)).slice(1)
      }
      case 'replay':
        return said[spec.at % said.length] ?? separator
      case 'echo':
        return `${separator}${heard[spec.at % heard.length] ?? ''}${spec.text}`
      case 'shaped':
        return `${separator}${PREFIX}${JSON.stringify(spec.header)}`
      case 'broken':
        return spec.mutations.reduce(mutated, write(spec.base, separator))
    }
  }

  /** The side that a genuine message is about: one that lives where there is one. */
  function own({ op: verb, side }: { readonly op: Op; readonly side: number }): Side {
    const known = sides.filter(({ secret }) => verb === 'claim' || secret !== null)
    const living = known.filter(({ id }) => controller.find('w', id) !== undefined)
    const pool = living.length > 0 && side % 4 > 0 ? living : known
    return pool[side % pool.length] as Side
  }

  /** A secret that is not this side's: of another side, nearly right, cut short, or made up. */
  function wrongSecret(side: Side, choice: number): string {
    const right = side.secret ?? secretOf(choice)
    const others = [...secrets].filter((one) => one !== side.secret)
    const wrong = [
      others[choice % others.length] ?? '',
      (right.startsWith('A') ? 'B' : 'A') + right.slice(1),
      right.slice(0, -1) + (right.endsWith('A') ? 'B' : 'A'),
      right.slice(0, -1),
      right.toLowerCase() === right ? right.toUpperCase() : right.toLowerCase(),
      side.id,
      '',
    ]
    return wrong[choice % wrong.length] ?? ''
  }

  // Two sides of a client, one that a plain command opened, and one that is gone.
  for (const [at, name] of ['victim-one', 'victim-two', 'victim-gone'].entries()) {
    const side: Side = { id: `${name}-0001`, secret: secretOf(100 + at), page: `${name}-page` }
    const raw = encodeControl(controlOf('open', side, side.secret ?? '', 'why?'))
    strictEqual((await run('side', raw, new AbortController().signal)).kind, 'success')
    said.push(raw)
    sides.push(side)
    secrets.add(side.secret ?? '')
  }
  const gone = sides[2] as Side
  await run(
    'side',
    encodeControl({ op: 'close', side: gone.id, secret: gone.secret ?? '', keep: 0 }),
    new AbortController().signal,
  )
  const first = await run('btw', ' plain question', new AbortController().signal)
  sides.push({ id: parseStartToken(first.text)?.sideId ?? '', secret: null, page: '' })
  await clock.advance(200)

  for (const { inputs, script, fault, pause } of bursts) {
    provider.script(script)
    if (fault !== null) provider.fail(fault, 1, new Error(`${LEAK} why?`))
    const raws = inputs.map(({ spec, kind, separator }) => {
      // An open belongs to the command of its kind.
      const claimed = spec.type === 'genuine' && spec.op !== 'open' && own(spec).secret !== null
      return { claimed, kind, sort: spec.type, raw: write(spec, separator) }
    })
    const before = sides.map((side) => ({ side, state: look(side) }))
    const execsBefore = execs.length
    alive = new Set(before.filter(({ state }) => state.view !== undefined).map(({ side }) => side.id))
    made = []

    const leave = new AbortController()
    const running = raws.map(({ kind, raw }) => run(kind, raw, leave.signal))
    for (let turn = 0; turn < 4; turn += 1) await settle()
    leave.abort()
    const results = await Promise.all(running)
    await settle()

    for (const { side, state } of before) {
      const meant = raws.some(({ raw }) => names(raw, side))
      // A side that was closed may be ended at any time to make place.
      if (!meant && state.view?.phase !== 'hidden' && state.view?.phase !== 'closing')
        deepStrictEqual(look(side), state)
    }
    const asked = execs.slice(execsBefore)
    ok(asked.length <= raws.length, 'more turns than inputs')
    strictEqual(new Set(execs.map(({ side, turn }) => `${side} ${turn}`)).size, execs.length, 'a turn ran twice')
    for (const one of asked) {
      const wanted = made.includes(one.side)
        ? raws.map(({ raw }) => raw.slice(1))
        : raws.filter(({ raw }) => raw.includes(one.turn)).map(({ raw }) => textBehind(raw))
      ok(wanted.includes(one.text), 'the question is not what was typed')
    }
    for (const [at, { claimed, sort, raw }] of raws.entries()) {
      const result = results[at] as CommandResult
      const token = checkResult(result, raw, made)
      const header = headerOf(raw)
      tally.inputs += 1
      tally.sorts[sort] += 1
      if (result.kind === 'error') tally.refusals += 1
      else if (token !== null && made.includes(token)) tally.questions += 1
      else tally.controls += 1
      if (token !== null) {
        const started = asked.filter(({ side }) => side === token)
        if (made.includes(token) && started.length > 1) tally.answeredTwice += 1
        if (made.includes(token)) strictEqual(started.length, 1, 'one question, one turn')
        if (made.includes(token)) strictEqual(started[0]?.text, raw.slice(1))
      }
      if (claimed) ok(token === null || !made.includes(token), 'a genuine control was asked as a question')
      if (result.kind === 'success') learn(header, token)
      if (result.kind === 'success' && (token === null || !made.includes(token))) {
        ok(isRightful(header), 'a control without the right secret')
        tally.rightful += 1
      }
      for (const secret of secrets) ok(result.text?.includes(secret) !== true, 'a result holds a secret')
      if (said.length < 200) said.push(raw)
      if (result.text !== undefined) heard.push(result.text)
    }
    await clock.advance(pause)
  }

  takeBack()
  strictEqual(handlers.size, 0)
  const ending = controller.shutdown()
  await clock.advance(DEFAULT_LIMITS.shutdownMs * 2)
  deepStrictEqual(await ending, [])
  deepStrictEqual(provider.children(), [])

  /** Everything of a side that an input could change. */
  function look({ id }: Side) {
    return {
      view: controller.find('w', id),
      calls: provider.calls.filter((call) => call.split(' ')[1] === id).length,
      events: core.envelopes.filter((one) => one.sideSessionId === id).length,
    }
  }

  /** Whether it carries the secret of its side, which an open or a claim may just have given it. */
  function isRightful({ side: id, secret }: Partial<Record<string, unknown>>): boolean {
    return typeof secret === 'string' && sides.some((side) => side.id === id && side.secret === secret)
  }

  function learn(header: Partial<Record<string, unknown>>, token: string | null): void {
    if (token !== null && made.includes(token)) sides.push({ id: token, secret: null, page: '' })
    const { op: verb, side: id, secret, page } = header
    if (typeof id !== 'string' || typeof secret !== 'string') return
    const known = sides.find((side) => side.id === id)
    if (verb === 'open' && token === id) {
      // A side that nobody ever claimed and that is gone is unknown again.
      const forgotten = known?.secret === null && !alive.has(id)
      if (forgotten) sides.splice(sides.indexOf(known), 1)
      if (known === undefined || forgotten) sides.push({ id, secret, page: String(page) })
      else if (controller.find('w', id) !== undefined) strictEqual(secret, known.secret, 'two secrets for one side')
    }
    if (verb === 'claim' && token === null && known?.secret === null) known.secret = secret
    if (/^[\w-]{43}$/.test(secret)) secrets.add(secret)
  }
}

/** The laws of a result by itself; returns the side that it started, or null. */
function checkResult(result: CommandResult, raw: string, made: readonly string[]): string | null {
  const words = result.text ?? ''
  ok(!words.includes(LEAK), 'a result holds a log text')
  for (const word of [...SCRIPTED.plain, ...SCRIPTED.ask]) ok(!words.includes(word.trim()))
  if (result.kind === 'error') {
    ok(ERRORS.has(words), `an unknown sentence: ${words}`)
    return null
  }
  strictEqual(result.kind, 'success')
  const token = parseStartToken(words)
  if (token !== null) {
    ok(made.includes(token.sideId) || raw.includes(token.sideId))
    return token.sideId
  }
  const reply = parseReply(words) as Record<string, unknown>
  const keys = Object.keys(reply).join()
  if (keys.startsWith('kind,')) {
    for (const [key, value] of Object.entries(reply))
      if (key in FACTS) deepStrictEqual(value, FACTS[key as keyof typeof FACTS])
      else ok(/^[A-Za-z0-9-]{1,64}$/.test(String(value)), `the fact ${key}`)
  } else if (keys === 'endsIn') ok(Number.isSafeInteger(reply['endsIn']), 'a time is a whole number')
  else ok(['', 'canceled,targetAbsent', 'gone'].includes(keys), `a reply of ${keys}`)
  for (const one of (reply['gone'] ?? []) as { side: string; reason: string }[]) {
    ok(/^[A-Za-z0-9-]{8,64}$/.test(one.side) && /^[a-z_]+$/.test(one.reason))
    strictEqual(Object.keys(one).join(), 'side,reason')
  }
  return null
}

/** Whether an input may concern this side: it holds the side's secret, or claims it where nobody has. */
function names(raw: string, { id, secret, page }: Side): boolean {
  if (secret === null) return raw.includes(id)
  // The name of a page is 128 random bits that only its own client knows, as a secret is.
  return raw.includes(secret) || (page !== '' && raw.includes(page)) || headerOf(raw)['secret'] === secret
}

function headerOf(raw: string): Partial<Record<string, unknown>> {
  if (!raw.slice(1).startsWith(PREFIX)) return {}
  try {
    return Object(JSON.parse(raw.slice(1 + PREFIX.length).split('\n')[0] ?? '')) as Record<string, unknown>
  } catch {
    return {}
  }
}

function textBehind(raw: string): string {
  const body = raw.slice(1)
  return body.slice(body.indexOf('\n') + 1)
}

function controlOf(verb: Op, side: { id: string; page: string }, secret: string, words: string): Control {
  const base = { side: side.id, secret }
  const turn = `turn-${side.id}`
  const page = side.page === '' ? 'some-page-0001' : side.page
  switch (verb) {
    case 'open':
      return { op: verb, ...base, request: `request-${side.id}`, turn, kind: 'side', page, text: words }
    case 'send':
      // A few turn ids, so that some come again.
      return { op: verb, ...base, turn: `turn-again-${words.length % 7}`, text: words }
    case 'cancel':
      return { op: verb, ...base, turn: `turn-again-${words.length % 7}` }
    case 'respond':
      return { op: verb, ...base, turn, request: 'ask-1', response: { decision: words } }
    case 'close':
      return { op: verb, ...base, keep: words.length % 2 === 0 ? 0 : 8_000 }
    case 'touch':
      return { op: verb, ...base, visible: words.length % 2 === 0 }
    case 'facts':
    case 'hold':
      return { op: verb, ...base, page }
    case 'promote':
    case 'reopen':
    case 'claim':
      return { op: verb, ...base }
  }
}

/** The nth secret of this run. */
function secretOf(n: number): string {
  return Buffer.from(`secret number ${String(n).padStart(6, '0')} `.padEnd(32, '~')).toString('base64url')
}

function mutated(raw: string, change: Mutation): string {
  const at = raw.length === 0 ? 0 : change.at % raw.length
  switch (change.kind) {
    case 'cut':
      return raw.slice(0, at)
    case 'drop':
      return raw.slice(0, at) + raw.slice(at + 1)
    case 'double':
      return raw.slice(0, at) + raw.slice(0, at) + raw.slice(at)
    case 'case':
      return raw.slice(0, at) + raw.slice(at).toUpperCase()
    case 'swap':
      return raw.slice(at) + raw.slice(0, at)
    case 'boot':
      return raw.replace('{"', '{"boot":"another-life-0001","')
    case 'insert':
      return raw.slice(0, at) + change.text + raw.slice(at)
  }
}
