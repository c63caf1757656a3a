/** What a DSH conversation is doing, from its log: its open turn, and how the last one ended. Pure, and run by both halves. */

import type { LiveTurn } from '../../core/contract.ts'
import { plainText, record, toolTarget, type VendorEvent } from './translate.ts'

const PARTIAL_CHARS = 400

/** The open turn that begins at the index `from`. */
export function liveTurn(events: readonly VendorEvent[], from: number): LiveTurn {
  let userMessage = ''
  let partial = ''
  let approvals = 0
  const calls = new Map<string, { name: string; target: string; done: boolean }>()
  for (let index = from; index < events.length; index += 1) {
    const event = events[index]
    const data = record(event?.data)
    if (event === undefined || data === null) continue
    switch (event.type) {
      case 'user/message':
        if (record(data['source'])?.['kind'] === 'user') userMessage = plainText(data['content'])
        break
      case 'assistant/chunk': {
        const chunk = record(data['chunk'])
        if (chunk?.['type'] === 'text-delta' && typeof chunk['text'] === 'string') partial += chunk['text']
        break
      }
      case 'step/start':
        partial = ''
        break
      case 'tool/call':
        calls.set(String(data['callId']), {
          name: String(data['name']),
          target: toolTarget(data['arguments']),
          done: false,
        })
        break
      case 'tool/result': {
        const block = record((record(data['message'])?.['content'] as readonly unknown[] | undefined)?.[0])
        const call = calls.get(String(block?.['toolCallId']))
        if (call !== undefined) call.done = true
        break
      }
      case 'approval/asked':
        approvals += 1
        break
      case 'approval/decided':
        approvals -= 1
        break
    }
  }
  const tools = [...calls.values()]
  const pending = tools.find((tool) => !tool.done)
  return {
    userMessage,
    tools,
    partialAnswer: partial.slice(-PARTIAL_CHARS),
    waitsFor:
      approvals > 0
        ? 'approval'
        : pending === undefined
          ? 'model'
          : pending.name.startsWith('ask_user')
            ? 'answer'
            : 'tool',
  }
}

/** What the conversation does at the end of `events`: since when its open turn runs and what it is at, or how and when its
 *  last turn ended; null while it has none. */
export function activityOf(events: readonly VendorEvent[]): Activity | null {
  for (let index = events.length - 1; index >= 0; index -= 1) {
    const event = events[index]
    if (event?.type === 'turn/end') {
      const kind = record(record(event.data)?.['reason'])?.['kind']
      return {
        state: kind === 'error' || kind === 'blocked' ? 'failed' : kind === 'aborted' ? 'stopped' : 'done',
        at: event.time,
      }
    }
    if (event?.type === 'turn/start') {
      const live = liveTurn(events, index)
      const tool = live.tools.find(({ done }) => !done)
      return {
        state: 'running',
        at: event.time,
        ...(tool === undefined ? {} : { tool: { name: tool.name, target: tool.target } }),
      }
    }
  }
  return null
}

export interface Activity {
  readonly state: 'running' | 'done' | 'failed' | 'stopped'
  /** Epoch milliseconds: when it began, or ended. */
  readonly at: number
  /** The call it waits for. */
  readonly tool?: { readonly name: string; readonly target: string }
}
