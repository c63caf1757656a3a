/** Turns the app-server's notices about one child into SideEvents. Pure but for what it remembers of open turns and items.
 *  Owns the mapping of Codex's turn ids to ours: a turn that begins while one of ours is on its way is that one. */

import type { SideEvent, ToolView, TurnFailure, TurnOutcome } from '../../core/contract.ts'
import { fields, list, text, turnIdOf, type Fields } from './protocol.ts'

export interface CodexTranslator {
  /** A turn of ours is on its way, submitted at `at` (epoch milliseconds); the next one that begins is it. */
  expect(turnId: string, at: number): void
  /** The turn will not begin after all. */
  unexpect(turnId: string): void
  /** Codex's id of a turn of ours that runs, once known. */
  codexTurn(turnId: string): string | undefined
  /** Our id of a running turn of Codex. */
  turnOf(codexTurnId: string): string | undefined
  /** The turn was asked to stop: its interruption is our own doing. */
  canceling(turnId: string): void
  /** Tells that `turn/start` answered with this id. */
  started(turnId: string, codexTurnId: string): void
  notice(method: string, params: Fields, at: number): SideEvent[]
}

const RESULT_CHARS = 4_000
const TARGET_CHARS = 200
const DETAIL_CHARS = 500

interface Turn {
  readonly turnId: string
  readonly submittedAt: number
  firstTokenAt: number | null
  canceling: boolean
  failure: TurnFailure | null
  prompt: number
  cached: number
  completion: number
}

