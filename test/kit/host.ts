/** A rig for tests: a real host with the packed plugin, a scripted model and a throwaway home, and the verbs a test needs.
 *  Starting one takes about two seconds; several may run side by side. */
import type { ScriptedModel } from '../../dev/model/server.ts'
import { newSession } from '../../dev/host/rpc.ts'
import { startStage, type Stage } from '../../dev/stage.ts'
import { followFrames, type Frames } from './frames.ts'

/** What a command leaves: its row's id, and the result that the host stores. */
export interface CommandAnswer {
  commandId: string
  result: { kind: 'success' | 'error'; text?: string }
}

/** A running rig. Everything of a stage, and: */
export interface Rig extends Stage {
  model: ScriptedModel
  /** Live events since the rig started; a new list after `restartHost`. */
  frames: Frames
  /** A new, empty conversation in the rig's workspace. */
  newSession(): Promise<string>
  /** Sends a message to main and returns as soon as the host took it. */
  prompt(sessionId: string, text: string): Promise<void>
  /** Sends a message to main and returns when its turn has ended, within a minute if nothing else is said. */
  ask(sessionId: string, text: string, ms?: number): Promise<void>
  /** Runs a typed command line, as the page does. */
  command(sessionId: string, line: string): Promise<CommandAnswer>
  /** The stored events of a conversation, as the host tells them. */
  history(sessionId: string): Promise<{ type: string; seq: number; data?: unknown }[]>
  /** SIGKILL to the host, as a crash; `restartHost` brings it back. */
  crash(): Promise<void>
}

/** @param options `plugins` are mounted in place of the packed plugin; `stock` leaves the seams adapter out. */
export async function startRig(options: { stock?: boolean; plugins?: string[]; home?: string } = {}): Promise<Rig> {
  const stage = await startStage(options)
  const { model } = stage
  if (model === undefined) throw new Error('a rig always has the scripted model')
  const { stop, restartHost } = stage
  const rig: Rig = Object.assign(stage, {
    model,
    frames: await followFrames(stage.url),
    newSession: () => newSession(rig.rpc, rig.workspaceId),
    async prompt(sessionId: string, text: string) {
      await rig.rpc('session.prompt', { sessionId, mode: 'queue', content: [{ type: 'text', text }] })
    },
    async ask(sessionId: string, text: string, ms = 60_000) {
      const since = rig.frames.all.length
      await rig.prompt(sessionId, text)
      await rig.frames.waitFor(
        `the end of the turn "${text.slice(0, 40)}"`,
        (frame) => frame.sessionId === sessionId && frame.event?.type === 'turn/end',
        { since, ms },
      )
    },
    command: (sessionId: string, line: string) =>
      rig.rpc<CommandAnswer>('commands/execute', { args: { agentId: sessionId, line, images: [] } }),
    async history(sessionId: string) {
      const { events } = await rig.rpc<{ events: { event: { type: string; seq: number } }[] }>('session.history', {
        sessionId,
      })
      return events.map(({ event }) => event)
    },
    crash: () => rig.host.kill(),
    async restartHost() {
      rig.frames.close()
      await restartHost()
      rig.frames = await followFrames(rig.url)
    },
    async stop() {
      rig.frames.close()
      await stop()
    },
  })
  return rig
}
