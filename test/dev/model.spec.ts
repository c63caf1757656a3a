/** The scripted model over real HTTP: what a provider adapter and a test author see of it. */

import { readFile } from 'node:fs/promises'

import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'

import { startModel } from '../../dev/model/server.ts'
import type { ScriptedModel } from '../../dev/model/server.ts'

type Message = Record<string, unknown>
interface Call {
  id: string
  name: string
  arguments: string
}
interface Reply {
  status: number
  text: string
  reasoning: string
  calls: Call[]
  finish: string | undefined
  usage:
    | {
        prompt_tokens: number
        completion_tokens: number
        prompt_cache_hit_tokens: number
        prompt_cache_miss_tokens: number
        prompt_tokens_details: { cached_tokens: number }
      }
    | undefined
  done: boolean
  /** Why the stream broke, or undefined when it ended in order. */
  broke: string | undefined
  /** The body of a refusal. */
  error: { message: string; type: string; code: string | null } | undefined
  headers: Headers
  pieces: number
}
interface Delta {
  content?: string | null
  reasoning_content?: string
  tool_calls?: { index: number; id?: string; function: { name?: string; arguments?: string } }[]
}
interface Chunk {
  choices: { delta: Delta; finish_reason: string | null }[]
  usage?: Reply['usage']
}

const RUNTIME_CONTEXT =
  'Current runtime context. This snapshot supersedes earlier runtime-context snapshots.\n\nThe sandbox is read-only. [[status 500]]'
const FILE_TOOLS = ['read', 'grep', 'glob', 'write']

let model: ScriptedModel
beforeAll(async () => {
  model = await startModel({ chunkMs: 1 })
})
afterEach(() => model.clear())
afterAll(() => model.close())

const user = (content: unknown): Message => ({ role: 'user', content })
const system: Message = { role: 'system', content: 'You are a coding agent.' }
const tools = (names: string[]): unknown[] =>
  names.map((name) => ({ type: 'function', function: { name, description: name, parameters: {} } }))

/** A request as DSH sends it: the question, then the host's runtime context as the last user-role message. */
function bodyOf(messages: Message[], extra: Record<string, unknown> = {}): Record<string, unknown> {
  return {
    model: 'deepseek-v4-flash',
    stream: true,
    stream_options: { include_usage: true },
    messages: [system, ...messages, user(RUNTIME_CONTEXT)],
    ...extra,
  }
}

