/** Keeps a model that goes on calling tools which do not run here from doing so for ever (I3). Each refusal tells it to answer in
 *  words. After a few steps of nothing but refusals its tools are taken out of the next request, so that it can only answer; a
 *  turn in which even that does not help is ended. Tools come back with the next turn. */

import type { Context } from '@deepseek-ai/cordis'
import type { Agent } from '@deepseek-ai/dsh-agent'

/** Steps of nothing but refusals that are answered with words alone: what is asked stays the same, and a cache covers it. */
export const TOLD_STEPS = 3
/** With this many, the turn is over. */
export const MOST_STEPS = TOLD_STEPS + 1

type Guard = (call: { readonly name: string; readonly parent?: unknown }) => string | undefined

/** Counts the steps of one turn in which nothing but refused calls came. Pure. */
export function refusalCount(): {
  /** Hears how one call was answered; how many such steps there were with the running one. */
  call(refused: boolean): number
  /** The next step begins; how many there were in a row. */
  next(): number
  /** The turn is over. */
  reset(): void
} {
  let steps = 0
  let refused = 0
  let passed = 0
  const now = (): number => (passed > 0 ? 0 : refused > 0 ? steps + 1 : steps)
  const reset = (): void => void (steps = refused = passed = 0)
  return {
    call(isRefused) {
      if (isRefused) refused += 1
      else passed += 1
      return now()
    },
    next() {
      steps = refused === 0 ? 0 : now()
      refused = passed = 0
      return steps
    },
    reset,
  }
}

/** Installs `guard` in the child, and the bound on what it refuses. */
export function boundRefusals(agentCtx: Context, agent: Agent, guard: Guard): void {
  const count = refusalCount()
  let giveBack: (() => unknown) | null = null
  const lift = (): void => {
    giveBack?.()
    giveBack = null
  }
  agentCtx.tools.guard((call: Parameters<Guard>[0]) => {
    const reason = guard(call)
    const steps = count.call(reason !== undefined)
    // The next request is put together before anybody is asked about its step: it has to be now.
    if (steps >= TOLD_STEPS) giveBack ??= agentCtx.tools.restrict({ allow: [] })
    else lift()
    return reason
  })
  agentCtx.on('agent/pre-step', async (_payload, next) => {
    const steps = count.next()
    const decision = await next()
    return steps >= MOST_STEPS && decision.kind === 'enter' ? { kind: 'reject' } : decision
  })
  agentCtx.on('session/event', (session, event) => {
    if (session !== agent.session || event.type !== 'turn/end') return
    count.reset()
    lift()
  })
}
