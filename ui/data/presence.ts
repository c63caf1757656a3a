/** Tells the host which sides a person can see (T10). Owns the touch timer; nothing else keeps a side alive. A side
 *  that is shown is touched every 20 s; one that is hidden, or whose page is, is parked by one touch. */

import { toSideError } from '../../src/wire/index.ts'
import type { Desk } from './desk.ts'
import type { SideModel } from './model.ts'

const TOUCH_MS = 20_000
/** A surface that leaves and comes back within this (a remount) was never hidden. */
const REMOUNT_MS = 300

export interface Presence {
  setVisible(sideId: string, visible: boolean): void
  /** A side that this page had parked before a reload. */
  parkedBefore(sideId: string): void
  /** Brings visibility, `endsAt` and the timer in line after any change of a side. */
  settle(sideId: string): void
  /** The side is gone for good. */
  forget(sideId: string): void
  dispose(): void
}

export function createPresence(desk: Desk): Presence {
  /** What the surfaces said, page visibility aside. */
  const shown = new Set<string>()
  const leaving = new Map<string, () => void>()
  /** What the host heard last, and of which of its ids; one that it has just opened counts as seen. */
  const told = new Map<string, { readonly wireId: string; readonly visible: boolean }>()
  let cancelTimer: (() => void) | null = null

  const stopPage = desk.page.onChange(() => {
    desk.store.batch(() => {
      for (const { sideId } of desk.store.models()) presence.settle(sideId)
    })
    // Also one that no surface has shown so far: the host must not wait for it.
    for (const model of desk.store.models()) if (isLive(model)) tell(model)
  })

  /** An answer that landed while a surface was leaving was not seen. */
  function hide(sideId: string, before: number): void {
    if (answersOf(sideId) > before) desk.store.dispatch(sideId, { type: 'missed' })
    leaving.delete(sideId)
    shown.delete(sideId)
    presence.settle(sideId)
    const model = desk.store.model(sideId)
    if (model !== undefined && isLive(model)) tell(model)
  }

  function toldOf({ sideId, wireId }: SideModel): boolean | undefined {
    const last = told.get(sideId)
    return last?.wireId === wireId ? last.visible : undefined
  }

  function answersOf(sideId: string): number {
    return desk.store.side(sideId)?.turns.filter(({ phase }) => phase === 'settled').length ?? 0
  }

  function tell(model: SideModel): void {
    if ((toldOf(model) ?? true) !== model.visible) touch(model)
  }

  function touch(model: SideModel): void {
    told.set(model.sideId, { wireId: model.wireId, visible: model.visible })
    desk.transport.touch(model.wireId, model.visible).catch((error: unknown) => {
      const { code } = toSideError(error)
      if (desk.disposed() || desk.store.model(model.sideId)?.wireId !== model.wireId) return
      if (code === 'expired' || code === 'not_found')
        desk.store.dispatch(model.sideId, { type: 'expired', reason: 'client_lost' })
    })
  }

  /** The timer runs only while something is shown. */
  function arm(): void {
    if (!desk.store.models().some((model) => isLive(model) && model.visible)) {
      cancelTimer?.()
      cancelTimer = null
      return
    }
    cancelTimer ??= desk.clock.after(TOUCH_MS, () => {
      cancelTimer = null
      for (const model of desk.store.models()) if (isLive(model) && model.visible) touch(model)
      arm()
    })
  }

  const presence: Presence = {
    setVisible(sideId, visible) {
      leaving.get(sideId)?.()
      leaving.delete(sideId)
      if (visible) {
        shown.add(sideId)
        presence.settle(sideId)
      } else if (shown.has(sideId)) {
        const before = answersOf(sideId)
        leaving.set(
          sideId,
          desk.clock.after(REMOUNT_MS, () => hide(sideId, before)),
        )
      }
    },
    parkedBefore: (sideId) => void told.set(sideId, { wireId: sideId, visible: false }),
    settle(sideId) {
      if (desk.disposed()) return
      const visible = shown.has(sideId) && desk.page.visible()
      desk.store.dispatch(sideId, { type: 'visible', visible })
      const model = desk.store.model(sideId)
      if (model === undefined) return
      const parked = isLive(model) && !model.visible && desk.store.side(sideId)?.status.phase === 'idle'
      desk.store.dispatch(sideId, {
        type: 'parked',
        endsAt: parked ? (model.endsAt ?? desk.clock.now() + desk.limits.parkedMs) : null,
      })
      const last = toldOf(model)
      if (isLive(model) && last !== undefined) tell(model)
      else if (isLive(model) && model.visible) told.set(sideId, { wireId: model.wireId, visible: true })
      arm()
    },
    forget(sideId) {
      told.delete(sideId)
      shown.delete(sideId)
    },
    dispose() {
      stopPage()
      for (const cancel of leaving.values()) cancel()
      cancelTimer?.()
      cancelTimer = null
    },
  }
  return presence
}

function isLive(model: SideModel): boolean {
  return model.stage.at === 'open' && model.closingUntil === null
}
