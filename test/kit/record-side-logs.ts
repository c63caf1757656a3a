/** Records the logs of sides on the real host into test/fixtures: `node test/kit/record-side-logs.ts`. Run it again when
 *  the host or what the translator reads of it changes, and look at the difference. */
import { randomUUID } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import type { Behaviour } from '../../dev/model/behaviours.ts'
import { startRig, type Rig } from './host.ts'
import { closeSide, openSide, sideTurnEnd, type TestSide } from './side.ts'

interface Recording {
  readonly name: string
  readonly why: string
  /** Answers in the order of the requests. */
  readonly script: readonly Behaviour[]
  readonly play: (rig: Rig, side: TestSide) => Promise<unknown>
}

const RECORDINGS: readonly Recording[] = [
  {
    name: 'side-answer',
    why: 'All that a good answer is made of: thinking, a tool and its result, text; then a second turn of the same side.',
    script: [
      {
        kind: 'tool',
        reasoning: '  The manifest\n should say. ',
        text: 'I look it up.',
        calls: [{ name: 'read', arguments: { file_path: 'package.json', limit: 3 } }],
        after: { kind: 'plain', text: 'It is called\n\n\ttideline. ', chunkChars: 9, chunkMs: 2 },
        chunkChars: 9,
        chunkMs: 2,
      },
      { kind: 'plain', text: 'You are welcome.', chunkChars: 7, chunkMs: 2 },
    ],
    async play(rig, side) {
      await sideTurnEnd(rig, side.id)
      await side.send('Thanks.')
      await sideTurnEnd(rig, side.id, 2)
    },
  },
  {
    name: 'side-429',
    why: 'A provider that refuses six times: the host asks again by itself, then the turn fails with the status.',
    script: Array.from({ length: 6 }, () => ({ kind: 'status', status: 429, retryAfter: 1 }) as const),
    play: (rig, side) => sideTurnEnd(rig, side.id),
  },
  {
    name: 'side-reset-then-answer',
    why: 'A connection that breaks in the middle of an answer, twice: what had come is asked for again, so it must not stay.',
    script: [
      { kind: 'reset', text: 'Half of an answer that ' },
      { kind: 'reset', text: 'Another half of ' },
      { kind: 'plain', text: 'The whole answer.', chunkChars: 7, chunkMs: 2 },
    ],
    play: (rig, side) => sideTurnEnd(rig, side.id),
  },
  {
    name: 'side-canceled',
    why: 'A turn that the person stopped while it was writing: what had come stays.',
    script: [{ kind: 'steps', steps: [{ do: 'say', text: 'One, two, three, ', chunkChars: 5 }, { do: 'hang' }] }],
    async play(rig, side) {
      await rig.frames.waitFor('the text', ({ sessionId, event }) => {
        return (
          sessionId === side.id && event?.type === 'assistant/chunk' && JSON.stringify(event.data).includes('"three')
        )
      })
      await side.control({ op: 'cancel', turn: turnOf(rig, side.id) })
      await sideTurnEnd(rig, side.id)
    },
  },
  {
    name: 'side-canceled-before',
    why: 'A turn that the person stopped before the first word: the host has nothing to keep, and the turn must end all the same.',
    script: [{ kind: 'gate', name: 'never opened' }],
    async play(rig, side) {
      while (!rig.model.requests().some(({ gate }) => gate !== null)) await sleep(20)
      await side.control({ op: 'cancel', turn: turnOf(rig, side.id) })
      await sideTurnEnd(rig, side.id)
    },
  },
  {
    name: 'side-canceled-at-once',
    why: 'A turn stopped before the host took up its question: the log tells of the turn, and of the question only in the inbox.',
    script: [{ kind: 'plain', text: 'First.' }],
    async play(rig, side) {
      await sideTurnEnd(rig, side.id)
      const turn = randomUUID()
      await Promise.all([side.control({ op: 'send', turn, text: 'Never mind.' }), side.control({ op: 'cancel', turn })])
      await sideTurnEnd(rig, side.id, 2)
    },
  },
]

const started = await startRig({ stock: true })
try {
  for (const recording of RECORDINGS) await record(started, recording)
} finally {
  await started.stop()
}

async function record(rig: Rig, { name, why, script, play }: Recording): Promise<void> {
  const main = await rig.newSession()
  await rig.ask(main, 'Hello. [[plain Hi.]]')
  // The newest rule that is not used up answers first.
  for (const behaviour of script.toReversed()) rig.model.script({ times: 1, behaviour })
  const side = await openSide(rig, main, 'side', 'What is it called?')
  await play(rig, side)
  const log = await rig.history(side.id)
  const from = log.findIndex(({ type }) => type === 'session/end-seed') + 1
  const events = log.map(spare)
  await closeSide(rig, side)
  rig.model.clear()
  const head = JSON.stringify({ why, host: '0.1.0-rc.8', from }).slice(0, -1)
  const lines = events.map((event) => JSON.stringify(event).replaceAll(rig.workspace, '/workspace/tideline'))
  await writeFile(
    join(import.meta.dirname, `../fixtures/${name}.json`),
    `${head},"events":[\n${lines.join(',\n')}\n]}\n`,
  )
  process.stdout.write(`${name}: ${lines.length} events\n`)
}

/** Without what no reader of a side looks at: prompts, tool lists, the text of runtime context. */
function spare(event: { type: string; data?: unknown }): unknown {
  if (/^(?:request|session|permission|sandbox)\//.test(event.type)) return { ...event, data: {} }
  const text = JSON.stringify(event.data)
  if (event.type !== 'user/message' || !text.includes('Current runtime context')) return event
  const { id, source } = event.data as { id: string; source: { kind: string; plugin: string } }
  const content = [{ type: 'text', text: 'Current runtime context.' }]
  return { ...event, data: { id, role: 'user', content, source: { kind: source.kind, plugin: source.plugin } } }
}

function turnOf(rig: Rig, sideId: string): string {
  const message = rig.frames.events(sideId).find(({ type }) => type === 'user/message')
  if (message === undefined) throw new Error('the side was asked nothing')
  return (message.data as { id: string }).id
}
