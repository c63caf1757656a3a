/** How another host asks aside: everything that it takes, from the question to the end of the side. */
import { randomUUID } from 'node:crypto'
import {
  createClient,
  EMPTY_TRANSCRIPT,
  project,
  type Output,
  type Transcript,
  type TranscriptTurn,
} from 'sidemind-for-dsh/service-client'

export interface Aside {
  /** The two that `npx sidemind-for-dsh codex --json` prints. */
  readonly url: string
  readonly token: string
  /** The thread beside which is asked, as `listThreads`, `startThread` or `attachThread` told it. */
  readonly thread: Pick<Output<'startThread'>, 'threadId' | 'workspaceId'>
  readonly question: string
  /** The whole transcript, after each piece of an answer. */
  readonly show: (transcript: Transcript) => void
  /** Ends the side early. */
  readonly signal: AbortSignal
}

/** Asks one question aside and resolves with its turn. Rejects with SideError, whose `code` is one of a closed set. */
export async function askAside({ url, token, thread, question, show, signal }: Aside): Promise<TranscriptTurn> {
  const client = createClient({ url, token })
  const source = { workspaceId: thread.workspaceId, sourceSessionId: thread.threadId }

  // Optional: what a side would know, and whether the thread can have one.
  const { capabilities } = await client.call('resolve', { body: { source } }, signal)
  if (!capabilities.supported) throw new Error('This thread cannot have a side.')

  // The ids are yours. A repeated open, send or close with the same ids does nothing twice.
  const ids = { sideSessionId: randomUUID(), requestId: randomUUID() }
  const { side } = await client.call('open', { body: { source, ...ids, kind: 'side' } }, signal)
  const turnId = randomUUID()
  let transcript = EMPTY_TRANSCRIPT
  try {
    await client.call('send', { body: { side, turnId, clientSubmitId: randomUUID(), text: question } }, signal)
    let after: number | undefined
    while (!signal.aborted) {
      // Begins with a snapshot, or behind the last event when the connection was lost.
      const stream = client.sideEvents(side, after === undefined ? { signal } : { signal, after })
      for await (const message of stream) {
        const events = message.kind === 'snapshot' ? message.events : [message.event]
        for (const event of events) transcript = project(transcript, event)
        after = message.sequence
        show(transcript)
        const turn = transcript.turns.find((one) => one.turnId === turnId)
        if (turn?.phase === 'settled') return turn
        if (transcript.lifecycle === 'expired') throw new Error(`The side has ended: ${transcript.reason}.`)
      }
    }
    throw signal.reason
  } finally {
    // Nothing of it is kept. Without this it would end a minute after its last reader.
    await client.call('close', { body: { side } })
  }
}
