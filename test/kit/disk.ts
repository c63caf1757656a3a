/** Looks for words under a folder as a person with a hex editor would: in file names, plain files, and in every
 *  zstd and gzip stream, decompressed. */
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gunzipSync, zstdDecompressSync } from 'node:zlib'

const ZSTD_MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])

/** Every file under `folder` whose name or (decompressed) content holds `text`; `node_modules` and links are skipped. */
export async function filesHolding(folder: string, text: string): Promise<string[]> {
  const holding: string[] = []
  for (const file of await filesUnder(folder)) {
    if (file.includes(text)) holding.push(file)
    else if ((await contents(file)).some((content) => content.includes(text))) holding.push(file)
  }
  return holding
}

/** Regular files under `folder`, sorted, without `node_modules`. */
export async function filesUnder(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  const nested = await Promise.all(
    entries
      .filter((entry) => entry.name !== 'node_modules')
      .map(async (entry) => {
        const path = join(folder, entry.name)
        if (entry.isDirectory()) return filesUnder(path)
        return entry.isFile() ? [path] : []
      }),
  )
  return nested.flat().toSorted()
}

/** A stored session log as text. */
export async function storedLog(home: string, sessionId: string): Promise<string> {
  const file = (await filesUnder(join(home, 'sessions'))).find((path) => path.includes(sessionId))
  if (file === undefined) throw new Error(`no stored log of ${sessionId}`)
  return (await contents(file)).map(String).join('\n')
}

async function contents(file: string): Promise<Buffer[]> {
  const raw = await readFile(file).catch(() => Buffer.alloc(0))
  return [raw, ...zstdFrames(raw), ...gzip(raw)]
}

/** Every zstd frame in a file on its own, because a log is appended frame by frame and the last may be cut off. */
function zstdFrames(raw: Buffer): Buffer[] {
  const frames: Buffer[] = []
  for (let at = raw.indexOf(ZSTD_MAGIC); at >= 0;) {
    const next = raw.indexOf(ZSTD_MAGIC, at + 4)
    const frame = raw.subarray(at, next < 0 ? undefined : next)
    try {
      frames.push(zstdDecompressSync(frame))
    } catch {
      // A cut-off frame, or the magic inside of one: try from here to the end.
      try {
        frames.push(zstdDecompressSync(raw.subarray(at)))
      } catch {}
    }
    at = next
  }
  return frames
}

function gzip(raw: Buffer): Buffer[] {
  if (raw[0] !== 0x1f || raw[1] !== 0x8b) return []
  try {
    return [gunzipSync(raw)]
  } catch {
    return []
  }
}