/** With `adopt`, turns that nobody announced count too, under Codex's own ids: a thread that others speak in as well. */
export function createTranslator(options: { readonly adopt?: boolean } = {}): CodexTranslator {
  const turns = new Map<string, Turn>()
  const texts = new Map<string, string>()
  const canceled = new Set<string>()
  /** Codex's ids of turns that ended: what they still say belongs to no other turn (E3). */
  const ended = new Set<string>()
  let expected: { readonly turnId: string; readonly at: number } | null = null

  function begin(codexTurnId: string, at: number): Turn | null {
    const known = turns.get(codexTurnId)
    if (known !== undefined || codexTurnId === '' || ended.has(codexTurnId)) return known ?? null
    const own = expected ?? (options.adopt === true ? { turnId: codexTurnId, at } : null)
    if (own === null) return null
    const turn: Turn = {
      turnId: own.turnId,
      submittedAt: own.at,
      firstTokenAt: null,
      canceling: canceled.has(own.turnId),
      failure: null,
      prompt: 0,
      cached: 0,
      completion: 0,
    }
    turns.set(codexTurnId, turn)
    expected = null
    return turn
  }

  function delta(turn: Turn, kind: 'text' | 'reasoning', params: Fields, at: number): SideEvent[] {
    const [messageId, piece] = [text(params['itemId']), text(params['delta'])]
    if (messageId === '' || piece === '') return []
    turn.firstTokenAt ??= at
    texts.set(messageId, (texts.get(messageId) ?? '') + piece)
    return [said(messageId, turn.turnId, kind, 'append_text', piece)]
  }

  function item(turn: Turn, raw: unknown, done: boolean): SideEvent[] {
    const one = fields(raw)
    const id = text(one?.['id'])
    if (one === null || id === '') return []
    switch (one['type']) {
      case 'userMessage': {
        if (done) return []
        const question = list(one['content'])
          .map((part) => text(fields(part)?.['text']))
          .join('')
        const content = { operation: 'set' as const, text: question }
        return [
          {
            eventType: 'message_delta',
            data: { messageId: id, turnId: turn.turnId, role: 'user', kind: 'text', content },
          },
        ]
      }
      case 'agentMessage':
        return done ? whole(turn, id, 'text', text(one['text'])) : []
      case 'reasoning': {
        if (!done) return []
        const parts = list(one['summary']).length > 0 ? list(one['summary']) : list(one['content'])
        return whole(turn, id, 'reasoning', parts.map(text).join('\n\n'))
      }
      default: {
        const tool = toolOf(one, id, done)
        return tool === null
          ? []
          : [
              {
                eventType: 'message_update',
                data: { messageId: id, turnId: turn.turnId, role: 'assistant', kind: 'tool', tool },
              },
            ]
      }
    }
  }

  /** The final text, when the pieces do not already say it. */
  function whole(turn: Turn, id: string, kind: 'text' | 'reasoning', final: string): SideEvent[] {
    const streamed = texts.get(id)
    texts.delete(id)
    return final === '' || streamed === final ? [] : [said(id, turn.turnId, kind, 'set', final)]
  }

  function usage(turn: Turn, params: Fields): SideEvent[] {
    const last = fields(fields(params['tokenUsage'])?.['last'])
    if (last === null) return []
    turn.prompt += count(last['inputTokens'])
    turn.cached += count(last['cachedInputTokens'])
    turn.completion += count(last['outputTokens'])
    return [
      {
        eventType: 'usage',
        data: {
          turnId: turn.turnId,
          promptTokens: turn.prompt,
          cachedTokens: turn.cached,
          completionTokens: turn.completion,
          estimated: false,
          ...(turn.firstTokenAt === null ? {} : { firstTokenMs: Math.max(0, turn.firstTokenAt - turn.submittedAt) }),
        },
      },
    ]
  }

  function settle(codexTurnId: string, turn: Turn, params: Fields, at: number): SideEvent[] {
    const told = fields(params['turn'])
    turns.delete(codexTurnId)
    ended.add(codexTurnId)
    canceled.delete(turn.turnId)
    const outcome = outcomeOf(text(told?.['status']), turn.canceling)
    const error = failureOf(told?.['error']) ?? turn.failure
    return [
      {
        eventType: 'state_patch',
        data: {
          turn: {
            turnId: turn.turnId,
            phase: 'settled',
            outcome,
            at,
            ...(outcome === 'failed' ? { error: error ?? UNKNOWN_FAILURE } : {}),
          },
        },
      },
    ]
  }

  return {
    expect(turnId, at) {
      expected = { turnId, at }
    },
    unexpect(turnId) {
      if (expected?.turnId === turnId) expected = null
    },
    codexTurn: (turnId) => [...turns].find(([, turn]) => turn.turnId === turnId)?.[0],
    turnOf: (codexTurnId) => turns.get(codexTurnId)?.turnId,
    canceling(turnId) {
      canceled.add(turnId)
      for (const turn of turns.values()) if (turn.turnId === turnId) turn.canceling = true
    },
    started(turnId, codexTurnId) {
      if (expected?.turnId === turnId) begin(codexTurnId, expected.at)
    },
    notice(method, params, at) {
      if (method === 'turn/started') {
        const turn = begin(turnIdOf(params), at)
        if (turn === null) return []
        return [{ eventType: 'state_patch', data: { turn: { turnId: turn.turnId, phase: 'running', at } } }]
      }
      const codexTurnId = text(params['turnId']) || turnIdOf(params)
      const turn = turns.get(codexTurnId)
      if (turn === undefined) return []
      switch (method) {
        case 'item/agentMessage/delta':
          return delta(turn, 'text', params, at)
        case 'item/reasoning/summaryTextDelta':
        case 'item/reasoning/textDelta':
          return delta(turn, 'reasoning', params, at)
        case 'item/reasoning/summaryPartAdded':
          return texts.has(text(params['itemId'])) ? delta(turn, 'reasoning', { ...params, delta: '\n\n' }, at) : []
        case 'item/started':
          return item(turn, params['item'], false)
        case 'item/completed':
          return item(turn, params['item'], true)
        case 'thread/tokenUsage/updated':
          return usage(turn, params)
        case 'error':
          turn.failure = params['willRetry'] === true ? null : failureOf(params['error'])
          return []
        case 'turn/completed':
          return settle(codexTurnId, turn, params, at)
        default:
          return []
      }
    },
  }
}

function said(
  messageId: string,
  turnId: string,
  kind: 'text' | 'reasoning',
  operation: 'append_text' | 'set',
  piece: string,
): SideEvent {
  return {
    eventType: 'message_delta',
    data: { messageId, turnId, role: 'assistant', kind, content: { operation, text: piece } },
  }
}

function outcomeOf(status: string, canceling: boolean): TurnOutcome {
  if (status === 'completed') return 'completed'
  if (status === 'failed') return 'failed'
  return canceling ? 'canceled' : 'interrupted'
}