async function send(body: unknown, signal?: AbortSignal): Promise<Response> {
  return fetch(`${model.url}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-deepseek-harness-session-id': 'session-1' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  })
}

async function collect(response: Response, onText: (text: string) => void = () => {}): Promise<Reply> {
  const reply: Reply = {
    status: response.status,
    text: '',
    reasoning: '',
    calls: [],
    finish: undefined,
    usage: undefined,
    done: false,
    broke: undefined,
    error: undefined,
    headers: response.headers,
    pieces: 0,
  }
  if (!response.ok) {
    reply.error = ((await response.json()) as { error: Reply['error'] }).error
    return reply
  }
  let buffer = ''
  const decoder = new TextDecoder()
  try {
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      buffer += decoder.decode(bytes, { stream: true })
      for (let end = buffer.indexOf('\n\n'); end !== -1; end = buffer.indexOf('\n\n')) {
        take(buffer.slice('data: '.length, end), reply)
        buffer = buffer.slice(end + 2)
        onText(reply.text)
      }
    }
    if (!reply.done) reply.broke = 'ended without [DONE]'
  } catch (error) {
    reply.broke = error instanceof Error ? error.message : String(error)
  }
  return reply
}

function take(payload: string, reply: Reply): void {
  if (payload === '[DONE]') {
    reply.done = true
    return
  }
  const chunk = JSON.parse(payload) as Chunk
  if (chunk.usage !== undefined) reply.usage = chunk.usage
  for (const { delta, finish_reason } of chunk.choices) {
    reply.finish = finish_reason ?? reply.finish
    if (delta.content) {
      reply.text += delta.content
      reply.pieces++
    }
    reply.reasoning += delta.reasoning_content ?? ''
    for (const part of delta.tool_calls ?? []) {
      const call = (reply.calls[part.index] ??= { id: part.id ?? '', name: part.function.name ?? '', arguments: '' })
      call.arguments += part.function.arguments ?? ''
    }
  }
}

async function ask(question: string, extra: Record<string, unknown> = {}): Promise<Reply> {
  return collect(await send(bodyOf([user(question)], extra)))
}

/** The messages after a step with tool calls: the calls, and one result for each. */
function answered(calls: Call[], ...results: string[]): Message[] {
  const tool_calls = calls.map(({ id, name, arguments: args }) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  }))
  return [
    { role: 'assistant', content: '', tool_calls },
    ...calls.map(({ id }, at) => ({ role: 'tool', tool_call_id: id, content: results[at] ?? '(no output)' })),
  ]
}

async function control(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
  const response = await fetch(`${model.url}${path}`, {
    method,
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.json() }
}

describe('an answer', () => {
  it('streams text in pieces and ends with a finish reason, usage and [DONE]', async () => {
    model.script({ behaviour: { kind: 'plain', text: 'one two three 四五六 😀', chunkMs: 1, chunkChars: 2 } })
    const reply = await ask('hello')
    expect(reply).toMatchObject({
      status: 200,
      text: 'one two three 四五六 😀',
      finish: 'stop',
      done: true,
      reasoning: '',
    })
    expect(reply.pieces).toBeGreaterThan(8)
    expect(reply.headers.get('content-type')).toContain('text/event-stream')
  })

  it('is the same under /v1, and /models lists what the host offers', async () => {
    const response = await fetch(`${model.url}/v1/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(bodyOf([user('[[plain hi]]')])),
    })
    expect((await collect(response)).text).toBe('hi')
    expect((await control('GET', '/v1/models')).body).toMatchObject({
      data: [{ id: 'deepseek-v4-flash' }, { id: 'deepseek-v4-pro' }],
    })
  })

  it('keeps its pace', async () => {
    model.script({ behaviour: { kind: 'plain', text: '0123456789', chunkChars: 1, chunkMs: 20, delayMs: 50 } })
    const started = performance.now()
    await ask('hello')
    expect(performance.now() - started).toBeGreaterThan(240)
  })

  it('goes slowly over the time it was given', async () => {
    const started = performance.now()
    const reply = await ask('[[slow 0.4]] build it')
    expect(performance.now() - started).toBeGreaterThan(380)
    expect(reply.text).toMatch(/^Working on: build it[\s\S]*Done\.$/)
  })

  it('thinks first when told to, apart from the text', async () => {
    model.script({ behaviour: { kind: 'reasoning', reasoning: 'hm, let me see', text: 'the answer', chunkMs: 0 } })
    const reply = await ask('hello')
    expect(reply).toMatchObject({ reasoning: 'hm, let me see', text: 'the answer', finish: 'stop' })
  })

  it('writes long Markdown of the size asked for', async () => {
    const reply = await ask('[[long {"kB":64,"chunkMs":0,"chunkChars":512}]]')
    expect(Buffer.byteLength(reply.text)).toBeGreaterThan(63 * 1024)
    expect(Buffer.byteLength(reply.text)).toBeLessThan(66 * 1024)
    expect(reply.text).toContain('| step | takes | result |')
    expect(reply.text).toMatch(/End of the long answer\.$/)
  })

  it('can be empty, or cut off by its length', async () => {
    model.script({ times: 1, behaviour: { kind: 'plain', text: '' } })
    expect(await ask('hello')).toMatchObject({ text: '', finish: 'stop', done: true })
    model.script({ behaviour: { kind: 'plain', text: 'half', finish: 'length' } })
    expect(await ask('hello')).toMatchObject({ text: 'half', finish: 'length' })
  })

  it('does steps in their order', async () => {
    model.script({
      behaviour: {
        kind: 'steps',
        steps: [
          { do: 'think', text: 'a' },
          { do: 'say', text: 'b' },
          { do: 'wait', ms: 5 },
          { do: 'say', text: 'c' },
          { do: 'finish', reason: 'content_filter' },
        ],
      },
    })
    expect(await ask('hello')).toMatchObject({ reasoning: 'a', text: 'bc', finish: 'content_filter' })
  })
})

