/** A lock between processes: one folder, made by whoever holds it, with the holder's pid inside. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { isRunning } from './orphans.ts'

/**
 * Runs `work` while no other process holds the lock at `path`. A holder that died is passed over.
 * @param waiting called once when somebody else holds it.
 */
export async function withLock<T>(path: string, waiting: () => void, work: () => Promise<T>): Promise<T> {
  for (let told = false; !(await take(path)); await sleep(200)) {
    if (!told) waiting()
    told = true
  }
  try {
    return await work()
  } finally {
    await rm(path, { recursive: true, force: true })
  }
}

async function take(path: string): Promise<boolean> {
  try {
    await mkdir(path)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (await holderIsAlive(path)) return false
    await rm(path, { recursive: true, force: true })
    return false
  }
  await writeFile(join(path, 'pid'), String(process.pid))
  return true
}

async function holderIsAlive(path: string): Promise<boolean> {
  const pid = Number(await readFile(join(path, 'pid'), 'utf8').catch(() => ''))
  // The file appears right after the folder: give a holder that has not written it yet a moment.
  if (!pid) return sleep(1000).then(async () => Number(await readFile(join(path, 'pid'), 'utf8').catch(() => '')) > 0)
  return isRunning(pid)
}
