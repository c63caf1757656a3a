/** What a page loads because of us: the client half as it is packed, compressed as a server would. */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { rollup } from 'rollup'
import { loadConfigFile } from 'rollup/loadConfigFile'

import { packPlugin } from '../dev/pack.ts'
import { ROOT } from '../dev/run-tool.ts'
import type { Figure } from './figure.ts'

export async function clientBundle(): Promise<Figure[]> {
  const tarball = await packPlugin(() => undefined)
  const packed = execFileSync('tar', ['xzOf', tarball, 'package/dist/client.js'], { maxBuffer: 64 * 1024 * 1024 })
  return [
    {
      what: 'client bundle, gzip',
      at: 'first load of the page',
      unit: 'bytes',
      ours: gzipSync(packed, { level: 9 }).length,
      baseline: { name: 'empty plugin', value: gzipSync(await emptyPlugin(), { level: 9 }).length },
      samples: 1,
      beside: { uncompressed: packed.length },
    },
  ]
}

/** A client half that does nothing, built as ours is. */
async function emptyPlugin(): Promise<string> {
  const { options } = await loadConfigFile(join(ROOT, 'rollup.config.js'), {})
  const client = options.find(({ input }) => input === 'ui/index.ts')
  const [output] = [client?.output].flat()
  const bundle = await rollup({ ...client, input: join(import.meta.dirname, 'plugin/empty-client.ts') })
  const { output: chunks } = await bundle.generate({ ...output })
  await bundle.close()
  return chunks[0].code
}
