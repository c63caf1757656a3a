/** One `/side` conversation, as a tab's body: where it comes from, transcript, queue, composer. Fills its parent
 *  (height 100 %). Which tab is on screen is the host's or the drawer's. */

import { useMemo, useRef, useState } from 'react'
import type { JSX, KeyboardEvent } from 'react'
import type { ModelRoute } from '../../src/wire/index.ts'
import { aroundOf } from '../data/around.ts'
import { useDraft, useModelChoice, useSearch, useSide, useSides, useVisible } from '../data/hooks.ts'
import type { SideRuntime } from '../data/runtime.ts'
import { scopeChoice } from '../data/scope.ts'
import type { MainSize } from '../data/scope.ts'
import type { SideSnapshot } from '../data/snapshot.ts'
import { Composer } from '../parts/Composer.tsx'
import type { ComposerHandle } from '../parts/Composer.tsx'
import { isComposing } from '../parts/composer-keys.ts'
import { ModelNote, ModelPicker } from '../parts/ModelPicker.tsx'
import { LiveRegion } from '../parts/LiveRegion.tsx'
import { Quote } from '../parts/Quote.tsx'
import { ScopeLine } from '../parts/ScopeLine.tsx'
import { SmallerOffer } from '../parts/SmallerOffer.tsx'
import { Search } from '../parts/Search.tsx'
import { useT } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import { Transcript } from '../parts/Transcript.tsx'
import type { TurnActions } from '../parts/Turn.tsx'
import { AheadLine } from './AheadLine.tsx'
import { EmptySide } from './EmptySide.tsx'
import { InfoLine } from './InfoLine.tsx'
import { MainLine } from './MainLine.tsx'
import type { MainActivity } from './MainLine.tsx'
import { Queue } from './Queue.tsx'
import { liveText, noticeText, placeholderText, titleOf } from './side-words.ts'
import css from './Side.module.css'

export interface SideTabProps {
  readonly runtime: SideRuntime
  readonly sideId: string
  /** Whether a person can see this tab now. */
  readonly visible: boolean
  /** Puts the caret into the composer when the tab mounts; default true for a draft, false otherwise. */
  readonly autoFocus?: boolean
  /** What main is doing, for the quiet live line; null or absent hides it. */
  readonly main?: MainActivity | null
  /** How large main is; null or absent where nobody knows. */
  readonly size?: MainSize | null
  /** Takes the person to main. */
  readonly onMain?: () => void
  /** Brings the surface of another side to the front. */
  readonly revealSide?: ((sideId: string) => void) | undefined
  /** The number of main's last whole turn; absent where nobody tells. */
  readonly mainTurn?: number
  /** What main waits for, as it can be quoted; '' when nobody tells. */
  readonly pendingText?: () => string
  /** Puts text into main's draft; without it the action is not offered. */
  readonly bringBack?: (markdown: string) => void
}

export function SideTab(props: SideTabProps): JSX.Element {
  const t = useT()
  const side = useSide(props.runtime, props.sideId)
  useVisible(props.runtime, props.sideId, props.visible)
  if (side === null || side.status.phase === 'closing') return <div className={css['gone']}>{t('side.gone')}</div>
  return <OpenSide key={side.sideId} {...props} side={side} />
}

