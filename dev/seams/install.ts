/** The published packages that the seams adapter is bundled from and typed against. */
import { ensurePackages, lockedFiles } from '../packages.ts'

const SEAMS = import.meta.dirname

/** The files that say which packages. */
export const LOCKED = lockedFiles(SEAMS)

/** Makes sure the packages are there; see packages.ts. */
export async function ensureSeamsPackages(report?: (text: string) => void): Promise<void> {
  await ensurePackages({ dir: SEAMS, what: 'the packages of the seams adapter', size: 'about 10 MB' }, report)
}
