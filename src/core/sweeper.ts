/** Owns every child that must go and may still be there (T8): the first close, the retries, and children that a
 *  provider delivers after their open was given up (P4). */

import { LATE, type Background } from './background.ts'
import type { OpenSide, SideIdentity, SideProvider } from './contract.ts'
import { SideError, toSideError } from './errors.ts'
import type { Limits } from './limits.ts'
import { sideKey } from './keys.ts'

export interface Sweeper {
  /** Closes the child; false = it may still be there and is tried again until it is gone. A second call joins. */
  release(child: OpenSide): Promise<boolean>
  /** Takes over an open that nobody waits for any more; `late` is the child that it made, or null. */
  expect(identity: SideIdentity, late: Promise<OpenSide | null>): void
  /** Whether a child of this side id may still be there; the id is refused meanwhile. */
  owns(key: string): boolean
  /** Tries the child that waited longest, once. */
  pass(): Promise<void>
  /** Tries every child once and stops the timer. */
  finish(): Promise<void>
  /** Sides whose child may still be there. */
  left(): readonly SideIdentity[]
}

interface Entry {
  readonly child: OpenSide
  attempts: number
  trying: Promise<boolean> | null
}

export function createSweeper(provider: Pick<SideProvider, 'close'>, limits: Limits, background: Background): Sweeper {
  /** In the order in which they are tried. */
  const entries = new Map<string, Entry>()
  const expected = new Map<string, { readonly identity: SideIdentity; readonly settled: Promise<void> }>()
  let disarm: (() => void) | null = null
  let stopped = false

  /** One close may take a third of the shutdown's budget: two of them and a turn's stop fit into it. */
  const closeMs = Math.ceil(limits.shutdownMs / 3)

  function attempt(entry: Entry): Promise<boolean> {
    if (entry.trying !== null) return entry.trying
    const closing = (async () => provider.close(entry.child))()
    // Also when it resolves long after this attempt was given up.
    closing.then(
      () => gone(entry),
      () => undefined,
    )
    entry.trying = background.within(closeMs, closing).then(
      (result) => (result === LATE ? failed(entry, new SideError('provider_error', 'close timed out')) : true),
      (error: unknown) => failed(entry, toSideError(error)),
    )
    return entry.trying
  }

  function gone(entry: Entry): void {
    if (!entries.delete(entryKey(entry.child)) || entry.attempts === 0) return
    background.report({ kind: 'cleanup_done', ...namesOf(entry) })
  }

  function failed(entry: Entry, error: SideError): boolean {
    const key = entryKey(entry.child)
    entry.trying = null
    if (!entries.delete(key)) return true
    entries.set(key, entry)
    entry.attempts += 1
    background.report({ kind: 'cleanup_failed', ...namesOf(entry), error })
    arm()
    return false
  }

  function arm(): void {
    if (stopped || disarm !== null || entries.size === 0) return
    disarm = background.after(limits.sweepMs, 'sweep', async () => {
      disarm = null
      try {
        await pass()
      } finally {
        arm()
      }
    })
  }

  async function pass(): Promise<void> {
    for (const entry of entries.values()) if (entry.trying === null) return void (await attempt(entry))
  }

  function release(child: OpenSide): Promise<boolean> {
    const key = entryKey(child)
    const entry = entries.get(key) ?? { child, attempts: 0, trying: null }
    entries.set(key, entry)
    return attempt(entry)
  }

  return {
    release,
    expect(identity, late) {
      const key = sideKey(identity)
      const arrived = async (): Promise<void> => {
        const child = await late
        if (child !== null) await release(child)
      }
      const settled = arrived()
        .catch((error: unknown) => background.report({ kind: 'detached_failed', step: 'late open', error }))
        .finally(() => expected.delete(key))
      expected.set(key, { identity, settled })
    },
    owns: (key) => expected.has(key) || [...entries.values()].some((entry) => sideKey(entry.child.identity) === key),
    pass,
    async finish() {
      stopped = true
      disarm?.()
      await Promise.all([...[...expected.values()].map((one) => one.settled), ...[...entries.values()].map(attempt)])
    },
    left: () => [
      ...[...entries.values()].map((entry) => entry.child.identity),
      ...[...expected.values()].map((one) => one.identity),
    ],
  }
}

function namesOf({ child, attempts }: Entry): { identity: SideIdentity; providerSessionId: string; attempts: number } {
  return { identity: child.identity, providerSessionId: child.providerSessionId, attempts }
}

function entryKey(child: OpenSide): string {
  return `${sideKey(child.identity)}\u0000${child.providerSessionId}`
}
