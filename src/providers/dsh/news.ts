/** What main did between two points of its log, as whole turns. Reads the log and nothing else. */

import type { NewsTurn } from '../../core/brief.ts'
import { plainText, record, toolTarget, type VendorEvent } from './translate.ts'

/** The whole turns of `events` from `from` up to `to`, oldest first. Those of our own commands hold no words. */
export function turnsBetween(events: readonly VendorEvent[], from: number, to: number): readonly NewsTurn[] {
  const turns: NewsTurn[] = []
  let asked: string[] = []
  let answered = ''
  let tools = new Map<string, { name: string; target: string; done: boolean }>()
  for (const event of events.slice(from, to)) {
    const data = record(event.data)
    switch (event.type) {
      case 'user/message':
        if (record(data?.['source'])?.['kind'] === 'user') asked.push(plainText(data?.['content']))
        break
      case 'assistant/message': {
        const text = plainText(record(data?.['message'])?.['content'])
        if (text.trim() !== '') answered = text
        break
      }
      case 'tool/call':
        tools.set(String(data?.['callId']), {
          name: String(data?.['name']),
          target: toolTarget(data?.['arguments']),
          done: true,
        })
        break
      case 'turn/end':
        turns.push({ asked: asked.join('\n'), answered, tools: [...tools.values()] })
        asked = []
        answered = ''
        tools = new Map()
        break
    }
  }
  return turns
}

/** How many turns of the log below `to` are whole, as the host numbers them. */
export function wholeTurns(events: readonly VendorEvent[], to: number): number {
  for (let index = Math.min(to, events.length) - 1; index >= 0; index -= 1) {
    const event = events[index]
    if (event?.type !== 'turn/end') continue
    const turn = record(event.data)?.['turn']
    return typeof turn === 'number' ? turn : 0
  }
  return 0
}
