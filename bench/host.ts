/** A real host with the packed plugin and the bench's own beside it, and the ways to ask that are compared. */
import { randomUUID } from 'node:crypto'

import { now } from '../dev/model/journal.ts'
import type { Rig } from '../test/kit/host.ts'
import { startLongParents } from '../test/kit/long-parent.ts'
import type { WireRequest } from '../test/kit/prefix.ts'
import { closeSide, openSide, sideTurnEnd } from '../test/kit/side.ts'

/** A turn of a long conversation on a busy machine. */
const PATIENCE_MS = 180_000

/** One question that was asked. Times are milliseconds since it left this process. */
export interface Asked {
  /** The session that asked. */
  id: string
  /** Until the command was answered: the child exists and has its question. Main's: until the message was taken. */
  reply: number
  /** Until its request reached the model server. */
  request: number
  /** Until the first byte of the answer left it. */
  firstByte: number
  /** Tokens of its request that no cache covers, and that one does. */
  uncached: number
  cached: number
  /** The request itself. */
  body: WireRequest
}

/** The host's own part: how long it made the child, and how much more the heap held afterwards. */
export interface Created {
  created: { ms: number; heap: number }
}

export interface BenchHost {
  rig: Rig
  /** A new conversation of so many completed turns, with a tool call in each. */
  parent(turns: number): Promise<string>
  /** A new one whose messages hold about so many tokens. */
  parentOfTokens(tokens: number): Promise<string>
  /** A `/btw`, as our client half asks it. */
  btw(parent: string): Promise<Asked>
  /** The bare child: forked, tools restricted, a section more, stored. `before` it is closed something may be looked at. */
  bare(parent: string, before?: (id: string) => Promise<void>): Promise<Asked>
  /** Main's own next message. */
  main(parent: string): Promise<Asked>
  /** A command that does nothing. */
  noop(parent: string): Promise<{ reply: number }>
  /** Asks, and tells what the host's own making of the child took. */
  watched(ask: () => Promise<Asked>): Promise<Asked & Created>
  /** Milliseconds that our own code ran in the host meanwhile, and that the host's making of agents did; the profile itself
   *  goes into `file`. */
  profiled(work: () => Promise<unknown>, file?: string): Promise<{ ours: number; create: number }>
  stop(): Promise<void>
}

/** Starts it. Takes a few seconds. */
export async function startBenchHost(): Promise<BenchHost> {
  const { rig, ofTurns, ofTokens } = await startLongParents()
  const template = rig.sessionId

  const run = async (parent: string, line: string): Promise<string> => {
    const { result } = await rig.command(parent, line)
    if (result.kind === 'error') throw new Error(`${line.slice(0, 20)}: ${result.text}`)
    return result.text ?? ''
  }

  /** Asks with a text of its own, so that its request is known among all others. */
  const asked = async (
    submit: (question: string) => Promise<string>,
    ended: (id: string) => Promise<void>,
  ): Promise<Asked> => {
    const mark = randomUUID()
    const from = now()
    const id = await submit(`${mark} What is two and two? [[plain Four.]]`)
    const reply = now() - from
    await ended(id)
    const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser.includes(mark))
    if (request === undefined) throw new Error('a question never reached the model')
    const usage: { prompt_cache_miss_tokens?: number; prompt_cache_hit_tokens?: number } | null = request.usage
    return {
      id,
      reply,
      request: request.arrivedAt - from,
      firstByte: (request.firstByteAt ?? NaN) - from,
      uncached: usage?.prompt_cache_miss_tokens ?? NaN,
      cached: usage?.prompt_cache_hit_tokens ?? NaN,
      body: request.body,
    }
  }

  return {
    rig,
    parent: ofTurns,
    parentOfTokens: ofTokens,
    async btw(parent) {
      let side: Awaited<ReturnType<typeof openSide>> | undefined
      return asked(
        async (question) => (side = await openSide(rig, parent, 'btw', question)).id,
        async (id) => {
          await sideTurnEnd(rig, id, 1, PATIENCE_MS)
          if (side !== undefined) await closeSide(rig, side)
        },
      )
    },
    bare: (parent, before) =>
      asked(
        (question) => run(parent, `/bench-bare ${question}`),
        async (id) => {
          await sideTurnEnd(rig, id, 1, PATIENCE_MS)
          await before?.(id)
          await run(parent, `/bench-close ${id}`)
        },
      ),
    async main(parent) {
      const since = rig.frames.all.length
      return asked(
        async (question) => {
          await rig.prompt(parent, question)
          return parent
        },
        async () => {
          const over = ({ sessionId, event }: (typeof rig.frames.all)[number]): boolean =>
            sessionId === parent && event?.type === 'turn/end'
          await rig.frames.waitFor('the end of a turn of main', over, { since, ms: PATIENCE_MS })
        },
      )
    },
    async noop(parent) {
      const from = now()
      await run(parent, '/bench-noop')
      return { reply: now() - from }
    },
    async watched(ask) {
      await run(template, '/bench-watch')
      const one = await ask()
      const [created] = JSON.parse(await run(template, '/bench-watch')) as Created['created'][]
      if (created === undefined) throw new Error('no child was made')
      return { ...one, created }
    },
    async profiled(work, file = '') {
      await run(template, '/bench-profile')
      await work()
      return JSON.parse(await run(template, `/bench-profile ${file}`)) as { ours: number; create: number }
    },
    stop: () => rig.stop(),
  }
}

/** Does everything in turn, in an order that rotates, so that none of the ways always comes first. */
export async function interleaved<W extends Record<string, () => Promise<unknown>>>(
  ways: W,
  rounds: { warmUps: number; samples: number },
): Promise<{ [N in keyof W]: Awaited<ReturnType<W[N]>>[] }> {
  const names = Object.keys(ways)
  const taken = Object.fromEntries(names.map((name) => [name, [] as unknown[]]))
  for (let round = 0; round < rounds.warmUps + rounds.samples; round += 1) {
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(round + place) % names.length] ?? ''
      const sample = await ways[name]?.()
      if (round >= rounds.warmUps) taken[name]?.push(sample)
    }
  }
  return taken as { [N in keyof W]: Awaited<ReturnType<W[N]>>[] }
}
