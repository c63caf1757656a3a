/** Watches a live Codex thread that may get sides, so that it can be captured as a plain value at any moment without asking
 *  the app-server. Never writes to the thread. */

import type { LiveTurn } from '../../core/contract.ts'
import type { CodexConnection } from './connection.ts'
import { fields, hostContextOf, list, text, turnIdOf, type Fields } from './protocol.ts'
import type { CodexMetadata, CodexSource } from './source.ts'

export interface WatchedThread {
  /** The thread as it is now. `workspaceId` names the folder that the service works for. */
  capture(workspaceId: string, now: number): CodexSource
  readonly metadata: CodexMetadata
  stop(): void
}

/** What is known of a thread before it is watched. */
export interface ThreadBefore {
  readonly turns: number
  /** Tokens of its context, or 0 when unknown. */
  readonly tokens: number
}

const PARTIAL_CHARS = 400
const TOOLS = 12

interface OpenTurn {
  readonly id: string
  question: string
  partial: string
  readonly tools: Map<string, LiveTurn['tools'][number]>
  /** Server requests that wait for the person. */
  asks: number
}

/** Watches from now on. */
export function watchThread(connection: CodexConnection, start: CodexMetadata, before: ThreadBefore): WatchedThread {
  let metadata = start
  let turns = before.turns
  let tokens = before.tokens
  let open: OpenTurn | null = null

  const stop = connection.listen(start.threadId, ({ kind, method, params }) => {
    if (kind === 'request') {
      if (open !== null) open.asks += 1
      return
    }
    switch (method) {
      case 'turn/started':
        open = { id: turnIdOf(params), question: '', partial: '', tools: new Map(), asks: 0 }
        break
      case 'turn/completed':
        if (open?.id === turnIdOf(params)) open = null
        turns += 1
        break
      case 'item/started':
      case 'item/completed':
        if (open !== null) noteItem(open, fields(params['item']), method === 'item/completed')
        break
      case 'item/agentMessage/delta':
        if (open !== null) open.partial = (open.partial + text(params['delta'])).slice(-PARTIAL_CHARS)
        break
      case 'serverRequest/resolved':
        if (open !== null) open.asks = Math.max(0, open.asks - 1)
        break
      case 'thread/tokenUsage/updated':
        tokens = tokensOf(params) ?? tokens
        break
      case 'thread/settings/updated':
        metadata = withSettings(metadata, params)
        break
    }
  })

  return {
    get metadata() {
      return metadata
    },
    capture(workspaceId, now) {
      return {
        workspaceId,
        sessionId: metadata.threadId,
        inheritedTurns: turns,
        inheritedTokens: tokens,
        liveTurn: open === null ? null : liveTurn(open),
        capturedAt: now,
        metadata,
        started: turns > 0 || open !== null,
        isSide: false,
      }
    },
    stop,
  }
}

function noteItem(turn: OpenTurn, item: Fields | null, done: boolean): void {
  const id = text(item?.['id'])
  switch (item?.['type']) {
    case 'userMessage':
      turn.question = list(item['content'])
        .map((part) => text(fields(part)?.['text']))
        .join('')
      break
    case 'commandExecution':
      turn.tools.set(id, { name: 'shell', target: text(item['command']), done })
      break
    case 'fileChange':
      turn.tools.set(id, { name: 'edit', target: text(fields(list(item['changes'])[0])?.['path']), done })
      break
    case 'mcpToolCall':
    case 'dynamicToolCall':
      turn.tools.set(id, { name: text(item['tool']), target: '', done })
      break
  }
}

function liveTurn({ question, partial, tools, asks }: OpenTurn): LiveTurn {
  const shown = [...tools.values()].slice(-TOOLS)
  return {
    userMessage: question,
    tools: shown,
    partialAnswer: partial,
    waitsFor: asks > 0 ? 'approval' : shown.some((tool) => !tool.done) ? 'tool' : 'model',
  }
}

function tokensOf(params: Fields): number | null {
  const total = fields(fields(params['tokenUsage'])?.['last'])?.['totalTokens']
  return typeof total === 'number' ? total : null
}

function withSettings(metadata: CodexMetadata, params: Fields): CodexMetadata {
  const settings = fields(params['threadSettings'])
  const mode = fields(fields(settings?.['collaborationMode'])?.['settings'])
  const { effort: _before, ...rest } = metadata
  const effort = text(settings?.['effort'] ?? mode?.['reasoning_effort'])
  return {
    ...rest,
    model: text(settings?.['model']) || text(mode?.['model']) || metadata.model,
    modelProvider: text(settings?.['modelProvider']) || metadata.modelProvider,
    hostContext: hostContextOf(params) ?? metadata.hostContext,
    ...(effort === '' ? {} : { effort }),
  }
}
