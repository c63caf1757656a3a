/** A rig whose host a test can break: the packed plugin, the probe, and the saboteur beside them. */
import { rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { packPlugin } from '../../dev/pack.ts'
import { startRig, type Rig } from './host.ts'
import { packFolder } from './pack-folder.ts'
import { askProbe } from './probe.ts'

/** What can be broken; saboteur/index.js says how. */
export type Sabotage =
  | ['dispose' | 'dispose-before-child' | 'dispose-inside-child', agentId: string]
  | ['refuse-dispose', count: number]
  | ['reject-dispose']

export async function startSabotagedRig(options: { home?: string } = {}): Promise<Rig> {
  const folders = ['probe', 'saboteur'].map((folder) => packFolder(join(import.meta.dirname, folder)))
  return startRig({
    ...options,
    stock: true,
    plugins: [await packPlugin(() => undefined), ...(await Promise.all(folders))],
  })
}

/** @param through a conversation that is not the one to break. */
export async function sabotage(rig: Rig, through: string, ...what: Sabotage): Promise<void> {
  const { result } = await rig.command(through, `/sabotage ${what.join(' ')}`)
  if (result.text !== 'done') throw new Error(`no sabotage: ${result.text}`)
}

/** Child agents that live, as the host's registry has them. */
export async function liveChildren(rig: Rig, through: string): Promise<string[]> {
  const { agents, sessions } = await askProbe(rig, through)
  return [...new Set([...agents, ...sessions])].filter((id) => !id.startsWith('session-'))
}

/** Lines of the host's own log that hold `word`, since the rig began. */
export async function hostLog(rig: Rig, through: string, word: string): Promise<string[]> {
  const { result } = await rig.command(through, `/sabotage log ${word}`)
  return JSON.parse(result.text ?? '[]') as string[]
}

/** Switches the plugin off or on in the person's own layer of the profile, which a running host takes up; waits until
 *  it has. */
export async function switchPlugin(rig: Rig, on: boolean): Promise<void> {
  const file = join(rig.home, 'profiles/web/cordis.patch.yml')
  for (let tries = 0; tries < 20; tries += 1) {
    // In one step, as editors do: the host may read a file that is being written, and refuse it.
    const layer = on ? '[]\n' : '- id: sidemind-for-dsh\n  disabled: true\n'
    await writeFile(`${file}.new`, `# ${tries}\n${layer}`)
    await rename(`${file}.new`, file)
    for (let looks = 0; looks < 10; looks += 1) {
      if (await isOn(rig, on)) return
      await sleep(200)
    }
  }
  throw new Error(`the host did not switch the plugin ${on ? 'on' : 'off'}`)
}

async function isOn(rig: Rig, on: boolean): Promise<boolean> {
  const { entries } = await rig.rpc<{ entries: { moduleName: string; fiberPhase: string | null }[] }>(
    'pluginInventory/list',
    { args: {} },
  )
  const phase = entries.find(({ moduleName }) => moduleName === 'sidemind-for-dsh')?.fiberPhase
  return on ? phase === 'active' : phase === null
}
