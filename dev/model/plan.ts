/** Turns a behaviour into the steps of one answer. Pure: the same order and the same request give the same steps.
 *  Doing them on a socket is stream.ts; free answers are play.ts. */

import type { Behaviour, Next, Pace, Step, ToolOrder } from './behaviours.ts'
import { checkpoint, longText, reportOf, slowText, titleOf } from './canned.ts'
import { pieces } from './pieces.ts'
import { play } from './play.ts'
import type { Scene } from './question.ts'

const STATUS_TEXT: Record<number, { message: string; type: string; code: string | null }> = {
  401: {
    message: 'Authentication Fails, your api key is invalid',
    type: 'authentication_error',
    code: 'invalid_request_error',
  },
  402: { message: 'Insufficient Balance', type: 'unknown_error', code: 'invalid_request_error' },
  429: {
    message: 'Rate limit reached: too many requests, slow down',
    type: 'rate_limit_error',
    code: 'rate_limit_exceeded',
  },
  500: { message: 'The server had an error while processing the request', type: 'server_error', code: null },
  503: { message: 'The server is overloaded, try again later', type: 'server_error', code: null },
}

/** The steps of an answer. */
export function plan(behaviour: Behaviour, scene: Scene): Step[] {
  if (behaviour.kind === 'play' && scene.question.kind === 'title') return say(titleOf(scene.question), { chunkMs: 0 })
  if (behaviour.kind === 'play' && scene.question.kind === 'compaction')
    return say(checkpoint(scene.question), { chunkMs: 0 })

  const begin = (text: string | undefined): Step[] => say(text ?? 'This much arrives, and then ', { chunkMs: 5 })
  switch (behaviour.kind) {
    case 'plain': {
      const steps = [...silence(behaviour), ...say(behaviour.text ?? `Plain answer to: ${scene.asked}`, behaviour)]
      return behaviour.finish === undefined ? steps : [...steps, { do: 'finish', reason: behaviour.finish }]
    }
    case 'slow': {
      const text = behaviour.text ?? slowText(scene.asked)
      return say(text, { chunkMs: (behaviour.totalMs ?? 20_000) / Math.max(1, pieces(text).length) })
    }
    case 'reasoning':
      return [
        ...silence(behaviour),
        ...think(
          behaviour.reasoning ?? `The question is "${scene.asked}". I look at it from two sides before I answer.`,
          behaviour,
        ),
        ...say(behaviour.text ?? `After some thought, the answer to: ${scene.asked}`, behaviour),
      ]
    case 'tool':
      // As a real one, it cannot call what is not offered.
      if (behaviour.insist === true && (scene.request.tools ?? []).length === 0)
        return plan(next(behaviour.after ?? 'Then I answer in words.'), scene)
      return [
        ...silence(behaviour),
        ...think(behaviour.reasoning ?? '', behaviour),
        ...say(behaviour.text ?? '', behaviour),
        ...behaviour.calls.map(call),
      ]
    case 'write-tool': {
      const { path = 'written-by-the-model.txt', content = 'The scripted model wrote this.\n' } = behaviour
      return [call({ name: 'write', arguments: { file_path: path, content } })]
    }
    case 'unknown-tool':
      return [call({ name: behaviour.name ?? 'teleport', arguments: { to: 'the answer' } })]
    case 'nested':
      return [call(nestedCall(behaviour, scene))]
    case 'long':
      return [
        ...silence(behaviour),
        ...say(longText((behaviour.kB ?? 32) * 1024), { chunkMs: 4, chunkChars: 64, ...paceOf(behaviour) }),
      ]
    case 'stall':
      return [...begin(behaviour.text), { do: 'hang' }]
    case 'reset':
      return [...begin(behaviour.text), { do: 'reset' }]
    case 'cut':
      return [...begin(behaviour.text), { do: 'cut' }]
    case 'malformed':
      return [...begin(behaviour.text), { do: 'raw', data: '{"choices":[{"index":0,"delta":{"content":"half a pie' }]
    case 'status':
      return [refusal(behaviour)]
    case 'overflow':
      return [overflow(behaviour.dialect ?? 'deepseek')]
    case 'gate': {
      const after = next(behaviour.after ?? `The gate ${behaviour.name} was opened. ${scene.asked}`)
      return [
        ...say(behaviour.before ?? '', { chunkMs: 5 }),
        { do: 'gate', name: behaviour.name },
        ...plan(after, scene),
      ]
    }
    case 'steps':
      return behaviour.steps
    case 'report':
      return say(reportOf(scene.question))
    case 'play':
      return play(scene)
    default:
      return assertNever(behaviour)
  }
}

