/** Where main's text meets the surfaces: what can be asked about selected text, and the action at a finished message. */

import { useEffect, useMemo, useRef, useSyncExternalStore, type ReactElement } from 'react'
import { IconButton } from '../parts/IconButton.tsx'
import { LiveRegion } from '../parts/LiveRegion.tsx'
import { PickBar } from '../parts/PickBar.tsx'
import type { PickAction } from '../parts/PickBar.tsx'
import { useT } from '../parts/surface.tsx'
import type { HostSlots } from './seams.ts'
import { watchSelection } from './selection.ts'
import type { SelectionWatch } from './selection.ts'
import { parentOf, Surface, type SurfaceHost } from './slots.tsx'

/** What can be asked about selected text, beside it. */
export function mountPicks(slots: HostSlots, host: SurfaceHost): void {
  const watch = watchSelection(document)
  slots.inject('shell.overlay', () =>
    slots.register({ name: 'shell.overlay', id: 'sidemind-picks', order: 41, inject: () => ({}) }, () => (
      <Surface host={host}>
        <Picks host={host} watch={watch} />
      </Surface>
    )),
  )
}

function Picks({ host, watch }: { readonly host: SurfaceHost; readonly watch: SelectionWatch }): ReactElement | null {
  const { sessions, runtime, bringBack } = host
  const t = useT()
  const current = useSyncExternalStore(
    (listener) => sessions?.subscribe(listener) ?? (() => {}),
    () => sessions?.current(),
  )
  const pick = useSyncExternalStore(watch.subscribe, watch.current)
  const focusedBefore = useRef<Element | null>(null)
  useEffect(() => {
    if (pick !== null) focusedBefore.current = document.activeElement
  }, [pick])
  // What was selected belongs to the conversation that was on screen.
  useEffect(() => () => watch.clear(), [current, watch])
  const actions = useMemo<PickAction[]>(() => {
    if (pick === null || current === undefined) return []
    const { text, sideId } = pick
    const done = (act: () => void) => (): void => {
      act()
      watch.clear()
      document.getSelection()?.removeAllRanges()
    }
    if (sideId === null)
      return [
        { icon: 'aside', label: t('quote.ask'), act: done(() => void runtime.quoteIn(parentOf(current), 'btw', text)) },
      ]
    const side = runtime.find(sideId)
    const ask = (): void => {
      if (side?.kind === 'side' && side.status.phase !== 'expired') runtime.setQuote(sideId, text)
      else runtime.quoteIn(parentOf(current), 'btw', text)
    }
    return [
      { icon: 'aside', label: t('quote.followUp'), act: done(ask) },
      ...(bringBack === null
        ? []
        : [{ icon: 'draft' as const, label: t('quote.toDraft'), act: done(() => bringBack(current, text.trim())) }]),
    ]
  }, [pick, current, runtime, bringBack, t, watch])
  return (
    <>
      {pick !== null && actions.length > 0 && (
        <PickBar
          box={pick.box}
          below={pick.touch}
          actions={actions}
          onLeave={() => {
            watch.clear()
            if (focusedBefore.current instanceof HTMLElement) focusedBefore.current.focus()
          }}
        />
      )}
      <LiveRegion message={pick === null ? '' : t('quote.picked')} />
    </>
  )
}

/** "Ask aside" beside the host's own actions of a finished message. */
export function mountMessageAction(slots: HostSlots, host: SurfaceHost): void {
  slots.inject('conversation.chat.assistant-actions', () =>
    slots.register(
      {
        name: 'conversation.chat.assistant-actions',
        id: 'sidemind-ask',
        order: 40,
        inject: (sessionId: string) => ({ sidemindSession: sessionId }),
      },
      ({ sidemindSession, messageId }) => (
        <Surface host={host}>
          <AskAboutMessage host={host} sessionId={String(sidemindSession)} messageId={String(messageId)} />
        </Surface>
      ),
    ),
  )
}

function AskAboutMessage(props: {
  readonly host: SurfaceHost
  readonly sessionId: string
  readonly messageId: string
}): ReactElement {
  const { host, sessionId, messageId } = props
  const t = useT()
  return (
    <IconButton
      icon="aside"
      label={t('quote.askMessage')}
      onClick={() => host.runtime.quoteIn(parentOf(sessionId), 'btw', host.messageText(sessionId, messageId))}
    />
  )
}