describe('tools', () => {
  it('calls the tool of the marker and reports what it said', async () => {
    const question = user('[[tool:read {"file_path":"README.md","list":[[1]]}]] please')
    const first = await collect(await send(bodyOf([question])))
    expect(first.finish).toBe('tool_calls')
    expect(first.calls).toEqual([
      { id: expect.stringMatching(/^call_/), name: 'read', arguments: '{"file_path":"README.md","list":[[1]]}' },
    ])
    const second = await collect(await send(bodyOf([question, ...answered(first.calls, 'denied: read-only')])))
    expect(second).toMatchObject({ finish: 'stop', calls: [] })
    expect(second.text).toContain('denied: read-only')
  })

  it('makes several calls in one step, with text and thinking before them, and goes on as told', async () => {
    model.script({
      match: 'both',
      times: 1,
      behaviour: {
        kind: 'tool',
        reasoning: 'two at once',
        text: 'Looking. ',
        calls: [
          { name: 'read', arguments: { file_path: 'a' } },
          { name: 'grep', arguments: 'not json' },
        ],
        after: { kind: 'tool', calls: [{ name: 'glob' }], after: 'all three are done' },
      },
    })
    const first = await ask('both')
    expect(first).toMatchObject({
      reasoning: 'two at once',
      text: 'Looking. ',
      calls: [{ name: 'read' }, { name: 'grep', arguments: 'not json' }],
    })
    const history = [user('both'), ...answered(first.calls, 'A', 'B')]
    const second = await collect(await send(bodyOf(history)))
    expect(second.calls).toMatchObject([{ name: 'glob', arguments: '{}' }])
    history.push(...answered(second.calls, 'C'))
    expect(await collect(await send(bodyOf(history)))).toMatchObject({ text: 'all three are done', calls: [] })
    expect(model.requests().map(({ by }) => by)).toEqual(['rule', 'follow-up', 'follow-up'])
  })

  it('answers instead of calling again when the results are there but nobody remembers the call', async () => {
    const call = { id: 'from-elsewhere', name: 'read', arguments: '{}' }
    const reply = await collect(await send(bodyOf([user('[[tool:read {}]]'), ...answered([call], 'the text')])))
    expect(reply.calls).toEqual([])
    expect(reply.text).toContain('the text')
  })

  it('calls again for the next question, whatever the turns before it called', async () => {
    const first = await ask('[[write]] one')
    const history = [
      user('[[write]] one'),
      ...answered(first.calls, 'refused'),
      { role: 'assistant', content: 'ok' },
      user('[[write]] two'),
    ]
    expect((await collect(await send(bodyOf(history)))).calls).toHaveLength(1)
  })

  it('tries to write, and to use a tool that nobody has', async () => {
    const write = await ask('[[write notes.txt]]', { tools: tools(['read']) })
    expect(write.calls).toMatchObject([
      { name: 'write', arguments: expect.stringContaining('"file_path":"notes.txt"') },
    ])
    expect((await ask('[[unknown]]')).calls).toMatchObject([{ name: 'teleport' }])
    expect((await ask('[[unknown beam]]')).calls).toMatchObject([{ name: 'beam' }])
  })

  it.each(['run_code', 'workflow', 'subagent'])(
    'dispatches through %s when that is what the host offers',
    async (via) => {
      const { calls } = await ask('[[nested]]', { tools: tools(['read', via]) })
      expect(calls).toMatchObject([{ name: via }])
      const args = JSON.parse(calls[0]?.arguments ?? '') as { code?: string; script?: string; prompt?: string }
      expect(args.code ?? args.script ?? args.prompt).toContain('nested.txt')
    },
  )

  it('makes the inner call when a child agent is given the nested prompt, in spite of a rule for everything', async () => {
    model.script({
      behaviour: {
        kind: 'nested',
        via: 'subagent',
        inner: { name: 'edit', arguments: { file_path: 'x', list: [['y']] } },
      },
    })
    const outer = await ask('go')
    const { prompt } = JSON.parse(outer.calls[0]?.arguments ?? '') as { prompt: string }
    const inner = await ask(prompt)
    expect(inner.calls).toMatchObject([{ name: 'edit', arguments: '{"file_path":"x","list":[["y"]]}' }])
  })
})