function OpenSide({
  runtime,
  side,
  visible,
  autoFocus,
  main = null,
  size = null,
  onMain,
  revealSide,
  mainTurn = 0,
  pendingText,
  bringBack,
}: SideTabProps & { readonly side: SideSnapshot }): JSX.Element {
  const t = useT()
  const { sideId, status, parent } = side
  const draft = useDraft(runtime, sideId)
  const { recent, reading, sought } = useSides(runtime, parent.sessionId)
  const find = useSearch(runtime, parent.sessionId)
  const composer = useRef<ComposerHandle>(null)
  const [mountedAt] = useState(() => Date.now())
  const choice = useMemo(() => (size === null ? null : scopeChoice(size, side.scope)), [size, side.scope])
  const forks = status.phase === 'draft' || status.phase === 'error'
  const ended = status.phase === 'expired'
  const running = status.phase === 'running' || status.phase === 'opening'
  const last = side.turns.at(-1)
  const notice = noticeText(side, t)
  const models = useModelChoice(runtime, side)
  const actions = useMemo<TurnActions>(
    () => ({
      respond: (turnId, requestId, response) => runtime.respond(sideId, turnId, requestId, response),
      drafts: {
        read: (requestId) => runtime.answersOf(sideId, requestId),
        write: (requestId, answers) => runtime.setAnswers(sideId, requestId, answers),
      },
      onPromptGone: () => composer.current?.focus(),
      ...(ended
        ? {}
        : { retry: (turnId: string, route?: ModelRoute) => void runtime.retry(sideId, turnId, route), models }),
      ...(bringBack === undefined ? {} : { bringBack }),
    }),
    [runtime, sideId, ended, bringBack, models],
  )

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.key !== 'Escape' || isComposing(event.nativeEvent) || event.defaultPrevented) return
    // An Esc typed here is never main's (K25), whether it stops something or not.
    event.stopPropagation()
    if (running && !event.repeat) {
      event.preventDefault()
      runtime.stop(sideId)
    }
  }

  const stop = (): void => {
    composer.current?.focus()
    runtime.stop(sideId)
  }

  const fill = (text: string): void => {
    runtime.setDraft(sideId, text)
    composer.current?.focus()
  }

  return (
    <div
      className={css['side']}
      data-sidemind-side={sideId}
      role="region"
      aria-label={t('side.label', { title: titleOf(side, t) })}
      data-side={sideId}
      onKeyDown={onKeyDown}
    >
      <InfoLine side={side} windows={runtime.windows()}>
        {find !== null && (
          <Search
            find={find}
            onGo={(hit) => {
              const shown = runtime.goTo(parent, hit)
              if (shown !== null) revealSide?.(shown)
            }}
          />
        )}
      </InfoLine>
      {main !== null && isNews(main, side, mountedAt) && (
        <MainLine
          main={main}
          {...(onMain === undefined ? {} : { onGo: onMain })}
          onAsk={pendingText === undefined || ended ? undefined : () => runtime.setQuote(sideId, pendingText())}
        />
      )}
      <AheadLine runtime={runtime} side={side} mainTurn={mainTurn} onChosen={() => composer.current?.focus()} />
      {side.turns.length === 0 ? (
        <EmptySide
          recent={recent}
          reading={reading}
          sought={sought}
          onRead={(id) => runtime.read(parent, id)}
          onLeave={(id) => runtime.leave(parent, id)}
          scope={
            forks && choice !== null ? (
              <ScopeLine {...choice} onScope={(scope) => runtime.setScope(sideId, scope)} />
            ) : null
          }
          onExample={fill}
          onStartAgain={(id) => {
            takeRecent(runtime, side, id)
            composer.current?.focus()
          }}
        />
      ) : (
        <Transcript
          turns={side.turns}
          earlier={side.earlier}
          label={t('transcript.turns')}
          around={aroundOf(side)}
          actions={actions}
          sought={sought?.sideId === sideId ? sought : null}
        >
          <SmallerOffer side={side} onAsk={(scope) => runtime.askSmaller(sideId, scope)} />
        </Transcript>
      )}
      <Queue runtime={runtime} side={side} onEdited={() => composer.current?.focus()} />
      {notice !== '' && <div className={css['notice']}>{notice}</div>}
      {status.phase === 'expired' ? (
        <div className={css['ended']}>
          <span>{t(`expiry.${status.reason}`)}</span>
          <TextButton outlined onClick={() => runtime.startAgain(parent, sideId)}>
            {t('action.startAgain')}
          </TextButton>
        </div>
      ) : (
        <div className={css['compose']}>
          {side.quote !== '' && (
            <Quote
              quote={side.quote}
              onRemove={() => {
                runtime.setQuote(sideId, '')
                composer.current?.focus()
              }}
              onNew={() => composer.current?.focus()}
            />
          )}
          <ModelNote choice={models} />
          <Composer
            ref={composer}
            text={draft}
            onText={(text) => runtime.setDraft(sideId, text)}
            onSend={(text) => runtime.send(sideId, text)}
            placeholder={placeholderText(side, t)}
            onRecall={last === undefined ? undefined : () => runtime.recall(sideId, last.question)}
            onStop={running ? stop : undefined}
            tools={<ModelPicker choice={models} />}
            stopping={status.phase === 'running' && status.stopping}
            autoFocus={visible && (autoFocus ?? status.phase === 'draft')}
          />
        </div>
      )}
      <LiveRegion message={liveText(side, t)} />
    </div>
  )
}

/** That main is done or has failed is news only when it happened while this side was there. */
function isNews(main: MainActivity, { facts }: SideSnapshot, mountedAt: number): boolean {
  if (main.state !== 'done' && main.state !== 'failed') return true
  return (main.since ?? 0) > (facts?.forkedAt ?? mountedAt)
}

/** Asks a recent side's words again here: it leaves the list, what it held is in the composer. */
function takeRecent(runtime: SideRuntime, side: SideSnapshot, recentId: string): void {
  const recent = runtime.sidesOf(side.parent.sessionId).recent.find((one) => one.sideId === recentId)
  if (recent === undefined) return
  runtime.forget(side.parent.sessionId, recentId)
  runtime.takeBack(side.sideId, recent.unsent === '' ? (recent.turns[0]?.question ?? '') : recent.unsent)
}
