/** Once before the end-to-end files: packs the plugin, so that no single test pays for it.
 *  When it does not build, the files that need it say so one by one, and the others still run. */
import { packPlugin } from '../../dev/pack.ts'
import { wordsFor } from '../../dev/sentence.ts'

const say = (line: string): void => void process.stderr.write(`${line}\n`)

/** Called by vitest. */
export default async function prepare(): Promise<void> {
  await packPlugin(say).catch((error: unknown) => say(wordsFor(error)))
}
