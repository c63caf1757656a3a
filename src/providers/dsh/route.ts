/** Which model and effort a child asks. One seat per child, changed between turns by its person (D9); main's own
 *  selection and the host's default are never touched. */

import type { Context } from '@deepseek-ai/cordis'
import type { ModelRoute } from '../../core/contract.ts'

export interface RouteSeat {
  /** Null asks what the host would ask by itself. */
  current: ModelRoute | null
}

type Assemble = (
  assembly: unknown,
  context: unknown,
  next: () => Promise<{ readonly variables: Readonly<Record<string, unknown>> }>,
) => Promise<unknown>

/** Makes every request of the child ask exactly the seat's route: an effort that the inherited header knew must not
 *  survive a later change of main's, and none must stay none. A change lands whole at the next step: what the prompt
 *  says of the model and what the request asks are the same. */
export function takeSeat(agentCtx: Context, seat: RouteSeat): void {
  let assembled = seat.current
  const hear = agentCtx.on as unknown as (event: 'system-prompt/assemble', listener: Assemble) => void
  hear.call(agentCtx, 'system-prompt/assemble', async (_assembly, _context, next) => {
    const route = seat.current
    const assembly = await next()
    assembled = route
    if (route === null) return assembly
    return { ...assembly, variables: { ...assembly.variables, provider: route.provider, model: route.model } }
  })
  agentCtx.on('agent/request', async (_payload, next) => {
    const config = await next()
    if (assembled === null) return config
    const { reasoningEffort: _inherited, ...rest } = config
    const asked = {
      ...rest,
      provider: assembled.provider,
      model: assembled.model,
      ...(assembled.effort === undefined ? {} : { reasoningEffort: assembled.effort }),
    }
    return asked as Awaited<ReturnType<typeof next>>
  })
}
