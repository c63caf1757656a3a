/** Gives the overlay the keyboard right after a question was taken, if the person is done typing: the composer has
 *  become empty, no key was pressed since, and the focus is where it was when they asked. Otherwise nothing moves.
 *  Why: docs/decisions/overlay-focus.md. */

import { useEffect, useRef } from 'react'
import type { RefObject } from 'react'
import type { SideSnapshot } from '../data/snapshot.ts'

/** The composer may clear its text a little later than the host took it. */
const WAIT_MS = 2_000
const STEP_MS = 50

export function useFocusAfterAsk(
  card: RefObject<HTMLElement>,
  side: SideSnapshot | null,
  composerText: () => string,
): void {
  const asked = useRef<{ readonly sideId: string; readonly focus: Element | null } | null>(null)
  const read = useRef(composerText)
  useEffect(() => {
    read.current = composerText
  }, [composerText])
  const sideId = side?.sideId ?? null
  const phase = side?.status.phase ?? null
  const ownBox = side?.askBox ?? false
  const fresh = phase === 'opening' || (phase === 'running' && side?.turns.at(-1)?.phase === 'submitted')
  const seen = useRef<string | null>(null)
  const waiting = useRef<(() => void) | null>(null)
  useEffect(() => () => waiting.current?.(), [])

  useEffect(() => {
    if (sideId === null || ownBox) return
    if (seen.current !== sideId) {
      seen.current = sideId
      waiting.current?.()
      asked.current = fresh ? { sideId, focus: document.activeElement } : null
    }
    const ask = asked.current
    if (ask === null || ask.sideId !== sideId || (phase !== 'running' && phase !== 'idle')) return
    asked.current = null
    waiting.current = whenDoneTyping(
      ask.focus,
      () => read.current(),
      () => card.current?.focus({ preventScroll: true }),
    )
  }, [sideId, phase, fresh, ownBox, card])
}

function whenDoneTyping(focus: Element | null, composerText: () => string, then: () => void): () => void {
  const end = Date.now() + WAIT_MS
  const stop = (): void => {
    clearInterval(timer)
    document.removeEventListener('keydown', stop, true)
    document.removeEventListener('pointerdown', stop, true)
  }
  const look = (): void => {
    const active = document.activeElement
    const moved = active !== focus && active !== document.body && active !== null
    if (moved || Date.now() > end) return stop()
    if (composerText() !== '') return
    stop()
    then()
  }
  const timer = setInterval(look, STEP_MS)
  document.addEventListener('keydown', stop, true)
  document.addEventListener('pointerdown', stop, true)
  look()
  return stop
}
