/** What a reader of the contract would write down while a run goes on: one page per life of a side, from its first event
 *  to its last. Says what every verb must answer now, and finds whatever no life may do. Knows nothing of the code. */

import type { Envelope, SideIdentity } from '../../../src/core/contract.ts'
import { takeIn, type IntakeCursor } from '../../../src/core/intake.ts'
import { DEFAULT_LIMITS } from '../../../src/core/limits.ts'
import { EMPTY_TRANSCRIPT, project, type Transcript } from '../../../src/core/projector.ts'

export interface Life {
  readonly id: string
  readonly sourceSessionId: string
  readonly requestId: string
  readonly events: Envelope[]
  transcript: Transcript
  /** The child that `open` named. */
  child: string | null
  /** Turns that were accepted here, and how often each was seen to settle. */
  readonly settled: Map<string, number>
  hidden: boolean
  over: boolean
  /** Clock time of the client's last sign, and since when nobody sees it. */
  lastSign: number
  hiddenSince: number | null
  holds: number
}

export interface Book {
  note(envelope: Envelope): void
  /** The life of exactly this side, over or not. */
  life(side: SideIdentity): Life | undefined
  lives(): readonly Life[]
  /** Complaints that only a whole life shows. */
  finish(): void
}

/** What the driver of a run knows beside the events. */
export interface Driver {
  now(): number
  /** The open that is on its way for a side id. */
  requestOf(sideSessionId: string): string
  /** Whether somebody asked for an end of this side that was not answered yet. */
  isEnding(sideSessionId: string): boolean
}

export function createBook({ now, requestOf, isEnding }: Driver, wrong: (what: string) => void): Book {
  const current = new Map<string, Life>()
  const lives: Life[] = []

  function begin(envelope: Envelope): Life {
    const life: Life = {
      id: envelope.sideSessionId,
      sourceSessionId: envelope.sourceSessionId,
      requestId: requestOf(envelope.sideSessionId),
      events: [],
      transcript: EMPTY_TRANSCRIPT,
      child: null,
      settled: new Map(),
      hidden: false,
      over: false,
      lastSign: now(),
      hiddenSince: null,
      holds: 0,
    }
    current.set(envelope.sideSessionId, life)
    lives.push(life)
    return life
  }

  function noteTurns(life: Life, before: Transcript): void {
    for (const turn of life.transcript.turns) {
      const earlier = before.turns.find((one) => one.turnId === turn.turnId)
      const count = life.settled.get(turn.turnId)
      if (count === undefined) continue
      if (turn.phase === 'settled' && earlier?.phase !== 'settled') life.settled.set(turn.turnId, count + 1)
      if (turn.phase === 'settled' && turn.outcome === undefined) wrong(`${turn.turnId} settled without an outcome`)
      if (earlier?.outcome === 'canceled' && turn.outcome !== 'canceled') wrong(`E3 ${turn.turnId} came back`)
      for (const item of turn.items)
        if (
          item.kind === 'text' &&
          /«(.+?)»/.exec(item.text)?.[1] !== (item.text.includes('«') ? turn.turnId : undefined)
        )
          wrong(`E3 text of another turn in ${turn.turnId}`)
    }
  }

  function noteState(life: Life, envelope: Envelope): void {
    if (envelope.eventType !== 'state_patch') return
    const { turn, lifecycleStatus, reason } = envelope.data
    if (turn?.phase === 'submitted') {
      const running = life.transcript.turns.find((one) => life.settled.has(one.turnId) && one.phase !== 'settled')
      if (running !== undefined) wrong(`T2 ${turn.turnId} begins while ${running.turnId} runs`)
      if (life.settled.has(turn.turnId)) wrong(`T3 ${turn.turnId} begins twice`)
      life.settled.set(turn.turnId, 0)
    }
    if (reason === 'client_lost' && (life.holds > 0 || now() - life.lastSign < DEFAULT_LIMITS.lostClientMs))
      wrong(`T10 ${life.id} lost a client that was there`)
    if (reason === 'parked_too_long' && now() - (life.hiddenSince ?? now()) < DEFAULT_LIMITS.parkedMs)
      wrong(`T10 ${life.id} ended while it was seen`)
    if (lifecycleStatus === 'closing' && !life.hidden && !isEnding(life.id)) wrong(`T7 nobody closed ${life.id}`)
    if (lifecycleStatus !== 'closed' && lifecycleStatus !== 'expired') return
    life.over = true
    for (const [turnId, count] of life.settled)
      if (count !== 1) wrong(`accepted turn ${turnId} of ${life.id} settled ${count} times before the end`)
  }

  return {
    note(envelope) {
      const known = current.get(envelope.sideSessionId)
      const life = known === undefined || (known.over && envelope.sequence === 1) ? begin(envelope) : known
      if (life.over) return wrong(`E1 ${life.id} says something after its end`)
      if (envelope.sequence !== life.events.length + 1)
        wrong(`E1 ${life.id} says ${envelope.sequence} after ${life.events.length}`)
      if (
        envelope.sequence === 1 &&
        (envelope.eventType !== 'state_patch' || envelope.data.lifecycleStatus !== 'ready')
      )
        wrong(`O6 ${life.id} begins with ${envelope.eventType}`)
      life.events.push(envelope)
      const before = life.transcript
      // The end settles what still ran for every reader; here it must have been told before.
      noteState(life, envelope)
      life.transcript = project(before, envelope)
      if (!life.over) noteTurns(life, before)
    },
    life: (side) => {
      const life = current.get(side.sideSessionId)
      return life?.sourceSessionId === side.sourceSessionId && life.requestId === side.requestId ? life : undefined
    },
    lives: () => lives,
    finish() {
      for (const life of lives) rejoins(life, wrong)
    },
  }
}

/** Whoever leaves after any event and comes back to a stream that repeats some of them reads the same (E2). */
function rejoins({ id, events, transcript, sourceSessionId }: Life, wrong: (what: string) => void): void {
  const side = { workspaceId: 'w', sourceSessionId, sideSessionId: id }
  for (const share of [0.2, 0.5, 0.8]) {
    const cut = Math.floor(events.length * share)
    let cursor: IntakeCursor = { side, last: 0, ended: false }
    let view = EMPTY_TRANSCRIPT
    for (const event of [...events.slice(0, cut), ...events.slice(Math.max(0, cut - 3))]) {
      const taken = takeIn(cursor, event)
      ;({ cursor } = taken)
      if (taken.verdict === 'expire') wrong(`E2 ${id} cannot be rejoined after ${cut}`)
      if (taken.verdict === 'apply') view = project(view, event)
    }
    if (JSON.stringify(view) !== JSON.stringify(transcript))
      wrong(`${id} reads differently after a reconnect at ${cut}`)
  }
}
