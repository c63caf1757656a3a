/** Long conversations for tests and the bench: a real one of a few turns, repeated inside the host in its own log format
 *  (bench/plugin) until it holds as many turns or tokens as wanted. Each turn has a tool call; of very many turns each tenth,
 *  so that a model takes all of them. */
import { join } from 'node:path'

import { packPlugin } from '../../dev/pack.ts'
import type { Rig } from './host.ts'
import { startRig } from './host.ts'
import { packFolder } from './pack-folder.ts'

const CHARS_PER_TOKEN = 4
const QUESTIONS = ['Hello.', 'What is in the readme?', 'And what else?']
const LIGHT_FROM_TURNS = 5_000
const LIGHT_EVERY = 10

export interface LongParents {
  readonly rig: Rig
  /** A new conversation of so many completed turns. */
  ofTurns(turns: number): Promise<string>
  /** A new one whose messages are at least this long, by four bytes a token; tools and system prompt come on top. */
  ofTokens(tokens: number): Promise<string>
}

/** A rig with the packed plugin and the bench's own beside it. */
export async function startLongParents(options: { stock?: boolean } = { stock: true }): Promise<LongParents> {
  const bench = await packFolder(join(import.meta.dirname, '../../bench/plugin'))
  const rig = await startRig({ ...options, plugins: [await packPlugin(() => undefined), bench] })
  return longParents(rig)
}

/** Makes them on a rig that has the bench's plugin. */
export async function longParents(rig: Rig): Promise<LongParents> {
  const template = await rig.newSession()
  await rig.ask(template, 'Ready? [[plain Ready.]]')
  for (const question of QUESTIONS) await rig.ask(template, `${question} [[tool:read {"file_path":"README.md"}]]`)
  const asked = (question: string): number =>
    Math.min(
      ...rig.model
        .requests()
        .filter(
          ({ kind, sessionId, lastUser }) => kind === 'chat' && sessionId === template && lastUser.startsWith(question),
        )
        .map(({ body }) => JSON.stringify(body.messages).length),
    )
  const [, before = '', after = ''] = QUESTIONS
  const perTurn = asked(after) - asked(before)

  async function seeded(turns: number, every = 1): Promise<string> {
    const { result } = await rig.command(template, `/bench-seed ${turns} ${every}`)
    if (result.kind === 'error' || result.text === undefined) throw new Error(`no long conversation: ${result.text}`)
    return result.text
  }
  return {
    rig,
    ofTurns: (turns) => seeded(turns, turns < LIGHT_FROM_TURNS ? 1 : LIGHT_EVERY),
    ofTokens: (tokens) => seeded(Math.max(4, Math.ceil((tokens * CHARS_PER_TOKEN) / perTurn))),
  }
}
