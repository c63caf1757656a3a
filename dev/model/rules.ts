/** Decides which behaviour answers a request: rules (newest first), markers, or play. Owns how often a rule still
 *  counts and which tool calls wait for their follow-up. */

import { checkBehaviour } from './behaviours.ts'
import type { Behaviour, Next } from './behaviours.ts'
import { Problem } from './http.ts'
import { readMarkers } from './markers.ts'
import type { Question } from './question.ts'
import { isRecord } from './wire.ts'

/** An order for requests to come. */
export interface Rule {
  /** A part of the person's newest question, case-sensitive. Absent: any question. */
  match?: string
  /** How many requests it answers before it is used up; steps after a tool result do not count. Absent: for ever. */
  times?: number
  /** Which requests it is about. Default 'chat'; a title or compaction request never uses up a chat rule. */
  on?: Question['kind']
  behaviour: Behaviour
}

export interface Choice {
  behaviour: Behaviour
  by: 'rule' | 'marker' | 'follow-up' | 'play' | 'host'
  /** The question without its markers. */
  asked: string
}

const MAX_FOLLOW_UPS = 2000

/** Checks rules from outside. Throws a 400 Problem that names the first wrong field. */
export function checkRules(value: unknown): Rule[] {
  const many = Array.isArray(value)
  const list: unknown[] = many ? value : [value]
  list.forEach((rule, at) => {
    const complaint = checkRule(rule, many ? `[${at}]` : 'rule')
    if (complaint !== undefined) throw new Problem(400, complaint)
  })
  return list as Rule[]
}

export class Rulebook {
  #rules: { rule: Rule; left: number }[] = []
  readonly #followUps = new Map<string, Next>()

  add(rules: Rule[]): void {
    for (const rule of rules) this.#rules.unshift({ rule, left: rule.times ?? Infinity })
  }

  clear(): void {
    this.#rules = []
    this.#followUps.clear()
  }

  /** Remembers what to answer once the result of this call is in a request. */
  expect(callId: string, next: Next): void {
    this.#followUps.set(callId, next)
    for (const id of this.#followUps.keys()) {
      if (this.#followUps.size <= MAX_FOLLOW_UPS) break
      this.#followUps.delete(id)
    }
  }

  /** Chooses, and uses up one of the chosen rule's times. */
  choose(question: Question): Choice {
    if (question.kind !== 'chat') {
      const behaviour = this.#take(question)
      return { behaviour: behaviour ?? { kind: 'play' }, by: behaviour ? 'rule' : 'host', asked: question.text }
    }
    const marked = readMarkers(question.text)
    const asked = marked.rest
    const running = question.rounds.length > 0
    const followUp = question.rounds
      .at(-1)
      ?.calls.map(({ id }) => this.#followUps.get(id))
      .find((next) => next !== undefined)
    if (followUp !== undefined) return { behaviour: toBehaviour(followUp), by: 'follow-up', asked }

    const ruled = marked.forced ? undefined : this.#take(question)
    const behaviour = ruled ?? marked.behaviour
    if (behaviour === undefined) return { behaviour: { kind: 'play' }, by: 'play', asked }
    const by = ruled === undefined ? 'marker' : 'rule'
    // The results are there but nobody remembers the call (a restart, an edited history): never call again.
    return { behaviour: running && callsTools(behaviour) ? toBehaviour(nextOf(behaviour)) : behaviour, by, asked }
  }

  #take(question: Question): Behaviour | undefined {
    const entry = this.#rules.find(
      ({ rule, left }) => left > 0 && (rule.on ?? 'chat') === question.kind && question.text.includes(rule.match ?? ''),
    )
    if (entry === undefined) return undefined
    entry.left -= 1
    return entry.rule.behaviour
  }
}

/** What a behaviour answers after its tools have run; by default a report of what they said. */
export function nextOf(behaviour: Behaviour): Next {
  const inner = behindGate(behaviour)
  if (inner !== undefined) return nextOf(inner)
  if (behaviour.kind === 'tool' && behaviour.insist === true) return behaviour
  return ('after' in behaviour ? behaviour.after : undefined) ?? { kind: 'report' }
}

function toBehaviour(next: Next): Behaviour {
  return typeof next === 'string' ? { kind: 'plain', text: next } : next
}

function behindGate(behaviour: Behaviour): Behaviour | undefined {
  return behaviour.kind === 'gate' && typeof behaviour.after === 'object' ? behaviour.after : undefined
}

function callsTools(behaviour: Behaviour): boolean {
  const inner = behindGate(behaviour)
  if (inner !== undefined) return callsTools(inner)
  if (behaviour.kind === 'steps') return behaviour.steps.some((step) => step.do === 'call')
  return ['tool', 'write-tool', 'unknown-tool', 'nested'].includes(behaviour.kind)
}

function checkRule(rule: unknown, path: string): string | undefined {
  if (!isRecord(rule)) return `${path} must be an object`
  const stranger = Object.keys(rule).find((key) => !['match', 'times', 'on', 'behaviour'].includes(key))
  if (stranger !== undefined) return `${path} has no field "${stranger}" (it has match, times, on, behaviour)`
  if (rule['match'] !== undefined && typeof rule['match'] !== 'string') return `${path}.match must be a string`
  const times = rule['times']
  if (times !== undefined && !(Number.isInteger(times) && (times as number) > 0))
    return `${path}.times must be a whole number above 0`
  if (rule['on'] !== undefined && !['chat', 'title', 'compaction'].includes(rule['on'] as string)) {
    return `${path}.on must be one of chat, title, compaction`
  }
  return checkBehaviour(rule['behaviour'], `${path}.behaviour`)
}
