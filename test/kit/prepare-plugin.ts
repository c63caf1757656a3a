/** Once before the end-to-end files: packs the plugin, so that no single test pays for it. */
import { packPlugin } from '../../dev/pack.ts'

/** Called by vitest. */
export default async function prepare(): Promise<void> {
  await packPlugin((line) => void process.stderr.write(`${line}\n`))
}
