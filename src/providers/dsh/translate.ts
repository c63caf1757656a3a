/** Turns a DSH session's log events and live stream frames into SideEvents. Runs in the host and in the browser:
 *  nothing but core types and questions.ts, no host object. Owns the mapping of turn numbers to turn ids and of blocks to messages.
 *  A turn's id is the id of the user message that started it: exec() gives the message that id. */

import type {
  InteractionPatch,
  QuestionInput,
  SideEvent,
  ToolView,
  TurnFailure,
  TurnOutcome,
  TurnPatch,
} from '../../core/contract.ts'
import { answersText, DECLINED, QUESTION_TOOL, questionsOf } from './questions.ts'

/** One record of a session's log, as published or served; `data` is untrusted. */
export interface VendorEvent {
  readonly type: string
  readonly seq: number
  /** Epoch milliseconds. */
  readonly time: number
  readonly data: unknown
}

/** One live frame of hosts that stream deltas beside the log (0.1.3 and later). */
export type VendorFrame =
  | { readonly type: 'start'; readonly turn: number; readonly step: number }
  | { readonly type: 'chunk'; readonly chunk: unknown; readonly time?: number }
  | { readonly type: 'end'; readonly outcome?: unknown }

export interface Translator {
  /** Events below `from` are inherited and yield nothing. */
  event(event: VendorEvent): SideEvent[]
  frame(frame: VendorFrame): SideEvent[]
}

const RESULT_CHARS = 4_000
const TARGET_CHARS = 200

/** First words of the reason that guard.ts gives; how a refusal is told from a failed tool. */
export const REFUSAL_MARK = 'Not available in a side conversation'
/** The host's own words for an approval that was not given; in a side none ever is. */
const NOT_APPROVED = /^Error: the user rejected tool "/

interface OpenTurn {
  readonly turn: number
  turnId: string | null
  startedAt: number
  firstTokenAt: number | null
  promptTokens: number
  cachedTokens: number | null
  completionTokens: number
  /** Characters that the model wrote. */
  chars: number
}

interface Attempt {
  readonly key: string
  /** Kind of each block that has produced text. */
  readonly blocks: Map<number, 'text' | 'reasoning'>
  readonly failed: boolean
  /** Its end is in the log; whatever the log tells next is another attempt. */
  readonly settled: boolean
}

export interface TranslatorOptions {
  /** First sequence number that the side itself wrote. */
  readonly from: number
  /** Tools that may run in the side: only a question that is not refused at once is shown. */
  readonly tools?: readonly string[]
  /** Tokens of what lies before `from`, for where the provider counts nothing. */
  readonly inherited?: number
}

