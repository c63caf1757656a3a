/** Once before the files that import packages of the host or run it: installs it. */
import { ensureHost } from '../../dev/host/install.ts'

/** Called by vitest. */
export default async function prepare(): Promise<void> {
  await ensureHost((line) => void process.stderr.write(`${line}\n`))
}