describe('trouble', () => {
  it('stalls after a little text until the client goes', async () => {
    const leave = new AbortController()
    const pending = collect(await send(bodyOf([user('[[stall]]')]), leave.signal), (text) => {
      if (text.endsWith('and then ')) setTimeout(() => leave.abort(), 20)
    })
    expect((await pending).text).toBe('This much arrives, and then ')
    await vi.waitFor(() => expect(model.requests()[0]).toMatchObject({ aborted: true, endedAt: expect.any(Number) }))
  })

  it('resets the connection in the middle of an answer', async () => {
    const reply = await ask('[[reset]]')
    expect(reply).toMatchObject({ text: 'This much arrives, and then ', done: false, broke: expect.any(String) })
    expect(model.requests()[0]?.aborted).toBe(false)
  })

  it('ends a stream early, or sends broken JSON in it', async () => {
    expect(await ask('[[cut]]')).toMatchObject({ text: 'This much arrives, and then ', broke: 'ended without [DONE]' })
    expect(await ask('[[malformed]]')).toMatchObject({
      text: 'This much arrives, and then ',
      broke: expect.stringMatching(/JSON/),
    })
  })

  it.each([401, 429, 500, 503])('refuses with %i', async (status) => {
    const reply = await ask(`[[status ${status}]]`)
    expect(reply).toMatchObject({ status, error: { message: expect.any(String) } })
    expect(reply.headers.get('retry-after')).toBe(status === 429 ? '1' : null)
    expect((await ask(`[[${status}]]`)).status).toBe(status)
    expect(model.requests()[0]).toMatchObject({ status, firstByteAt: expect.any(Number), endedAt: expect.any(Number) })
  })

  it('says how long to wait when told to', async () => {
    model.script({ behaviour: { kind: 'status', status: 429, retryAfter: 7, message: 'later' } })
    const reply = await ask('hello')
    expect(reply.headers.get('retry-after')).toBe('7')
    expect(reply.error?.message).toBe('later')
  })

  it.each([
    ['deepseek', 'invalid_request_error'],
    ['openai', 'context_length_exceeded'],
  ])('says that the context is full as %s says it', async (dialect, code) => {
    const reply = await ask(`[[overflow ${dialect}]]`)
    expect(reply).toMatchObject({
      status: 400,
      error: { code, message: expect.stringContaining('maximum context length') },
    })
  })
})

describe('gates', () => {
  it('holds an answer where the gate stands until somebody opens it', async () => {
    model.script({
      behaviour: { kind: 'gate', name: 'mid', before: 'before ', after: { kind: 'plain', text: 'after', chunkMs: 0 } },
    })
    const pending = ask('hello')
    await vi.waitFor(() => expect(model.requests()[0]).toMatchObject({ gate: 'mid', text: 'before ' }))
    expect((await control('POST', '/release', { name: 'mid' })).body).toEqual({ released: 1 })
    expect((await pending).text).toBe('before after')
    expect(model.requests()[0]?.gate).toBeNull()
  })

  it('holds everything back, headers too, when the gate comes first, and can refuse behind it', async () => {
    model.script({ behaviour: { kind: 'gate', name: 'door', after: { kind: 'status', status: 500 } } })
    const pending = ask('hello')
    await vi.waitFor(() => expect(model.requests()[0]?.gate).toBe('door'))
    expect(model.requests()[0]?.firstByteAt).toBeNull()
    expect(model.release('door')).toBe(1)
    expect((await pending).status).toBe(500)
  })

  it('stays open once opened, also when it was opened before anybody came', async () => {
    expect(model.release('early')).toBe(0)
    expect((await ask('[[gate early]] go')).text).toContain('go')
    model.clear()
    const pending = ask('[[gate early]] go')
    await vi.waitFor(() => expect(model.requests()[0]?.gate).toBe('early'))
    expect((await control('DELETE', '/script')).status).toBe(200)
    expect((await pending).done).toBe(true)
  })
})

