/** Packs the probe plugin and asks it: what the host's own registries hold, and what a third-party plugin has seen. */
import { join } from 'node:path'

import { packPlugin } from '../../dev/pack.ts'
import { startRig, type Rig } from './host.ts'
import { packFolder } from './pack-folder.ts'

/** What the probe saw; ids and counts only. */
export interface ProbeAnswer {
  agents: string[]
  sessions: string[]
  listeners: number
  /** Whether any recorded event holds the text asked for. */
  sawText: boolean
  sawSessions: string[]
  /** Sessions whose size the host's token meter was asked for. */
  measured: string[]
}

/** A rig with the packed plugin and the probe beside it. */
export async function startProbedRig(options: { stock?: boolean; home?: string } = {}): Promise<Rig> {
  return startRig({
    ...options,
    plugins: [await packPlugin(() => undefined), await packFolder(join(import.meta.dirname, 'probe'))],
  })
}

/** Asks the probe through a conversation; its two command records are the only trace. */
export async function askProbe(rig: Rig, sessionId: string, text = ''): Promise<ProbeAnswer> {
  const { result } = await rig.command(sessionId, `/probe ${text}`)
  return JSON.parse(result.text ?? '') as ProbeAnswer
}
