/** The protocol between the provider inside a host and its proxy in a test: JSON lines on one loopback socket. One, so
 *  that events and answers arrive in the order in which the provider gave them, which is part of what is tested. */
import type { Socket } from 'node:net'

import type { ExpiryReason, OpenRequest, SideEvent } from '../../../src/core/contract.ts'
import type { DshSource } from '../../../src/providers/dsh/parent.ts'

/** Where the plugin says how to reach it, below the host's home. Readable by its owner only. */
export const CHANNEL_FILE = 'provider-channel.json'

export interface Channel {
  readonly port: number
  /** The first line of a connection; any other one ends it. */
  readonly token: string
}

/** An open as it travels: the signal's abort follows as a line of its own, unless it had aborted before. */
export type PlainOpen = Omit<OpenRequest<DshSource>, 'signal'> & { readonly aborted: boolean }

/** What goes to the host. `id` counts up; an abort names the open that it is for. */
export type Asked =
  | { readonly id: number; readonly call: string; readonly args: readonly unknown[] }
  | { readonly abort: number }

/** What comes back: the answer to `id`, or what the sink of the open `id` was told. */
export type Told =
  | { readonly id: number; readonly value: unknown }
  | { readonly id: number; readonly error: { readonly code?: string; readonly detail: string } }
  | { readonly id: number; readonly event: SideEvent }
  | { readonly id: number; readonly lost: ExpiryReason }

/** A parent as it is at one moment, so that two of them can be compared. */
export interface ParentState {
  readonly status: string
  readonly pending: number
  /** Hash over every event of its log. */
  readonly log: string
}

/** What lives in the host. */
export interface Residents {
  readonly agents: readonly string[]
  readonly sessions: readonly string[]
}

/** Lines of one tick travel together, so that an abort right behind its open finds it half-way and not done. */
export function writeLine(socket: Socket, line: unknown): void {
  if (socket.writableCorked === 0) {
    socket.cork()
    process.nextTick(() => socket.uncork())
  }
  socket.write(`${JSON.stringify(line)}\n`)
}

/** Calls `onLine` with each whole line of the socket, parsed. */
export function readLines(socket: Socket, onLine: (line: unknown) => void): void {
  let rest = ''
  socket.setEncoding('utf8')
  socket.on('data', (data: Buffer | string) => {
    const lines = `${rest}${data.toString()}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) onLine(JSON.parse(line))
  })
}
