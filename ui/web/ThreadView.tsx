/** One thread and what is asked beside it: main's turns, its composer, the card above it, the panel at the right. */

import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import type { JSX } from 'react'
import { isSideErrorCode, SideError } from '../../src/wire/index.ts'
import type { ParentRef, SideErrorCode, SideKind } from '../../src/wire/index.ts'
import { BtwCard } from '../btw/BtwCard.tsx'
import { Composer } from '../parts/Composer.tsx'
import type { ComposerHandle } from '../parts/Composer.tsx'
import { isComposing } from '../parts/composer-keys.ts'
import { LiveRegion } from '../parts/LiveRegion.tsx'
import { announcement } from '../parts/phase.ts'
import { matches, shortcutText } from '../parts/shortcut.ts'
import { useT } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import { Transcript } from '../parts/Transcript.tsx'
import type { TurnActions } from '../parts/Turn.tsx'
import { focusSide } from '../side/focus-side.ts'
import { SideButton } from '../side/SideButton.tsx'
import { SideDrawer } from '../side/SideDrawer.tsx'
import { sideToShow } from '../side/side-to-show.ts'
import { Header } from './Header.tsx'
import type { PageHost } from './host.ts'
import { mainActivity } from './main-activity.ts'
import { submit } from './submit.ts'
import type { Thread, ThreadStage } from './thread.ts'
import { useBox } from './use-box.ts'
import { useWords } from './words-context.tsx'
import type { WebKey } from './words.ts'
import css from './Thread.module.css'

/** The same as in a host that was told nothing else. */
const SIDE_KEYS = 'Ctrl+Shift+Comma'

export interface ThreadViewProps {
  readonly host: PageHost
  readonly thread: Thread
  readonly onBack: () => void
}

