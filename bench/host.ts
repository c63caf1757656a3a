/** A real host with the packed plugin and the bench's own beside it, and the ways to ask that are compared. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'

import { now } from '../dev/model/journal.ts'
import { packPlugin } from '../dev/pack.ts'
import { startRig, type Rig } from '../test/kit/host.ts'
import { packFolder } from '../test/kit/pack-folder.ts'
import { closeSide, openSide, sideTurnEnd } from '../test/kit/side.ts'

/** Milliseconds since the question left this process. */
export interface Asked {
  /** Until the command was answered: the child exists and has its question. Main's: until the message was taken. */
  reply: number
  /** Until its request reached the model server. */
  request: number
}

export interface BenchHost {
  rig: Rig
  /** A new conversation of so many completed turns, with a tool call in each. */
  parent(turns: number): Promise<string>
  /** A `/btw`, as our client half asks it. */
  btw(parent: string): Promise<Asked>
  /** The bare child: forked, tools restricted, a section more, stored. */
  bare(parent: string): Promise<Asked>
  /** Main's own next message. */
  main(parent: string): Promise<Asked>
  noop(parent: string): Promise<void>
  stop(): Promise<void>
}

/** Starts it. Takes a few seconds. */
export async function startBenchHost(): Promise<BenchHost> {
  const plugins = [await packPlugin(() => undefined), await packFolder(join(import.meta.dirname, 'plugin'))]
  const rig = await startRig({ stock: true, plugins })
  const template = await rig.newSession()
  for (const question of ['Hello.', 'What is in the readme?', 'And what else?']) {
    await rig.ask(template, `${question} [[tool:read {"file_path":"README.md"}]]`)
  }

  const run = async (parent: string, line: string): Promise<string> => {
    const { result } = await rig.command(parent, line)
    if (result.kind === 'error') throw new Error(`${line.slice(0, 20)}: ${result.text}`)
    return result.text ?? ''
  }

  /** Asks with a text of its own, so that its request is known among all others. */
  const asked = async (submit: (question: string) => Promise<void>, ended: () => Promise<void>): Promise<Asked> => {
    const mark = randomUUID()
    const from = now()
    await submit(`${mark} What is two and two? [[plain Four.]]`)
    const reply = now() - from
    await ended()
    const request = rig.model.requests().findLast(({ kind, lastUser }) => kind === 'chat' && lastUser.includes(mark))
    if (request === undefined) throw new Error('a question never reached the model')
    return { reply, request: request.arrivedAt - from }
  }

  return {
    rig,
    parent: (turns) => run(template, `/bench-seed ${turns}`),
    async btw(parent) {
      let side: Awaited<ReturnType<typeof openSide>> | undefined
      return asked(
        async (question) => void (side = await openSide(rig, parent, 'btw', question)),
        async () => {
          if (side === undefined) return
          await sideTurnEnd(rig, side.id)
          await closeSide(rig, side)
        },
      )
    },
    async bare(parent) {
      let id = ''
      return asked(
        async (question) => void (id = await run(parent, `/bench-bare ${question}`)),
        async () => {
          await sideTurnEnd(rig, id)
          await run(parent, `/bench-close ${id}`)
        },
      )
    },
    async main(parent) {
      const since = rig.frames.all.length
      return asked(
        (question) => rig.prompt(parent, question),
        async () => {
          const over = ({ sessionId, event }: (typeof rig.frames.all)[number]): boolean =>
            sessionId === parent && event?.type === 'turn/end'
          await rig.frames.waitFor('the end of a turn of main', over, { since, ms: 60_000 })
        },
      )
    },
    noop: async (parent) => void (await run(parent, '/bench-noop')),
    stop: () => rig.stop(),
  }
}

/** Asks in every way in turn, in an order that rotates, so that none of them always comes first. */
export async function interleaved<W extends string>(
  ways: Readonly<Record<W, () => Promise<Asked>>>,
  rounds: { warmUps: number; samples: number },
): Promise<Record<W, Asked[]>> {
  const names = Object.keys(ways) as W[]
  const taken = Object.fromEntries(names.map((name) => [name, [] as Asked[]])) as Record<W, Asked[]>
  for (let round = 0; round < rounds.warmUps + rounds.samples; round += 1) {
    for (let place = 0; place < names.length; place += 1) {
      const name = names[(round + place) % names.length]
      if (name === undefined) continue
      const sample = await ways[name]()
      if (round >= rounds.warmUps) taken[name].push(sample)
    }
  }
  return taken
}