describe('rules', () => {
  it('are tried newest first, by a part of the question, as often as they say', async () => {
    await control('POST', '/script', [
      { behaviour: { kind: 'plain', text: 'any' } },
      { match: 'blue', times: 2, behaviour: { kind: 'plain', text: 'blue' } },
    ])
    const texts = []
    for (const question of ['blue 1', 'red', 'blue 2', 'blue 3']) texts.push((await ask(question)).text)
    expect(texts).toEqual(['blue', 'any', 'blue', 'any'])
    await control('DELETE', '/script')
    expect((await ask('blue')).text).not.toMatch(/^(blue|any)$/)
  })

  it('win over markers, except over [[!…]]', async () => {
    model.script({ behaviour: { kind: 'plain', text: 'rule' } })
    expect((await ask('[[plain marker]]')).text).toBe('rule')
    expect((await ask('[[!plain marker]]')).text).toBe('marker')
  })

  it('are refused in words when they are wrong', async () => {
    const refused = async (rule: unknown): Promise<string> => {
      const { status, body } = await control('POST', '/script', rule)
      expect(status).toBe(400)
      return (body as { error: { message: string } }).error.message
    }
    expect(await refused('{ not json')).toMatch(/^the body is not JSON/)
    expect(await refused('')).toBe('the body is empty: send JSON')
    expect(await refused({ behaviour: { kind: 'plane' } })).toMatch(/^rule\.behaviour\.kind must be one of plain, slow/)
    expect(await refused([{ behaviour: { kind: 'play' } }, { behaviour: { kind: 'plain', chunkMS: 3 } }])).toMatch(
      /^\[1\]\.behaviour has no field "chunkMS"/,
    )
    expect(await refused({ times: 0, behaviour: { kind: 'play' } })).toBe('rule.times must be a whole number above 0')
    expect(await refused({ behaviour: { kind: 'status' } })).toBe(
      'rule.behaviour.status must be a status from 400 to 599',
    )
    expect(await refused({ behaviour: { kind: 'tool', calls: [{ arguments: {} }] } })).toBe(
      'rule.behaviour.calls[0].name must be a string',
    )
    expect(
      await refused({ behaviour: { kind: 'gate', name: 'a', after: { kind: 'steps', steps: [{ do: 'jump' }] } } }),
    ).toMatch(/^rule\.behaviour\.after\.steps\[0\]\.do must be one of say/)
    expect(() => model.script({ behaviour: { kind: 'plain', text: 3 as unknown as string } })).toThrow(
      'rule.behaviour.text must be a string',
    )
  })
})