function next(after: Next): Behaviour {
  return typeof after === 'string' ? { kind: 'plain', text: after } : after
}

function paceOf({ chunkMs, chunkChars }: Pace): { chunkMs?: number; chunkChars?: number } {
  return { ...(chunkMs === undefined ? {} : { chunkMs }), ...(chunkChars === undefined ? {} : { chunkChars }) }
}

function say(text: string, pace: Pace = {}): Step[] {
  return text === '' ? [] : [{ do: 'say', text, ...paceOf(pace) }]
}

function think(text: string, pace: Pace): Step[] {
  return text === '' ? [] : [{ do: 'think', text, ...paceOf(pace) }]
}

function silence({ delayMs }: Pace): Step[] {
  return delayMs === undefined ? [] : [{ do: 'wait', ms: delayMs }]
}

function call({ name, arguments: args }: ToolOrder): Step {
  return { do: 'call', name, arguments: args ?? {} }
}

/** A call that makes the host call another tool: run_code by itself, workflow and subagent through a child agent
 *  that is asked, by a marker, to make the inner call. */
function nestedCall(behaviour: Behaviour & { kind: 'nested' }, { request }: Scene): ToolOrder {
  const inner = call(
    behaviour.inner ?? { name: 'write', arguments: { file_path: 'nested.txt', content: 'written by a nested call\n' } },
  )
  const innerName = inner.do === 'call' ? inner.name : ''
  const innerArgs = inner.do === 'call' ? inner.arguments : {}
  const offered = new Set(request.tools?.map((tool) => tool.function.name))
  const via =
    behaviour.via ?? (['run_code', 'workflow', 'subagent'] as const).find((name) => offered.has(name)) ?? 'run_code'
  const prompt = `[[!tool:${innerName} ${JSON.stringify(innerArgs)}]]`
  switch (via) {
    case 'run_code': {
      const code = `return await tools[${JSON.stringify(innerName)}](${JSON.stringify(innerArgs)})`
      return { name: via, arguments: { code, description: 'Call another tool from a program' } }
    }
    case 'workflow': {
      const meta = { name: 'nested-call', description: 'Ask one agent to call a tool' }
      return { name: via, arguments: { script: `return await agent(${JSON.stringify(prompt)})`, meta } }
    }
    case 'subagent':
      return { name: via, arguments: { description: 'Call another tool', prompt, run_in_background: false } }
    default:
      return assertNever(via)
  }
}

function refusal({ status, message, type, code, retryAfter }: Behaviour & { kind: 'status' }): Step {
  const usual = STATUS_TEXT[status] ?? {
    message: `The scripted model answers ${status}`,
    type: 'scripted_error',
    code: null,
  }
  const wait = retryAfter ?? (status === 429 ? 1 : undefined)
  return {
    do: 'refuse',
    status,
    message: message ?? usual.message,
    type: type ?? usual.type,
    code: code ?? usual.code,
    ...(wait === undefined ? {} : { retryAfter: wait }),
  }
}

function overflow(dialect: 'deepseek' | 'openai'): Step {
  const message =
    "This model's maximum context length is 131072 tokens. However, you requested 140211 tokens " +
    '(136115 in the messages, 4096 in the completion). Please reduce the length of the messages or completion.'
  const code = dialect === 'openai' ? 'context_length_exceeded' : 'invalid_request_error'
  return { do: 'refuse', status: 400, message, type: 'invalid_request_error', code }
}

function assertNever(value: never): never {
  throw new Error(`unhandled: ${JSON.stringify(value)}`)
}
