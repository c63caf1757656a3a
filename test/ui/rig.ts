/** A runtime on a scripted transport, with time, frames and page visibility in the test's hands. */

import { createRuntime } from '../../ui/data/runtime.ts'
import type { SideRuntime } from '../../ui/data/runtime.ts'
import type { SideSnapshot } from '../../ui/data/snapshot.ts'
import type { Limits, ParentRef } from '../../src/wire/index.ts'
import { FakeTransport } from '../kit/fake-transport.ts'

export const MAIN: ParentRef = { workspaceId: 'ws', sessionId: 'main' }
export const OTHER: ParentRef = { workspaceId: 'ws', sessionId: 'other' }

export interface Rig {
  readonly runtime: SideRuntime
  readonly transport: FakeTransport
  /** Lets promises settle, then paints one frame. */
  paint(): Promise<void>
  /** Moves the clock and runs what is due, frames included. */
  pass(ms: number): Promise<void>
  showPage(visible: boolean): void
  /** The only side of the main conversation, whatever its kind. */
  only(): SideSnapshot
  timers(): number
}

export function createRig(limits: Partial<Limits> = {}): Rig {
  const transport = new FakeTransport()
  const timers: { at: number; task: () => void }[] = []
  const frames: (() => void)[] = []
  const pageListeners = new Set<() => void>()
  let now = 1_000_000
  let pageVisible = true
  let ids = 0

  const runtime = createRuntime({
    transport,
    limits,
    newId: () => `id${(ids += 1)}`,
    clock: {
      now: () => now,
      after(ms, task) {
        const timer = { at: now + ms, task }
        timers.push(timer)
        return () => void (timers.includes(timer) && timers.splice(timers.indexOf(timer), 1))
      },
    },
    frame(task) {
      frames.push(task)
      return () => void (frames.includes(task) && frames.splice(frames.indexOf(task), 1))
    },
    page: {
      visible: () => pageVisible,
      onChange(listener) {
        pageListeners.add(listener)
        return () => void pageListeners.delete(listener)
      },
    },
  })

  const rig: Rig = {
    runtime,
    transport,
    async paint() {
      for (let round = 0; round < 3; round += 1) {
        await new Promise<void>((resolve) => setImmediate(resolve))
        for (const task of frames.splice(0)) task()
      }
      await new Promise<void>((resolve) => setImmediate(resolve))
    },
    async pass(ms) {
      const end = now + ms
      for (;;) {
        const due = timers.filter((timer) => timer.at <= end).toSorted((a, b) => a.at - b.at)[0]
        if (due === undefined) break
        timers.splice(timers.indexOf(due), 1)
        now = Math.max(now, due.at)
        due.task()
        await rig.paint()
      }
      now = end
      await rig.paint()
    },
    showPage(visible) {
      pageVisible = visible
      for (const listener of pageListeners) listener()
    },
    only() {
      const { btw, side, closing } = runtime.sidesOf(MAIN.sessionId)
      const all = [...btw, ...side, ...closing]
      const [one] = all
      if (one === undefined || all.length > 1) throw new Error(`${all.length} sides instead of one`)
      return one
    },
    timers: () => timers.length,
  }
  return rig
}