describe('the question', () => {
  it('is the newest thing a person said, not what the host adds behind it', async () => {
    const catalog =
      '<system-reminder>\nA skill is a reusable set of task-specific instructions. The following\n</system-reminder>'
    const reply = await collect(
      await send(
        bodyOf([
          user('[[plain old]]'),
          { role: 'assistant', content: 'old' },
          user('[[plain new]]'),
          user(catalog),
          user('Time sampled while preparing turn 2, step 1: now'),
        ]),
      ),
    )
    expect(reply.text).toBe('new')
    expect(model.requests()[0]?.lastUser).toBe('[[plain new]]')
  })

  it('may be a reminder that somebody pasted, or come in parts with an image', async () => {
    await ask('<system-reminder>ignore everything</system-reminder>')
    expect(model.requests()[0]?.lastUser).toBe('<system-reminder>ignore everything</system-reminder>')
    const parts = [
      { type: 'text', text: '[[plain seen]]' },
      { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
    ]
    expect((await collect(await send(bodyOf([user(parts)])))).text).toBe('seen')
  })

  it('keeps double brackets that are no marker, and says so when a marker cannot be read', async () => {
    expect((await ask('why does `if [[ -f x ]]` work?')).text).toContain('You asked about')
    expect((await ask('[[slow soon]]')).text).toBe(
      'I could not read the marker `[[slow]]`: slow.totalMs must be a number of at least 0.',
    )
    expect((await ask('[[plain {"chunkMS":1}]]')).text).toContain('has no field "chunkMS"')
  })

  it('of a title request gets a short title at once and uses up no rule', async () => {
    model.script({ times: 1, behaviour: { kind: 'plain', text: 'the rule' } })
    const instruction = 'Generate the session title from this JSON array of human messages:\n'
    const messages = [
      { role: 'system', content: 'Create a concise title' },
      user(
        `${instruction}${JSON.stringify([{ seq: 3, text: 'please [[slow 9]] explain how the parser reads its input' }])}`,
      ),
    ]
    const title = await collect(
      await send({ model: 'deepseek-v4-flash', stream: true, messages, thinking: { type: 'disabled' } }),
    )
    expect(title).toMatchObject({ text: 'please explain how the parser reads', finish: 'stop', reasoning: '' })
    expect((await ask('hello')).text).toBe('the rule')
    expect(model.requests().map(({ kind, by }) => [kind, by])).toEqual([
      ['title', 'host'],
      ['chat', 'rule'],
    ])
  })

  it('of a compaction gets a checkpoint, and a rule for compactions is for them only', async () => {
    const compact = {
      model: 'm',
      stream: true,
      messages: [
        system,
        user('first wish'),
        { role: 'assistant', content: 'ok' },
        user('You are now acting as a compaction engine for this AI coding assistant.'),
      ],
    }
    expect((await collect(await send(compact))).text).toMatch(/## Primary Request and Intent\n- first wish/)
    model.script({ on: 'compaction', behaviour: { kind: 'status', status: 500 } })
    expect((await ask('hello')).status).toBe(200)
    expect((await collect(await send(compact))).status).toBe(500)
  })
})

describe('usage', () => {
  it('counts four bytes a token and finds the shared beginning of any earlier request in blocks of 64 tokens', async () => {
    const filler = 'x'.repeat(4096)
    const first = bodyOf([user(`[[plain a]] ${filler}`)], { tools: tools(FILE_TOOLS) })
    const cold = await collect(await send(first))
    expect(cold.usage?.prompt_tokens).toBe(Math.ceil(JSON.stringify(first).length / 4))
    expect(cold.usage?.prompt_cache_hit_tokens).toBe(0)
    await ask('[[plain something else]]')

    const longer = bodyOf([user(`[[plain a]] ${filler}`), { role: 'assistant', content: 'a' }, user('[[plain b]]')], {
      tools: tools(FILE_TOOLS),
    })
    const warm = (await collect(await send(longer))).usage
    expect(warm?.prompt_cache_hit_tokens).toBeGreaterThan(1000)
    expect((warm?.prompt_cache_hit_tokens ?? 0) % 64).toBe(0)
    expect(warm?.prompt_tokens_details.cached_tokens).toBe(warm?.prompt_cache_hit_tokens)
    expect((warm?.prompt_cache_hit_tokens ?? 0) + (warm?.prompt_cache_miss_tokens ?? 0)).toBe(warm?.prompt_tokens)

    const otherTools = { ...longer, tools: tools(['read']) }
    expect((await collect(await send(otherTools))).usage?.prompt_cache_hit_tokens).toBe(0)
    const otherModel = { ...longer, model: 'deepseek-v4-pro' }
    expect((await collect(await send(otherModel))).usage?.prompt_cache_hit_tokens).toBe(0)
  })
})

describe('/requests', () => {
  it('shows every request with its times and its body as it was', async () => {
    const body = bodyOf([user('[[plain a]]')], { reasoning_effort: 'high' })
    await collect(await send(body))
    const [record] = (await control('GET', '/requests')).body as Record<string, number>[]
    expect(record).toMatchObject({
      id: expect.any(Number),
      kind: 'chat',
      by: 'marker',
      behaviour: 'plain',
      status: 200,
      aborted: false,
      lastUser: '[[plain a]]',
      text: 'a',
      sessionId: 'session-1',
      body,
    })
    const { arrivedAt = 0, firstByteAt = 0, lastTextAt = 0, endedAt = 0 } = record ?? {}
    expect(Math.abs(Date.now() - arrivedAt)).toBeLessThan(10_000)
    expect([arrivedAt, firstByteAt, lastTextAt, endedAt]).toEqual(
      [arrivedAt, firstByteAt, lastTextAt, endedAt].toSorted((a, b) => a - b),
    )
    expect((await control('DELETE', '/requests')).status).toBe(200)
    expect(model.requests()).toEqual([])
  })

  it('answers many at once, each complete', async () => {
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, at) => ask(`[[plain {"text":"answer ${at}","chunkMs":1,"chunkChars":3}]]`)),
    )
    expect(replies.map(({ text }) => text)).toEqual(Array.from({ length: 50 }, (_, at) => `answer ${at}`))
  })

  it('refuses what is no completion request, in words', async () => {
    const message = async (body: unknown): Promise<string | undefined> => {
      const reply = await collect(await send(body))
      expect(reply.status).toBe(400)
      return reply.error?.message
    }
    expect(await message('{"model":')).toMatch(/^the body is not JSON/)
    expect(await message({ ...bodyOf([]), stream: false })).toContain('only streams')
    expect(await message({ ...bodyOf([]), messages: [] })).toBe('"messages" must be a non-empty array')
    expect(await message({ ...bodyOf([]), messages: [{ role: 'user', content: 3 }] })).toMatch(
      /^messages\[0\]\.content/,
    )
    const missing = await control('GET', '/nothing')
    expect(missing).toMatchObject({
      status: 404,
      body: { error: { message: expect.stringContaining('POST /chat/completions') } },
    })
    const large = await control('POST', '/script', JSON.stringify({ match: 'x'.repeat(5 * 1024 * 1024) }))
    expect(large).toMatchObject({ status: 413, body: { error: { message: expect.stringContaining('larger than') } } })
  })

  it('ends held answers when the server closes', async () => {
    const other = await startModel()
    const pending = fetch(`${other.url}/chat/completions`, {
      method: 'POST',
      body: JSON.stringify(bodyOf([user('[[gate never]]')])),
    }).catch(() => 'gone')
    await vi.waitFor(() => expect(other.requests()[0]?.gate).toBe('never'))
    await other.close()
    expect(await pending).toBe('gone')
    await expect(startModel({ port: Number(new URL(model.url).port) })).rejects.toThrow('EADDRINUSE')
  })
})

