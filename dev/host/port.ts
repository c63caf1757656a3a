/** Ports of the loopback address. */
import { createServer } from 'node:net'

import { Sentence } from '../sentence.ts'

/** @throws {Sentence} when something listens on this port, or this user may not. */
export async function requireFreePort(port: number): Promise<void> {
  const complaint = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    const probe = createServer()
    probe.once('error', resolve)
    probe.listen({ port, host: '127.0.0.1', exclusive: true }, () => probe.close(() => resolve(undefined)))
  })
  if (complaint === undefined) return
  const why = complaint.code === 'EACCES' ? 'needs more rights than you have' : 'is taken by another program'
  throw new Sentence(`Port ${port} ${why}: choose another with --port, or leave --port out to get a free one.`)
}
