/** Packs the probe plugin and asks it: what the host's own registries hold, and what a third-party plugin has seen. */
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { packPlugin } from '../../dev/pack.ts'
import { runTool } from '../../dev/run-tool.ts'
import { startRig, type Rig } from './host.ts'

/** What the probe saw; ids and counts only. */
export interface ProbeAnswer {
  agents: string[]
  sessions: string[]
  listeners: number
  /** Whether any recorded event holds the text asked for. */
  sawText: boolean
  sawSessions: string[]
}

/** A rig with the packed plugin and the probe beside it. */
export async function startProbedRig(options: { stock?: boolean; home?: string } = {}): Promise<Rig> {
  const into = await mkdtemp(join(tmpdir(), `sidemind-${process.pid}-`))
  const source = join(import.meta.dirname, 'probe')
  const { code, output } = await runTool('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', into], {
    cwd: source,
  })
  const [tarball] = await readdir(into)
  if (code !== 0 || tarball === undefined) throw new Error(`the probe cannot be packed: ${output}`)
  return startRig({ ...options, plugins: [await packPlugin(() => undefined), join(into, tarball)] })
}

/** Asks the probe through a conversation; its two command records are the only trace. */
export async function askProbe(rig: Rig, sessionId: string, text = ''): Promise<ProbeAnswer> {
  const { result } = await rig.command(sessionId, `/probe ${text}`)
  return JSON.parse(result.text ?? '') as ProbeAnswer
}