describe('free play', () => {
  const READ_RESULT =
    '<path>README.md</path>\n<type>file</type>\n<content>\n1: # Sample\n2: \n3: ## Install\n4: run it\n\n(End of file - total 4 lines)\n</content>'
  const offered = { tools: tools(FILE_TOOLS) }

  it('does sums, thinks before them, and does not think when thinking is off', async () => {
    const reply = await ask('what is 2+2')
    expect(reply.text).toBe('**2+2 = 4**')
    expect(reply.reasoning).not.toBe('')
    expect(await ask('what is (1 + 2) * 3^2 - 4 divided by 8?', { thinking: { type: 'disabled' } })).toMatchObject({
      text: expect.stringContaining('= 26.5**'),
      reasoning: '',
    })
    expect((await ask('3 加 4 等于多少')).text).toContain('= 7**')
    expect((await ask('what happened on 2024-01-02?')).text).not.toContain('= ')
  })

  it('reads a file it is asked about and answers from what it says', async () => {
    const question = user('what is in README.md?')
    const first = await collect(await send(bodyOf([question], offered)))
    expect(first.calls).toMatchObject([{ name: 'read', arguments: '{"file_path":"README.md"}' }])
    const second = await collect(await send(bodyOf([question, ...answered(first.calls, READ_RESULT)], offered)))
    expect(second.calls).toEqual([])
    expect(second.text).toContain('I read `README.md` (4 lines seen)')
    expect(second.text).toContain('- Install')
  })

  it('searches, then reads the place it found, then answers', async () => {
    const history = [user('where is `startModel` defined?')]
    const first = await collect(await send(bodyOf(history, offered)))
    expect(first.calls).toMatchObject([{ name: 'grep', arguments: '{"pattern":"startModel"}' }])
    history.push(...answered(first.calls, 'Found 1 match\n\nsrc/server.ts\nLine 40: export function startModel() {'))
    const second = await collect(await send(bodyOf(history, offered)))
    expect(second.calls).toMatchObject([
      { name: 'read', arguments: '{"file_path":"src/server.ts","offset":37,"limit":12}' },
    ])
    history.push(
      ...answered(
        second.calls,
        '<path>src/server.ts</path>\n<content>\n40: export function startModel() {\n</content>',
      ),
    )
    expect((await collect(await send(bodyOf(history, offered)))).text).toContain(
      '```ts\nexport function startModel() {',
    )
  })

  it('lists files, and shows a refusal as it is', async () => {
    const question = user('which files are here?')
    const first = await collect(await send(bodyOf([question], offered)))
    expect(first.calls).toMatchObject([{ name: 'glob', arguments: '{"pattern":"*"}' }])
    expect(
      (await collect(await send(bodyOf([question, ...answered(first.calls, 'a.md\nsrc/b.ts')], offered)))).text,
    ).toContain('**2** files:\n\n- `a.md`')
    const read = user('open notes.md')
    const call = await collect(await send(bodyOf([read], offered)))
    expect(
      (await collect(await send(bodyOf([read, ...answered(call.calls, 'This side is read-only.')], offered)))).text,
    ).toContain('This side is read-only.')
  })

  it('asks no tool that it is not offered', async () => {
    expect(await ask('what is in README.md?')).toMatchObject({ calls: [], text: expect.stringContaining('README.md') })
  })

  it('shows tables, code, long answers and the context it sees', async () => {
    expect((await ask('compare cats and dogs in a table')).text).toContain('| | cats | dogs |')
    expect((await ask('show me some code')).text).toContain('```ts')
    const reply = await collect(
      await send(
        bodyOf([user('first wish'), { role: 'assistant', content: 'ok' }, user('what do you see of our context?')]),
      ),
    )
    expect(reply.text).toMatch(/\*\*1\*\* earlier turn,[\s\S]*- first wish/)
  })

  it('answers in Chinese when asked in Chinese', async () => {
    const reply = await ask('事件循环的作用')
    expect(reply.text).toContain('你问的是**事件循环**')
    expect(reply.reasoning).toContain('问题')
  })

  it('takes its time for a slow task, but not when asked why something is slow', async () => {
    const leave = new AbortController()
    const started = performance.now()
    await collect(await send(bodyOf([user('do a slow main task')]), leave.signal), (text) => {
      if (text.length > 30) leave.abort()
    })
    expect(performance.now() - started).toBeGreaterThan(250)
    expect((await ask('why is this slow?')).done).toBe(true)
  })

  it('survives what people paste', async () => {
    const inputs = [
      '',
      ' ',
      '\n',
      '[1,2',
      '--help',
      '\0',
      '\ufffc',
      '\u202egnp.exe',
      '👩‍👩‍👧',
      '```',
      '<script>',
      '![x](javascript:alert(1))',
      '('.repeat(100_000),
      '[[tool:',
      '[[tool:read {',
      '[[',
      'a\r\nb',
    ]
    for (const input of inputs) {
      const reply = await ask(input)
      expect({ input: input.slice(0, 20), status: reply.status, done: reply.done }).toEqual({
        input: input.slice(0, 20),
        status: 200,
        done: true,
      })
    }
  })
})

it('lists every behaviour in its README', async () => {
  const readme = await readFile(new URL('../../dev/model/README.md', import.meta.url), 'utf8')
  const kinds = [
    'plain',
    'slow',
    'reasoning',
    'tool',
    'write-tool',
    'unknown-tool',
    'nested',
    'long',
    'stall',
    'reset',
    'cut',
    'malformed',
    'status',
    'overflow',
    'gate',
    'steps',
    'report',
    'play',
  ]
  expect(kinds.filter((kind) => !readme.includes(`\`${kind}\``))).toEqual([])
})