/** A tool call as a person reads it; null for items that are none. */
function toolOf(item: Fields, callId: string, done: boolean): ToolView | null {
  const status = toolStatus(item, done)
  const view = (name: string, target: string, result: string): ToolView => ({
    callId,
    name,
    target: bounded(target, TARGET_CHARS),
    status,
    ...(done ? { result: bounded(result, RESULT_CHARS) } : {}),
  })
  switch (item['type']) {
    case 'commandExecution':
      return view('shell', commandOf(text(item['command'])), text(item['aggregatedOutput']))
    case 'fileChange': {
      const paths = list(item['changes']).map((change) => text(fields(change)?.['path']))
      return view('edit', paths.join(', '), '')
    }
    case 'mcpToolCall': {
      const error = text(fields(item['error'])?.['message'])
      const content = list(fields(item['result'])?.['content']).map((part) => text(fields(part)?.['text']))
      return view(
        `${text(item['server'])}.${text(item['tool'])}`,
        targetIn(item['arguments']),
        error || content.join('\n'),
      )
    }
    case 'dynamicToolCall': {
      const content = list(item['contentItems']).map((part) => text(fields(part)?.['text']))
      return view(text(item['tool']), targetIn(item['arguments']), content.join('\n'))
    }
    case 'webSearch':
      return view('web_search', text(item['query']), '')
    default:
      return null
  }
}

/** `declined` is the app-server's word for what nobody approved; in a side a failed change was refused by the sandbox. */
function toolStatus(item: Fields, done: boolean): ToolView['status'] {
  if (!done) return 'running'
  const ending = text(item['status'])
  if (ending === 'declined') return 'refused'
  if (item['type'] === 'fileChange' && ending !== 'completed') return 'refused'
  if (item['type'] === 'dynamicToolCall' && item['success'] === false) return 'refused'
  const error = text(fields(item['error'])?.['message'])
  if (ending === 'failed') return /approval|denied|not allowed|read-only/i.test(error) ? 'refused' : 'failed'
  return 'ok'
}

/** `cat a.txt` of `/bin/bash -lc 'cat a.txt'`. */
function commandOf(command: string): string {
  const inner = /^\S*\b(?:ba|z|da)?sh -l?c (['"]?)([\s\S]*)\1$/.exec(command)?.[2]
  return inner ?? command
}

function targetIn(args: unknown): string {
  const given = fields(args)
  if (given === null) return ''
  for (const key of ['path', 'file_path', 'query', 'pattern', 'url', 'uri', 'name', 'command']) {
    const value = text(given[key])
    if (value !== '') return value
  }
  return ''
}

const UNKNOWN_FAILURE: TurnFailure = { code: 'provider_error', kind: 'other', detail: '' }

function failureOf(error: unknown): TurnFailure | null {
  const failed = fields(error)
  if (failed === null) return null
  const info = failed['codexErrorInfo']
  const [name, rest] = typeof info === 'string' ? [info, null] : (Object.entries(fields(info) ?? {})[0] ?? ['', null])
  const detail = bounded(text(failed['message']), DETAIL_CHARS)
  const told = fields(rest)?.['httpStatusCode']
  // Some failures tell their status in words only.
  const status = typeof told === 'number' ? told : Number(/\bstatus (\d{3})\b/.exec(detail)?.[1] ?? NaN)
  return {
    code: 'provider_error',
    kind: failureKind(name, Number.isNaN(status) ? undefined : status),
    ...(Number.isNaN(status) ? {} : { status }),
    detail,
  }
}

function failureKind(name: string, status: number | undefined): TurnFailure['kind'] {
  if (name === 'contextWindowExceeded') return 'context_overflow'
  if (name === 'unauthorized' || status === 401 || status === 403) return 'auth'
  if (name === 'rateLimitExceeded' || name === 'usageLimitExceeded' || status === 429) return 'rate_limit'
  if (status === 408) return 'timeout'
  if (name === 'serverOverloaded' || name === 'internalServerError' || (status ?? 0) >= 500) return 'overloaded'
  if (name === 'responseStreamDisconnected' || name.endsWith('ConnectionFailed')) return 'connection'
  return 'other'
}

function count(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0 ? value : 0
}

function bounded(value: string, limit: number): string {
  return value.length <= limit ? value : `${value.slice(0, limit)}…`
}
