/** Once before the end-to-end files: installs the host and packs the plugin, so that no single test pays for it. */
import { ensureHost } from '../../dev/host/install.ts'
import { packPlugin } from '../../dev/pack.ts'

const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** Called by vitest. */
export default async function prepare(): Promise<void> {
  await ensureHost(say)
  await packPlugin(say)
}
