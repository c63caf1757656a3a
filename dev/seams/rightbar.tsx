/** The right column of the old frame: later frames have one, this one gets it here. Owns its width, the room that the
 *  conversation gives up for it, and the two verbs of `ctx.layout`. What stands in it is the published sidebar's. */
import * as store from '@deepseek-ai/dsh-client-store'
import { useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'

import type { Layout, PageContext } from './host-context.ts'

/** Below this the panel takes the whole page, with the controls of the panel itself as the way back. */
const ROOM_FROM = 1000

const shown = store.createSnapshotStore({ panel: false, track: false })
const watch = (changed: () => void): (() => void) => shown.subscribe(changed)

/** Adds the verbs and seats a right sidebar expects of its frame, until the plugin is unloaded. */
export function offerRightbar(ctx: PageContext): void {
  ctx.effect(() => addVerbs(ctx.layout), 'seams: layout verbs')
  ctx.effect(
    () =>
      ctx.slots.inject('shell.overlay', () =>
        ctx.slots.register(
          {
            name: 'shell.overlay',
            id: 'sidemind-dev-seams',
            children: { rightbar: { kind: 'single', scope: 'session' } },
          },
          Column,
        ),
      ),
    'seams: right column',
  )
  ctx.effect(
    () =>
      ctx.slots.inject('conversation.session.header.utilities', () =>
        ctx.slots.register(
          {
            name: 'conversation.session.header.utilities',
            id: 'sidemind-dev-seams',
            order: 9999,
            children: { 'conversation.session.header.corner': { kind: 'single', scope: 'session' } },
          },
          Corner,
        ),
      ),
    'seams: header corner',
  )
}

function addVerbs(layout: Layout): () => void {
  // On the class, because every plugin sees the service through a wrapper of its own.
  const shape: Layout = Object.getPrototypeOf(layout)
  if (shape.openRightbar !== undefined) return () => undefined
  // Fullscreen needs nothing of the frame: the panel then covers it.
  shape.openRightbar = (track) => shown.set({ panel: true, track })
  shape.closeRightbar = () => shown.set({ panel: false, track: false })
  return () => {
    delete shape.openRightbar
    delete shape.closeRightbar
  }
}

interface ColumnProps {
  renderSlot: (name: 'rightbar', props: { width: number; viewportWidth: number; canShow: boolean }) => ReactNode
  SessionProvider: (props: { empty: () => ReactNode; children: () => ReactNode }) => ReactNode
}

function Column({ renderSlot, SessionProvider }: ColumnProps): ReactNode {
  const { panel, track } = useSyncExternalStore(watch, () => shown.getSnapshot())
  const page = usePageWidth()
  const hasRoom = page >= ROOM_FROM
  const width = hasRoom ? Math.min(480, Math.max(380, page - 1024)) : page
  // The published panel goes fullscreen by itself below 768; this frame has no room for it a little earlier.
  const viewportWidth = hasRoom ? page : Math.min(page, 767)
  return (
    <>
      {track && hasRoom && <style>{`[data-slot="root"] > div { margin-right: ${width}px }`}</style>}
      <div
        data-seams-rightbar={panel}
        style={{
          position: 'fixed',
          inset: '0 0 0 auto',
          width,
          overflow: 'clip',
          pointerEvents: panel ? 'auto' : 'none',
        }}
      >
        <SessionProvider empty={() => null}>
          {() => renderSlot('rightbar', { width, viewportWidth, canShow: true })}
        </SessionProvider>
      </div>
    </>
  )
}

function Corner({ renderSlot }: { renderSlot: (name: string, props: object) => ReactNode }): ReactNode {
  return renderSlot('conversation.session.header.corner', {})
}

function usePageWidth(): number {
  const [width, setWidth] = useState(window.innerWidth)
  useEffect(() => {
    const resized = (): void => setWidth(window.innerWidth)
    window.addEventListener('resize', resized)
    return () => window.removeEventListener('resize', resized)
  }, [])
  return width
}
