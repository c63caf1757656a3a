/** The provider that lives inside a host, as an object here: every call, signal and event goes over one socket, in order. */
import { readFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { join } from 'node:path'

import type { SideProvider, SideSink } from '../../src/core/contract.ts'
import { isSideErrorCode, SideError } from '../../src/core/errors.ts'
import type { DshSource } from '../../src/providers/dsh/parent.ts'
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
} from './provider-plugin/protocol.ts'

export interface RemoteProvider {
  readonly provider: SideProvider<DshSource>
  /** What captureParent says about an agent, be it a side. */
  capture(agentId: string): Promise<DshSource>
  residents(): Promise<Residents>
  /** Sessions of which an ordinary plugin of the host heard. */
  seen(): Promise<readonly string[]>
  state(agentId: string): Promise<ParentState>
  /** What comes of an approval that this agent asks for, after its policy was set to ask. */
  approve(agentId: string): Promise<string>
  /** Disposes an agent without asking the provider that made it. */
  lose(agentId: string): Promise<void>
  close(): void
}

/** Connects to the test provider of the host whose home this is. */
export async function connectProvider(home: string): Promise<RemoteProvider> {
  const channel = JSON.parse(await readFile(join(home, CHANNEL_FILE), 'utf8')) as Channel
  const socket = connect(channel.port, '127.0.0.1')
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()
  const sinks = new Map<number, SideSink>()
  let ids = 0

  readLines(socket, (line) => {
    const told = line as Told
    if ('event' in told) return sinks.get(told.id)?.event(told.event)
    if ('lost' in told) return sinks.get(told.id)?.lost(told.lost)
    const call = waiting.get(told.id)
    waiting.delete(told.id)
    if ('error' in told) call?.reject(errorOf(told.error))
    else call?.resolve(told.value)
  })
  socket.on('close', () => {
    for (const { reject } of waiting.values()) reject(new Error('the host closed the channel'))
    waiting.clear()
  })
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', () => resolve())
    socket.once('error', reject)
  })
  socket.on('error', () => undefined)
  writeLine(socket, channel.token)

  function start<T>(call: string, args: readonly unknown[]): { id: number; result: Promise<T> } {
    const id = (ids += 1)
    const result = new Promise<T>((resolve, reject) =>
      waiting.set(id, { resolve: (value) => resolve(value as T), reject }),
    )
    writeLine(socket, { id, call, args } satisfies Asked)
    return { id, result }
  }
  const ask = <T>(call: string, ...args: readonly unknown[]): Promise<T> => start<T>(call, args).result

  return {
    provider: {
      id: 'dsh',
      capabilities: (source) => ask('capabilities', source),
      async open({ signal, ...request }, sink) {
        const plain: PlainOpen = { ...request, aborted: signal.aborted }
        const { id, result } = start<Awaited<ReturnType<SideProvider['open']>>>('open', [plain])
        sinks.set(id, sink)
        const abort = (): void => writeLine(socket, { abort: id } satisfies Asked)
        signal.addEventListener('abort', abort)
        return result.finally(() => signal.removeEventListener('abort', abort))
      },
      exec: (side, request) => ask('exec', side, request),
      cancel: (side, turnId) => ask('cancel', side, turnId),
      respond: (side, turnId, requestId, response) => ask('respond', side, turnId, requestId, response),
      promote: (side, boundary) => ask('promote', side, boundary),
      close: (side) => ask('close', side),
    },
    capture: (agentId) => ask('capture', agentId),
    residents: () => ask('residents'),
    seen: () => ask('seen'),
    state: (agentId) => ask('state', agentId),
    approve: (agentId) => ask('approve', agentId),
    lose: (agentId) => ask('lose', agentId),
    close: () => void socket.destroy(),
  }
}

function errorOf({ code, detail }: { readonly code?: string; readonly detail: string }): Error {
  return isSideErrorCode(code) ? new SideError(code, detail) : new Error(detail)
}
