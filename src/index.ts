/** Host half: reads the configuration, connects the command door, the core and the DSH provider, and undoes it all.
 *  The only file that sees every room of src. */

import type { Context } from '@deepseek-ai/cordis'
import type { Agent } from '@deepseek-ai/dsh-agent'
import type {} from '@deepseek-ai/dsh-commands'
import type {} from '@deepseek-ai/dsh-system-prompt'
import type {} from '@deepseek-ai/dsh-tools'
import { registerCommands, type CommandHost } from './commands/register.ts'
import { createSecrets } from './commands/secrets.ts'
import { Config, limitsOf, OTHER_SESSION_TOOLS } from './config.ts'
import { boundaryText } from './core/brief.ts'
import { createController } from './core/controller.ts'
import type { Clock } from './core/limits.ts'
import { errorLine, logLine } from './core/report.ts'
import { serveLater, type WebServer } from './later.ts'
import { allowedTools } from './providers/dsh/guard.ts'
import { captureParent, workspaceOf, type DshSource } from './providers/dsh/parent.ts'
import { createDshProvider } from './providers/dsh/provider.ts'
import { isLive } from './providers/dsh/ephemeral.ts'
import { onArchived } from './providers/dsh/seams.ts'
import { followSettings } from './settings.ts'

export const name = 'sidemind-for-dsh'
export const inject = ['agents', 'commands', 'sessions', 'systemPrompt', 'tools']
export { Config }

/** A throw here would end the whole host, so a failure to start is told to its log and the plugin stays out. */
export function apply(ctx: Context, config: Config): void {
  try {
    start(ctx, config)
  } catch (error) {
    ctx.logger.error('sidemind could not start; /btw and /side are not available', error)
  }
}

function start(ctx: Context, profile: Config): void {
  let config = profile
  const allowList = (): readonly string[] => [...config.tools, ...(config.readOtherSessions ? OTHER_SESSION_TOOLS : [])]
  const provider = createDshProvider(ctx, {
    allowList,
    toolSurface: () => config.toolSurface,
    inheritFromTokens: () => config.inheritFromTokens,
  })
  const controller = createController<DshSource>({
    provider,
    clock,
    limits: limitsOf(profile),
    brief: ({ kind, source }) =>
      boundaryText({
        kind,
        liveTurn: config.liveTurn === 'digest' ? source.liveTurn : null,
        scope: source.scope,
        recentTurns: source.recentTurns ?? [],
        tools: allowedTools(kind, allowList(), source.tools),
        ephemeral: true,
      }),
    isCanonical: (_workspaceId, sessionId) => !provider.isSide(sessionId) && isLive(ctx, sessionId),
    // The host drops warnings unless it is asked for them.
    report: (report) => ctx.logger[report.kind === 'cleanup_done' ? 'info' : 'error'](`sidemind: ${logLine(report)}`),
  })

  followSettings(ctx, profile, (next) => {
    config = next
    controller.retune(limitsOf(next))
  })
  ctx.effect(() => () => controller.shutdown(), 'sidemind: sides')
  ctx.effect(
    () =>
      registerCommands(ctx.commands as unknown as CommandHost<Agent>, {
        controller,
        secrets: createSecrets(),
        limits: () => limitsOf(config),
        clock,
        capture: (agent, wish) => captureParent(ctx, agent, provider.isSide, Date.now(), wish),
        facts: (sideId) => provider.facts(sideId),
        news: (sideId) => provider.news(sideId),
        newId: () => crypto.randomUUID(),
        renamed: (kind, now) =>
          ctx.logger.warn(`sidemind: /${kind} belongs to another plugin; the command is /${now} here`),
      }),
    'sidemind: commands',
  )
  ctx.inject(['webServer'], (inner) => {
    try {
      const server = (inner.get as (name: string) => unknown)('webServer') as WebServer
      inner.effect(() => serveLater(server), 'sidemind: later files')
    } catch (error) {
      inner.logger.error(`sidemind: answers will be plain text: ${errorLine(error)}`)
    }
  })
  const sourceClosed = (agent: Agent): void => {
    controller
      .sourceClosed(workspaceOf(agent), agent.id)
      .catch((error: unknown) => ctx.logger.error(`sidemind: source closed: ${errorLine(error)}`))
  }
  ctx.on('agent/disposed', ({ agent }) => {
    if (!provider.isSide(agent.id)) sourceClosed(agent)
  })
  // The agent of an archived conversation may live on, but nobody can get to its sides any more (I6).
  onArchived(ctx, (sessionId) => {
    const agent = ctx.agents.get(sessionId as Agent['id'])
    if (agent !== undefined) sourceClosed(agent)
  })
}

/** The host's clock; timers of ours never keep the process alive. */
const clock: Clock = {
  now: () => Date.now(),
  after(ms, task) {
    const timer = setTimeout(task, ms)
    timer.unref()
    return () => clearTimeout(timer)
  },
}
