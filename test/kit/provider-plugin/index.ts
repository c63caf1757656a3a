/** A plugin for tests: the repository's own DSH provider in a real host, driven from outside. Listens on loopback only,
 *  behind a token that it writes into the host's home. It judges nothing; what it cannot do it answers as an error. */
import type { Context } from '@deepseek-ai/cordis'
import type {} from '@deepseek-ai/dsh-agent'
import { createHash, randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { join } from 'node:path'

import type { ExecRequest, OpenSide } from '../../../src/core/contract.ts'
import { SideError } from '../../../src/core/errors.ts'
import { READ_ONLY_TOOLS } from '../../../src/providers/dsh/guard.ts'
import { captureParent, type DshSource } from '../../../src/providers/dsh/parent.ts'
import { createDshProvider } from '../../../src/providers/dsh/provider.ts'
import { QUESTION_TOOL } from '../../../src/providers/dsh/questions.ts'
import { eventsOf } from '../../../src/providers/dsh/seams.ts'
import {
  CHANNEL_FILE,
  readLines,
  writeLine,
  type Asked,
  type Channel,
  type ParentState,
  type PlainOpen,
  type Residents,
  type Told,
} from './protocol.ts'

export const name = 'sidemind-test-provider'
export const inject = ['agents', 'sessions', 'systemPrompt', 'tools']

/** What the host's approval service offers. */
interface ApprovalsOfHost {
  setPolicy(agent: unknown, policy: 'ask'): void
  request(request: { agent: unknown; toolName: string; reason: string }): Promise<string>
}

const EFFECT = Symbol.for('cordis.effect')

export function apply(ctx: Context): void {
  const provider = createDshProvider(ctx, {
    allowList: () => [...READ_ONLY_TOOLS, QUESTION_TOOL],
    toolSurface: () => 'auto',
    inheritFromTokens: () => 16_000,
  })
  const seen = new Set<string>()
  // Like any plugin that listens to sessions: a side must never turn up here.
  ctx.on('session/event', (session) => void seen.add(session.id))
  ctx.on('session/created', (session) => void seen.add(session.id))

  function agentOf(id: string) {
    const agent = ctx.agents.list().find((one) => one.id === id)
    if (agent === undefined) throw new Error(`no agent ${id}`)
    return agent
  }

  const opens = new Map<number, AbortController>()
  const calls: Record<string, (tell: (line: Told) => void, id: number, ...args: never[]) => unknown> = {
    capabilities: (_tell, _id, source: DshSource) => provider.capabilities(source),
    async open(tell, id, { aborted, ...request }: PlainOpen) {
      const control = new AbortController()
      opens.set(id, control)
      if (aborted) control.abort()
      return provider
        .open(
          { ...request, signal: control.signal },
          { event: (event) => tell({ id, event }), lost: (lost) => tell({ id, lost }) },
        )
        .finally(() => opens.delete(id))
    },
    exec: (_tell, _id, side: OpenSide, request: ExecRequest) => provider.exec(side, request),
    cancel: (_tell, _id, side: OpenSide, turnId: string) => provider.cancel(side, turnId),
    respond: (_tell, _id, side: OpenSide, turnId: string, requestId: string, response: unknown) =>
      provider.respond(side, turnId, requestId, response),
    promote: (_tell, _id, side: OpenSide, boundary: string) => provider.promote(side, boundary),
    close: (_tell, _id, side: OpenSide) => provider.close(side),
    capture: (_tell, _id, agentId: string) => captureParent(ctx, agentOf(agentId), provider.isSide, Date.now()),
    residents: (): Residents => ({
      agents: ctx.agents.list().map((agent) => agent.id),
      sessions: ctx.sessions.list().map((session) => session.id),
    }),
    seen: () => [...seen],
    state(_tell, _id, agentId: string): ParentState {
      const agent = agentOf(agentId)
      return {
        status: agent.status,
        pending: agent.inbox.nextTurn.length + agent.inbox.nextStep.length,
        log: createHash('sha256')
          .update(JSON.stringify(eventsOf(agent.session)))
          .digest('hex'),
      }
    },
    async approve(_tell, _id, agentId: string): Promise<string> {
      const agent = agentOf(agentId)
      const approvals = (ctx.get as (name: string) => unknown)('approval') as ApprovalsOfHost
      approvals.setPolicy(agent, 'ask')
      return approvals.request({ agent, toolName: 'bash', reason: 'a test' })
    },
    lose: (_tell, _id, agentId: string) => undoLifecycle(ctx, agentId),
  }

  async function answer(tell: (line: Told) => void, asked: Asked): Promise<void> {
    if ('abort' in asked) return opens.get(asked.abort)?.abort()
    const { id, call, args } = asked
    try {
      const verb = calls[call]
      if (verb === undefined) throw new Error(`no call ${call}`)
      tell({ id, value: (await verb(tell, id, ...(args as never[]))) ?? null })
    } catch (error) {
      tell({ id, error: plainError(error) })
    }
  }

  const token = randomBytes(32).toString('hex')
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
    let known = false
    readLines(socket, (line) => {
      if (!known) {
        known = line === token
        if (!known) socket.destroy()
      } else void answer((told) => writeLine(socket, told), line as Asked)
    })
  })
  server.listen(0, '127.0.0.1', () => {
    const channel: Channel = { port: (server.address() as AddressInfo).port, token }
    writeFileSync(join(process.env['DSH_HOME'] ?? '', CHANNEL_FILE), JSON.stringify(channel), { mode: 0o600 })
  })
  ctx.effect(
    () => () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
    'test provider: channel',
  )
}

/** Undoes what keeps exactly this agent alive, as the host does when the agent's owner or the loop itself is unloaded;
 *  the provider is not asked. */
async function undoLifecycle(ctx: Context, agentId: string): Promise<void> {
  const effects = Reflect.get(ctx.fiber, '_disposables') as Iterable<
    (() => unknown) & Record<symbol, { label?: string }>
  >
  const wanted = [...effects].find((undo) => undo[EFFECT]?.label === `agentLoop.lifecycle(${agentId})`)
  if (wanted === undefined) throw new Error(`nothing here keeps ${agentId} alive`)
  await wanted()
}

function plainError(error: unknown): { code?: string; detail: string } {
  if (error instanceof SideError) return { code: error.code, detail: error.detail }
  return { detail: error instanceof Error ? error.message : String(error) }
}
