/** Finds out what a request asks: the person's newest question, what happened since, and whether the host
 *  asks for itself (a title, a compaction). Pure. What to answer is rules.ts and play.ts. */

import { isRecord, textOf } from './wire.ts'
import type { ChatRequest, WireMessage, WireToolCall } from './wire.ts'

/** One step of a running turn: what was called and what came back, in the order of the calls. */
export interface ToolRound {
  calls: WireToolCall[]
  results: { name: string; text: string }[]
}

export interface Question {
  kind: 'chat' | 'title' | 'compaction'
  /** The newest thing a person said; for a title or compaction the host's own instruction. */
  text: string
  /** Finished tool rounds after the question, oldest first. */
  rounds: ToolRound[]
  /** What the person said before, oldest first. */
  earlier: string[]
}

/** What an answer is about. `asked` is the question without markers. */
export interface Scene {
  request: ChatRequest
  question: Question
  asked: string
}

/** How user-role messages begin that the host adds by itself, as of DSH 0.1. They can come after the question. */
const ADDED_BY_HOST = [
  'Current runtime context',
  'Time sampled while preparing turn ',
  'tmux location (turn ',
  'The approval policy changed from "',
  'The user switched this session ',
  'You are repeating the exact same tool call',
  'Repeated tool call detected:',
  'Attached image(s) from tool result:',
  '## Referenced sessions\n',
  '<skill_content name="',
  'This is an automatically generated checkpoint condensing',
]

/** First lines of the `<system-reminder>` messages of the host. A reminder that a person pasted is a question. */
const REMINDERS = [
  'The following workspace instructions may be relevant',
  'This complete workspace instruction baseline replaces',
  'Workspace instructions were omitted or truncated',
  'Additional instructions from:',
  'Instructions removed:',
  'Updated instructions from:',
  'A skill is a reusable set of task-specific instructions.',
  'The available skill catalog changed.',
]

const TITLE_INSTRUCTION = 'Generate the session title from this JSON array of human messages:'
const COMPACTION_INSTRUCTION = 'You are now acting as a compaction engine'

/** Reads the question out of a request. Never throws; a request without a user message asks ''. */
export function readQuestion(request: ChatRequest): Question {
  const { messages } = request
  const users = messages.map((message, at) => ({ message, at })).filter(({ message }) => message.role === 'user')
  const last = users.at(-1)
  if (last === undefined) return { kind: 'chat', text: '', rounds: [], earlier: [] }

  const lastText = textOf(last.message)
  if (lastText.startsWith(TITLE_INSTRUCTION)) return { kind: 'title', text: lastText, rounds: [], earlier: [] }
  const said = users.filter(({ message }) => !isAddedByHost(textOf(message)))
  const earlier = said.slice(0, -1).map(({ message }) => textOf(message))
  if (lastText.startsWith(COMPACTION_INSTRUCTION)) return { kind: 'compaction', text: lastText, rounds: [], earlier }

  const asked = said.at(-1) ?? last
  return { kind: 'chat', text: textOf(asked.message), rounds: roundsAfter(messages.slice(asked.at + 1)), earlier }
}

/** The messages a title request is about, oldest first. Empty when they cannot be read. */
export function titledMessages(question: Question): string[] {
  try {
    const list: unknown = JSON.parse(question.text.slice(question.text.indexOf('\n') + 1))
    if (!Array.isArray(list)) return []
    return list.map((entry: unknown) => {
      const text = isRecord(entry) ? (entry['text'] ?? entry['content']) : entry
      return typeof text === 'string' ? text : JSON.stringify(text ?? '')
    })
  } catch {
    return []
  }
}

function isAddedByHost(text: string): boolean {
  if (ADDED_BY_HOST.some((start) => text.startsWith(start))) return true
  const inner = /^<system-reminder>\s*([\s\S]*)<\/system-reminder>\s*$/.exec(text)?.[1]
  return inner !== undefined && REMINDERS.some((start) => inner.startsWith(start))
}

function roundsAfter(messages: WireMessage[]): ToolRound[] {
  const rounds: ToolRound[] = []
  for (const message of messages) {
    if (message.role === 'assistant' && (message.tool_calls?.length ?? 0) > 0) {
      rounds.push({ calls: message.tool_calls ?? [], results: [] })
    } else if (message.role === 'tool') {
      const round = rounds.at(-1)
      const call = round?.calls.find(({ id }) => id === message.tool_call_id)
      round?.results.push({ name: call?.function.name ?? 'tool', text: textOf(message) })
    }
  }
  return rounds.filter((round) => round.results.length > 0)
}