/** A translator for one side's log. */
export function createTranslator(options: TranslatorOptions): Translator {
  const queued: string[] = []
  const tools = new Map<string, ToolView & { readonly turnId: string }>()
  /** Questions that wait for the person, by their call. */
  const prompts = new Map<string, InteractionPatch>()
  const mayAsk = options.tools?.includes(QUESTION_TOOL) === true
  let open: OpenTurn | null = null
  let attempt: Attempt | null = null
  let attempts = 0
  /** Characters of the side's own questions and answers so far. */
  let said = 0

  function chunk(raw: unknown, time: number): SideEvent[] {
    const data = record(raw)
    if (data === null || open === null || open.turnId === null) return []
    const turnId = open.turnId
    if (data['type'] === 'text-delta' || data['type'] === 'reasoning-delta') {
      const text = data['text']
      const index = data['index']
      if (typeof text !== 'string' || text === '' || typeof index !== 'number') return []
      const events: SideEvent[] = []
      if (attempt === null || attempt.failed) {
        if (attempt !== null) events.push(...retract(attempt, turnId))
        attempt = { key: `${open.turn}.${(attempts += 1)}`, blocks: new Map(), failed: false, settled: false }
      }
      open.firstTokenAt ??= time
      open.chars += text.length
      const kind = data['type'] === 'text-delta' ? 'text' : 'reasoning'
      attempt.blocks.set(index, kind)
      events.push(delta(`${attempt.key}.${index}`, turnId, kind, 'append_text', text))
      return events
    }
    if (data['type'] === 'finish') {
      const reason = record(data['reason'])
      if (reason?.['kind'] === 'error' || reason?.['kind'] === 'aborted') fail()
    }
    return []
  }

  /** A failed attempt is asked again by the host: its partial text makes room for the new one. */
  function retract(failed: Attempt, turnId: string): SideEvent[] {
    return [...failed.blocks].map(([index, kind]) => delta(`${failed.key}.${index}`, turnId, kind, 'set', ''))
  }

  /** The deltas that a settled attempt carries where they are no events of their own (0.1.3 and later). */
  function replay(stream: unknown): SideEvent[] {
    return (Array.isArray(stream) ? stream : []).flatMap((raw: unknown) => {
      const run = record(raw)
      switch (run?.['type']) {
        case 'text-chunks':
        case 'reasoning-chunks': {
          const type = run['type'] === 'text-chunks' ? 'text-delta' : 'reasoning-delta'
          const text = Array.isArray(run['texts']) ? run['texts'].join('') : ''
          return chunk({ type, index: run['index'], text }, count(run['time0']))
        }
        case 'chunk':
          return chunk(run['chunk'], count(run['time']))
        default:
          return []
      }
    })
  }

  /** An attempt that became no message. What it wrote stays until the host asks again. */
  function assistantAttempt(data: Record<string, unknown>): SideEvent[] {
    const events = attempt === null || attempt.settled ? replay(data['stream']) : []
    fail(true)
    return events
  }

  function fail(settled = false): void {
    if (attempt !== null) attempt = { ...attempt, failed: true, settled: attempt.settled || settled }
  }

  /** The text of a message of which no delta came: history, or an attempt that only called tools. */
  function settledText(data: Record<string, unknown>, turnId: string): SideEvent[] {
    const events = replay(data['stream'])
    if (events.length > 0) return events
    if (attempt !== null) events.push(...retract(attempt, turnId))
    const key = `${open?.turn}.${(attempts += 1)}`
    const content = record(data['message'])?.['content']
    for (const [index, block] of (Array.isArray(content) ? content : []).entries()) {
      const part = record(block)
      const kind = part?.['type']
      const text = part?.['text']
      if ((kind !== 'text' && kind !== 'reasoning') || typeof text !== 'string' || text === '') continue
      if (open !== null) open.chars += text.length
      events.push(delta(`${key}.${index}`, turnId, kind, 'set', text))
    }
    return events
  }

  function assistantMessage(data: Record<string, unknown>): SideEvent[] {
    if (open === null || open.turnId === null) return []
    const turnId = open.turnId
    const streamed = attempt !== null && !attempt.failed
    const events = streamed ? [] : settledText(data, turnId)
    attempt = null
    const usage = record(data['usage'])
    if (usage !== null) {
      open.promptTokens +=
        count(usage['inputTokens']) + count(usage['cacheReadTokens']) + count(usage['cacheWriteTokens'])
      open.completionTokens += count(usage['outputTokens'])
      if (typeof usage['cacheReadTokens'] === 'number')
        open.cachedTokens = (open.cachedTokens ?? 0) + count(usage['cacheReadTokens'])
      events.push(usageEvent(open, turnId))
    }
    return events
  }

  function userMessage(event: VendorEvent, data: Record<string, unknown>): SideEvent[] {
    const source = record(data['source'])
    if (source?.['kind'] !== 'user' || open === null || open.turnId !== null) return []
    const turnId = String(data['id'])
    open.turnId = turnId
    said += plainText(data['content']).length
    const at = queued.indexOf(turnId)
    if (at >= 0) queued.splice(at, 1)
    return [question(turnId, data['content']), turnPatch({ turnId, phase: 'running', at: event.time })]
  }

  function inbox(event: VendorEvent, data: Record<string, unknown>): SideEvent[] {
    if (data['target'] !== 'next-turn') return []
    const events: SideEvent[] = []
    const start = count(data['start'])
    const removed = queued.slice(start, start + count(data['removedCount']))
    if (data['outcome'] === 'canceled') {
      for (const turnId of removed) {
        queued.splice(queued.indexOf(turnId), 1)
        events.push(turnPatch({ turnId, phase: 'settled', outcome: 'canceled', at: event.time }))
      }
    }
    for (const message of Array.isArray(data['inserted']) ? data['inserted'] : []) {
      const inserted = record(message)
      if (inserted === null || record(inserted['source'])?.['kind'] !== 'user') continue
      const turnId = String(inserted['id'])
      queued.push(turnId)
      events.push(question(turnId, inserted['content']), turnPatch({ turnId, phase: 'submitted', at: event.time }))
    }
    return events
  }

  function turnEnd(event: VendorEvent, data: Record<string, unknown>): SideEvent[] {
    const ended = open
    open = null
    attempt = null
    const turnId = ended?.turnId ?? queued.shift()
    if (turnId === undefined) return []
    const reason = record(data['reason'])
    const onlyRefused = [...tools.values()].at(-1)?.status === 'refused'
    const { outcome, error } = settle(reason, onlyRefused)
    const events: SideEvent[] = []
    if (
      outcome === 'completed' &&
      ended !== null &&
      ended.chars > 0 &&
      ended.promptTokens + ended.completionTokens === 0
    )
      events.push(estimatedUsage(ended, turnId))
    said += ended?.chars ?? 0
    for (const tool of tools.values()) {
      if (tool.turnId === turnId && tool.status === 'running')
        events.push(toolUpdate(turnId, { ...view(tool), status: 'failed' }))
    }
    tools.clear()
    prompts.clear()
    events.push(
      turnPatch({ turnId, phase: 'settled', outcome, ...(error === undefined ? {} : { error }), at: event.time }),
    )
    return events
  }

  /** Four characters a token, where the provider counted nothing. */
  function estimatedUsage(ended: OpenTurn, turnId: string): SideEvent {
    ended.promptTokens = (options.inherited ?? 0) + Math.ceil(said / 4)
    ended.completionTokens = Math.ceil(ended.chars / 4)
    return usageEvent(ended, turnId, true)
  }

  function toolCall(data: Record<string, unknown>): SideEvent[] {
    if (open === null || open.turnId === null) return []
    const { turnId } = open
    const callId = String(data['callId'])
    const name = String(data['name'])
    const questions = name === QUESTION_TOOL ? questionsOf(data['arguments']) : null
    const target =
      questions === null ? toolTarget(data['arguments']) : bounded(questions[0]?.question ?? '', TARGET_CHARS)
    const tool: ToolView = { callId, name, target, status: 'running' }
    tools.set(callId, { ...tool, turnId })
    if (questions === null || !mayAsk) return [toolUpdate(turnId, tool)]
    const prompt = { requestId: callId, turnId, kind: 'question', status: 'pending', input: { questions } } as const
    prompts.set(callId, prompt)
    return [toolUpdate(turnId, tool), promptPatch('waiting', prompt)]
  }

  function toolResult(data: Record<string, unknown>): SideEvent[] {
    const block = record((record(data['message'])?.['content'] as readonly unknown[] | undefined)?.[0])
    const call = tools.get(String(block?.['toolCallId']))
    if (block === null || call === undefined) return []
    const text = plainText(block['content'])
    const status =
      block['isError'] !== true ? 'ok' : text.includes(REFUSAL_MARK) || NOT_APPROVED.test(text) ? 'refused' : 'failed'
    const prompt = prompts.get(call.callId)
    const shown = prompt === undefined ? text : answersText((prompt.input as QuestionInput).questions, text)
    const tool: ToolView = { ...view(call), status, result: bounded(shown, RESULT_CHARS) }
    tools.set(call.callId, { ...tool, turnId: call.turnId })
    if (prompt === undefined) return [toolUpdate(call.turnId, tool)]
    prompts.delete(call.callId)
    const told = status === 'ok' ? 'answered' : text.includes(DECLINED) ? 'rejected' : 'gone'
    return [toolUpdate(call.turnId, tool), promptPatch('running', { ...prompt, status: told })]
  }

  return {
    event(event) {
      if (event.seq < options.from) return []
      if (event.type === 'assistant/chunk') return chunk(record(event.data)?.['chunk'], event.time)
      const data = record(event.data)
      if (data === null) return []
      switch (event.type) {
        case 'agent/inbox/spliced':
          return inbox(event, data)
        case 'turn/start':
          open = openTurn(count(data['turn']), event.time)
          return []
        case 'user/message':
          return userMessage(event, data)
        case 'assistant/message':
          return assistantMessage(data)
        case 'assistant/attempt':
          return assistantAttempt(data)
        case 'tool/call':
          return toolCall(data)
        case 'tool/result':
          return toolResult(data)
        case 'turn/end':
          return turnEnd(event, data)
        default:
          return []
      }
    },
    frame(frame) {
      if (frame.type === 'chunk') return chunk(frame.chunk, frame.time ?? 0)
      if (frame.type === 'end' && record(frame.outcome)?.['kind'] === 'abandoned') fail()
      return []
    },
  }
}

