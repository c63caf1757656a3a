/** Throwaway folders and who made them: the process id is in the name, so that what a killed process left behind is removed
 *  by the next one. */
import { lstatSync, rmSync } from 'node:fs'
import { mkdtemp, readdir, realpath } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** A new folder of this process: `<prefix>-<pid>-…` among the temporary files. */
export async function makeThrowaway(prefix: string): Promise<string> {
  return realpath(await mkdtemp(join(tmpdir(), `${prefix}-${process.pid}-`)))
}

/** Removes such folders of this person whose process is gone. Never throws: what cannot be removed stays. */
export async function removeOrphans(prefix: string): Promise<void> {
  const shape = new RegExp(`^${prefix}-(\\d+)-[A-Za-z0-9]{6}$`)
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const owner = Number(shape.exec(name)?.[1])
    if (!owner || isRunning(owner)) continue
    const folder = join(tmpdir(), name)
    try {
      const found = lstatSync(folder)
      if (found.isDirectory() && (process.getuid === undefined || found.uid === process.getuid()))
        rmSync(folder, { recursive: true, force: true })
    } catch {
      // Somebody else removed it.
    }
  }
}

/** Whether a process with this id exists, anybody's. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
