/** Drives a side over the host's command transport, as the client half does: with a secret of its own. */
import { randomBytes, randomUUID } from 'node:crypto'

import { encodeControl, parseStartToken, type Control, type SendOptions, type SideKind } from '../../src/wire/index.ts'
import type { Frame } from './frames.ts'
import type { Rig } from './host.ts'

type Verb = Control extends infer C ? (C extends Control ? Omit<C, 'side' | 'secret'> : never) : never

/** An open side and its secret. */
export interface TestSide {
  id: string
  secret: string
  parent: string
  /** The command line that carries this verb. */
  line(verb: Verb): string
  /** Runs a verb through the parent; throws when the host refuses. */
  control(verb: Verb): Promise<unknown>
  send(text: string, options?: SendOptions): Promise<string>
  /** Claims a side that a plain command opened, and ends it. */
  claimAndClose(sideId: string): Promise<void>
}

/** A secret as a client makes it. */
export function newSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Opens a side and sends its first question. */
export async function openSide(
  rig: Rig,
  parent: string,
  kind: SideKind,
  text: string,
  wish: Pick<Extract<Control, { op: 'open' }>, 'route' | 'scope'> = {},
): Promise<TestSide> {
  const id = randomUUID()
  const secret = newSecret()
  const open: Control = {
    op: 'open',
    side: id,
    secret,
    request: randomUUID(),
    turn: randomUUID(),
    page: randomUUID(),
    kind,
    ...wish,
    text,
  }
  const { result } = await rig.command(parent, `/${kind}${encodeControl(open)}`)
  if (result.kind === 'error' || parseStartToken(result.text)?.sideId !== id)
    throw new Error(`not opened: ${result.text}`)

  const line = (verb: Verb, side: string = id, key = secret): string =>
    `/side${encodeControl({ ...verb, side, secret: key })}`
  const run = async (agent: string, input: string): Promise<unknown> => {
    const answer = await rig.command(agent, input)
    if (answer.result.kind === 'error') throw new Error(answer.result.text)
    return answer.result.text
  }
  return {
    id,
    secret,
    parent,
    line,
    control: (verb) => run(parent, line(verb)),
    async send(question, options = {}) {
      const turn = randomUUID()
      await run(parent, line({ op: 'send', turn, ...options, text: question }))
      return turn
    },
    async claimAndClose(sideId) {
      const key = newSecret()
      await run(parent, line({ op: 'claim' }, sideId, key))
      await run(parent, line({ op: 'close', keep: 0 }, sideId, key))
    },
  }
}

/** Ends a side at once and waits until the host said so. */
export async function closeSide(rig: Rig, side: TestSide): Promise<void> {
  const { result } = await rig.command(side.parent, side.line({ op: 'close', keep: 0 }))
  if (result.kind === 'error' && !result.text?.endsWith('(expired)')) throw new Error(result.text)
}

/** Waits for the end of the side's nth turn (1 = the first). */
export async function sideTurnEnd(rig: Rig, sideId: string, nth = 1, ms = 30_000): Promise<Frame> {
  let left = nth
  return rig.frames.waitFor(
    `the end of turn ${nth} of the side`,
    ({ sessionId, event }) => sessionId === sideId && event?.type === 'turn/end' && (left -= 1) === 0,
    { ms },
  )
}