/** What a tool call acts on, from its raw JSON arguments: a path, pattern, query or command, bounded. */
export function toolTarget(rawArguments: unknown): string {
  if (typeof rawArguments !== 'string') return ''
  let parsed: unknown
  try {
    parsed = JSON.parse(rawArguments)
  } catch {
    return ''
  }
  const data = record(parsed)
  if (data === null) return ''
  for (const key of ['file_path', 'path', 'pattern', 'query', 'url', 'command', 'uri', 'name']) {
    const value = data[key]
    if (typeof value === 'string' && value !== '') return bounded(value, TARGET_CHARS)
  }
  return ''
}

/** The text blocks of a message's content, joined; anything else is skipped. */
export function plainText(content: unknown): string {
  if (!Array.isArray(content)) return ''
  let text = ''
  for (const block of content) {
    const part = record(block)
    if (part?.['type'] === 'text' && typeof part['text'] === 'string') text += part['text']
  }
  return text
}

/** `value` as a plain record, or null. */
export function record(value: unknown): Record<string, unknown> | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : null
}

function openTurn(turn: number, time: number): OpenTurn {
  return {
    turn,
    turnId: null,
    startedAt: time,
    firstTokenAt: null,
    promptTokens: 0,
    cachedTokens: null,
    completionTokens: 0,
    chars: 0,
  }
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}…`
}

function view(tool: ToolView & { readonly turnId: string }): ToolView {
  const { turnId: _turnId, ...rest } = tool
  return rest
}

function delta(
  messageId: string,
  turnId: string,
  kind: 'text' | 'reasoning',
  operation: 'append_text' | 'set',
  text: string,
): SideEvent {
  return {
    eventType: 'message_delta',
    data: { messageId, turnId, role: 'assistant', kind, content: { operation, text } },
  }
}

function question(turnId: string, content: unknown): SideEvent {
  return {
    eventType: 'message_delta',
    data: {
      messageId: turnId,
      turnId,
      role: 'user',
      kind: 'text',
      content: { operation: 'set', text: plainText(content) },
    },
  }
}

function toolUpdate(turnId: string, tool: ToolView): SideEvent {
  return {
    eventType: 'message_update',
    data: { messageId: tool.callId, turnId, role: 'assistant', kind: 'tool', tool },
  }
}

function turnPatch(turn: TurnPatch): SideEvent {
  return { eventType: 'state_patch', data: { turn } }
}

function promptPatch(phase: 'waiting' | 'running', interaction: InteractionPatch): SideEvent {
  return { eventType: 'state_patch', data: { turn: { turnId: interaction.turnId, phase }, interaction } }
}

function usageEvent(turn: OpenTurn, turnId: string, estimated = false): SideEvent {
  return {
    eventType: 'usage',
    data: {
      turnId,
      promptTokens: turn.promptTokens,
      ...(turn.cachedTokens === null ? {} : { cachedTokens: turn.cachedTokens }),
      completionTokens: turn.completionTokens,
      estimated,
      ...(turn.firstTokenAt === null ? {} : { firstTokenMs: Math.max(0, turn.firstTokenAt - turn.startedAt) }),
    },
  }
}

/** @param refused whether what the turn did last was a call that was refused. */
function settle(
  reason: Record<string, unknown> | null,
  refused: boolean,
): { outcome: TurnOutcome; error?: TurnFailure } {
  switch (reason?.['kind']) {
    case 'completed':
    case 'max-tokens':
      return { outcome: 'completed' }
    case 'aborted':
      return { outcome: record(reason['reason'])?.['kind'] === 'disposed' ? 'interrupted' : 'canceled' }
    case 'error':
      return { outcome: 'failed', error: failure(record(reason['error'])) }
    case 'blocked':
      // Ours (refusals.ts), else another plugin's.
      return {
        outcome: 'failed',
        error: refused
          ? { code: 'provider_error', kind: 'refused_calls', detail: '' }
          : { code: 'provider_error', kind: 'other', detail: 'The host refused to start this turn.' },
      }
    default:
      return { outcome: 'interrupted' }
  }
}

function failure(error: Record<string, unknown> | null): TurnFailure {
  const code = typeof error?.['code'] === 'string' ? error['code'] : ''
  const status = error?.['status']
  const detail = bounded(typeof error?.['message'] === 'string' ? error['message'] : '', 500)
  return {
    code: 'provider_error',
    kind: failureKind(code, typeof status === 'number' ? status : undefined),
    ...(typeof status === 'number' ? { status } : {}),
    detail,
  }
}

function failureKind(code: string, status: number | undefined): TurnFailure['kind'] {
  if (code === 'CONTEXT_WINDOW_EXCEEDED') return 'context_overflow'
  if (code === 'INVALID_CREDENTIAL' || status === 401 || status === 403) return 'auth'
  if (code === 'RATE_LIMIT' || code === 'QUOTA' || status === 429) return 'rate_limit'
  if (code.includes('TIMEOUT') || status === 408) return 'timeout'
  if (status !== undefined && status >= 500) return 'overloaded'
  if (/NETWORK|CONNECT|TRANSPORT|SOCKET|INTERRUPTED|STREAM_CLOSED/.test(code)) return 'connection'
  if (/PARSE|PROTOCOL|MALFORMED|EMPTY_RESPONSE|INVALID_RESPONSE/.test(code)) return 'malformed'
  return 'other'
}