export function ThreadView({ host, thread, onBack }: ThreadViewProps): JSX.Element {
  const w = useWords()
  const t = useT()
  const { runtime, drafts } = host
  const now = useSyncExternalStore(thread.subscribe, thread.snapshot)
  const { threadId, stage, facts, transcript } = now
  const draft = useSyncExternalStore(drafts.subscribe, () => drafts.read(threadId))
  const composer = useRef<ComposerHandle>(null)
  const seat = useRef<HTMLDivElement>(null)
  const room = useRef<HTMLElement>(null)
  const [open, setOpen] = useState(false)
  const [docked, setDocked] = useState(0)
  const cards = useSyncExternalStore(runtime.subscribe, () => runtime.sidesOf(threadId).btw.length)
  const seatBox = useBox(seat, '[data-raised]', `${docked} ${cards}`)
  const roomBox = useBox(room)
  const [notice, setNotice] = useState<WebKey | SideErrorCode | null>(null)
  const [pending, setPending] = useState(false)
  const workspaceId = facts?.workspaceId ?? null
  const parent = useMemo<ParentRef | null>(
    () => (workspaceId === null ? null : { workspaceId, sessionId: threadId }),
    [workspaceId, threadId],
  )
  const last = transcript.turns.at(-1)
  const busy = last !== undefined && last.phase !== 'settled'
  const title = titleOf(facts?.title ?? '', transcript.turns[0]?.question ?? '') || w('web.untitled')

  useEffect(() => {
    document.title = title
  }, [title])

  const focusComposer = useCallback(() => composer.current?.focus(), [])
  const composerText = useCallback(() => drafts.read(threadId), [drafts, threadId])
  const bringBack = useCallback(
    (markdown: string) => {
      drafts.append(threadId, markdown)
      composer.current?.focus()
    },
    [drafts, threadId],
  )
  const showSide = useCallback(
    (sideId: string) => {
      runtime.show(sideId)
      setOpen(true)
    },
    [runtime],
  )
  const reveal = useCallback(
    (kind: SideKind, sideId: string) => (kind === 'btw' ? runtime.show(sideId) : showSide(sideId)),
    [runtime, showSide],
  )
  const openSide = useCallback(
    (sideId: string) => {
      showSide(sideId)
      focusSide(sideId)
    },
    [showSide],
  )

  useEffect(() => {
    if (parent === null) return
    runtime
      .restore(parent)
      .then(() => {
        if (runtime.sidesOf(parent.sessionId).side.length > 0) setOpen(true)
      })
      .catch(() => undefined)
  }, [runtime, parent])

  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent): void => {
      if (parent === null || !matches(event, SIDE_KEYS) || isComposing(event)) return
      if (!event.repeat) openSide(sideToShow(runtime, parent))
      event.preventDefault()
      event.stopPropagation()
    }
    document.addEventListener('keydown', onKeyDown, { capture: true })
    return () => document.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [runtime, parent, openSide])

  const send = (text: string): void => {
    if (pending) return
    setPending(true)
    setNotice(null)
    void submit(text, { runtime, thread, link: host.link.state, parent, reveal }).then((submitted) => {
      setPending(false)
      if (submitted.outcome === 'kept') setNotice(submitted.why)
      // What was typed meanwhile is another text.
      else if (drafts.read(threadId) === text) drafts.write(threadId, '')
    })
  }

  const stop = (): void => {
    composer.current?.focus()
    thread.stop().catch(() => setNotice('web.failed'))
  }

  const actions = useMemo<TurnActions>(
    () => ({
      async respond(_turnId, requestId, response) {
        const decision = 'decision' in response && response.decision === 'allow' ? 'accept' : 'decline'
        try {
          await thread.answer(requestId, decision)
          return true
        } catch (error) {
          // Somebody else answered: the event says so.
          if (error instanceof SideError && error.code === 'interaction_already_answered') return true
          setNotice('web.answerFailed')
          return false
        }
      },
      onPromptGone: () => composer.current?.focus(),
    }),
    [thread],
  )
  const main = useMemo(() => (stage.at === 'open' ? mainActivity(transcript) : null), [stage, transcript])
  const goToMain = useCallback(() => {
    const asked = room.current?.querySelector<HTMLElement>('[role="group"] button:not(:disabled)')
    if (asked == null) composer.current?.focus()
    else asked.focus()
  }, [])

  return (
    <>
      <Header host={host} title={title} onBack={onBack}>
        {parent !== null && (
          <SideButton runtime={runtime} parent={parent} keys={shortcutText(SIDE_KEYS)} onOpen={openSide} />
        )}
      </Header>
      <main ref={room} className={css['thread']} style={{ paddingRight: docked }}>
        {transcript.turns.length > 0 ? (
          <div className={css['turns']}>
            <Transcript
              turns={transcript.turns}
              label={w('web.turns')}
              around={stage.at === 'open' && stage.offline ? 'offline' : null}
              actions={actions}
            />
          </div>
        ) : (
          <div className={css['empty']}>
            {stage.at === 'open' && <h2>{w('web.emptyTitle')}</h2>}
            {stage.at === 'open' && <p>{w('web.empty', { folder: facts?.cwd ?? '' })}</p>}
            {stage.at === 'attaching' && <p>{w('web.attaching')}</p>}
          </div>
        )}
        <div className={css['foot']}>
          <div ref={seat} className={css['seat']}>
            {parent !== null && (
              <BtwCard
                runtime={runtime}
                parent={parent}
                focusComposer={focusComposer}
                composerText={composerText}
                bringBack={bringBack}
                revealSide={showSide}
              />
            )}
            <Stopped
              stage={stage}
              read={transcript.turns.length > 0}
              onAttach={() => {
                composer.current?.focus()
                thread.attach()
              }}
            />
            {notice !== null && (
              <div className={css['notice']} role="alert">
                {isSideErrorCode(notice) ? t(`error.${notice}`) : w(notice)}
              </div>
            )}
            <Composer
              ref={composer}
              text={draft}
              onText={(text) => {
                setNotice(null)
                drafts.write(threadId, text)
              }}
              onSend={send}
              placeholder={w('web.composer')}
              onRecall={last === undefined ? undefined : () => drafts.write(threadId, last.question)}
              onStop={busy ? stop : undefined}
              autoFocus
            />
          </div>
        </div>
        <LiveRegion message={last === undefined ? '' : announcement(last, t)} />
      </main>
      {parent !== null && (
        <SideDrawer
          runtime={runtime}
          parent={parent}
          open={open}
          onHide={() => setOpen(false)}
          reserve={seatBox}
          top={roomBox?.top ?? 0}
          onDock={setDocked}
          main={main}
          onMain={goToMain}
          bringBack={bringBack}
        />
      )}
    </>
  )
}

interface StoppedProps {
  readonly stage: ThreadStage
  /** Whether something of it is on screen. */
  readonly read: boolean
  readonly onAttach: () => void
}

/** That main does not run, and the way on. It keeps its place while main is attached, so that nothing jumps. */
function Stopped({ stage, read, onAttach }: StoppedProps): JSX.Element | null {
  const w = useWords()
  if (stage.at === 'open' || (stage.at === 'attaching' && !read)) return null
  return (
    <div className={css['ended']} role="status">
      <span>{w(`web.${stage.at}`)}</span>
      {stage.at !== 'attaching' && (
        <TextButton outlined onClick={onAttach}>
          {w('web.attach')}
        </TextButton>
      )}
    </div>
  )
}

/** A thread's name, or its first question on one line. */
function titleOf(name: string, question: string): string {
  return (name || question).trim().replace(/\s+/g, ' ')
}
