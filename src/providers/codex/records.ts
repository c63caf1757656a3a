/** What this service remembers of the threads that it started or attached, so that they can have sides when they run
 *  nowhere: metadata only, no content of a conversation. One file, readable by its owner alone. */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { fields, text } from './protocol.ts'
import type { CodexMetadata } from './source.ts'

export interface Records {
  get(threadId: string): Promise<CodexMetadata | null>
  put(metadata: CodexMetadata): Promise<void>
}

/** Threads remembered; the oldest are forgotten. */
const KEPT = 500

/** Records in `folder`, which is made when something is first written. */
export function createRecords(folder: string): Records {
  const file = `${folder}/sources.json`
  let writing: Promise<unknown> = Promise.resolve()

  async function all(): Promise<CodexMetadata[]> {
    try {
      const stored: unknown = JSON.parse(await readFile(file, 'utf8'))
      return Array.isArray(stored) ? stored.flatMap((one) => decode(one) ?? []) : []
    } catch {
      return []
    }
  }

  async function write(metadata: CodexMetadata): Promise<void> {
    const others = (await all()).filter(({ threadId }) => threadId !== metadata.threadId)
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const draft = `${file}.${process.pid}.draft`
    await writeFile(draft, `${JSON.stringify([...others, metadata].slice(-KEPT), null, 1)}\n`, { mode: 0o600 })
    await rename(draft, file)
  }

  return {
    get: async (threadId) => (await all()).find((one) => one.threadId === threadId) ?? null,
    put(metadata) {
      const done = writing.then(() => write(metadata))
      writing = done.catch(() => undefined)
      return done
    },
  }
}

/** Null for anything that is not whole: half of the metadata would fork something else. */
function decode(value: unknown): CodexMetadata | null {
  const one = fields(value)
  if (one === null) return null
  const metadata = {
    threadId: text(one['threadId']),
    codexHome: text(one['codexHome']),
    model: text(one['model']),
    modelProvider: text(one['modelProvider']),
    cwd: text(one['cwd']),
    codexVersion: text(one['codexVersion']),
  }
  if (Object.values(metadata).some((part) => part === '') || typeof one['hostContext'] !== 'string') return null
  const effort = text(one['effort'])
  return { ...metadata, hostContext: one['hostContext'], ...(effort === '' ? {} : { effort }) }
}
