/** A provider whose every call waits twice, before it has an effect and before its answer arrives, until the sequence
 *  lets it pass. It also watches what the controller asks of it: nothing may reach the source or a stranger. */

import type { OpenSide, SideProvider, SideSink } from '../../../src/core/contract.ts'
import type { FakeProvider } from '../../providers/fake.ts'

export interface Turnstile {
  wait(): Promise<void>
  waiting(): number
  /** Lets the pick-th waiting call go on; nothing when none waits. */
  pass(pick: number): void
}

export function createTurnstile(): Turnstile {
  const waiting: (() => void)[] = []
  return {
    wait: () => new Promise((resolve) => waiting.push(resolve)),
    waiting: () => waiting.length,
    pass(pick) {
      if (waiting.length > 0) waiting.splice(pick % waiting.length, 1)[0]?.()
    },
  }
}

/** A child as the provider knows it. */
export interface Child {
  readonly providerSessionId: string
  readonly side: string
  /** Turns that it was asked to run, in order. */
  readonly turns: string[]
}

export interface Watched {
  readonly provider: SideProvider
  /** Sinks that were ever handed in, with the turns of their child. */
  readonly sinks: readonly { readonly sink: SideSink; readonly turns: readonly string[] }[]
  readonly children: ReadonlyMap<string, Child>
  /** Calls of `open` so far. */
  opens(): number
}

export function watch(fake: FakeProvider, gate: Turnstile, wrong: (what: string) => void): Watched {
  const children = new Map<string, Child>()
  const sinks: { sink: SideSink; turns: string[] }[] = []
  const answered = new Set<string>()
  let opens = 0

  function childOf(verb: string, { providerSessionId, identity }: OpenSide): Child {
    const child = children.get(providerSessionId)
    if (child?.side !== identity.sideSessionId) wrong(`${verb} for ${providerSessionId}, which is not its child`)
    return child ?? { providerSessionId, side: '', turns: [] }
  }

  const provider: SideProvider = {
    id: fake.id,
    capabilities: (source) => fake.capabilities(source),
    async open(request, sink) {
      opens += 1
      for (const { providerSessionId, side } of children.values())
        if (side === request.side.sideSessionId && fake.children().includes(providerSessionId))
          wrong(`T8 ${side} is opened while ${providerSessionId} lives`)
      const turns: string[] = []
      sinks.push({ sink, turns })
      await gate.wait()
      const result = await fake.open(request, sink)
      const { providerSessionId } = result
      children.set(providerSessionId, { providerSessionId, side: request.side.sideSessionId, turns })
      await gate.wait()
      return result
    },
    async exec(side, request) {
      const { turns } = childOf('exec', side)
      if (turns.includes(request.turnId)) wrong(`T3 ${request.turnId} runs twice`)
      turns.push(request.turnId)
      await gate.wait()
      await fake.exec(side, request)
      await gate.wait()
    },
    async cancel(side, turnId) {
      if (!childOf('cancel', side).turns.includes(turnId)) wrong(`T4 cancels ${turnId}, which was never sent`)
      await gate.wait()
      await fake.cancel(side, turnId)
      await gate.wait()
    },
    async respond(side, turnId, requestId, response) {
      childOf('respond', side)
      await gate.wait()
      await fake.respond(side, turnId, requestId, response)
      const key = `${side.providerSessionId} ${turnId} ${requestId}`
      if (answered.has(key)) wrong(`T5 ${key} is answered twice`)
      answered.add(key)
      await gate.wait()
    },
    async promote(side, boundary) {
      childOf('promote', side)
      if (side.kind !== 'btw') wrong(`${side.providerSessionId} is promoted twice`)
      await gate.wait()
      await fake.promote(side, boundary)
      await gate.wait()
    },
    async close(side) {
      childOf('close', side)
      await gate.wait()
      await fake.close(side)
      await gate.wait()
    },
  }
  return { provider, sinks, children, opens: () => opens }
}
