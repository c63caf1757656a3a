/** One `/btw` on screen: its question, its answer, and what Esc does now. Owns the keys of the overlay; each has a
 *  button beside it. */

import { forwardRef, useCallback, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react'
import type { KeyboardEvent } from 'react'
import type { TranscriptTurn } from '../../src/wire/index.ts'
import { aroundOf } from '../data/around.ts'
import { useDraft, useModelChoice, useSearch } from '../data/hooks.ts'
import type { SideRuntime } from '../data/runtime.ts'
import { scopeChoice } from '../data/scope.ts'
import type { MainSize } from '../data/scope.ts'
import type { SideSnapshot, SidesSnapshot } from '../data/snapshot.ts'
import { Composer } from '../parts/Composer.tsx'
import type { ComposerHandle } from '../parts/Composer.tsx'
import { copyText } from '../parts/copy-text.ts'
import { LiveRegion } from '../parts/LiveRegion.tsx'
import { ModelNote, ModelPicker } from '../parts/ModelPicker.tsx'
import { answerOf, isAnswered } from '../parts/phase.ts'
import { Quote } from '../parts/Quote.tsx'
import { ScopeLine } from '../parts/ScopeLine.tsx'
import { SmallerOffer } from '../parts/SmallerOffer.tsx'
import { splitQuote } from '../quotation.ts'
import { useSurface } from '../parts/surface.tsx'
import { TextButton } from '../parts/TextButton.tsx'
import { Transcript } from '../parts/Transcript.tsx'
import type { TurnActions } from '../parts/Turn.tsx'
import { BtwFooter } from './BtwFooter.tsx'
import { BtwHeader } from './BtwHeader.tsx'
import { cardKey } from './card-keys.ts'
import { liveText, troubleText } from './btw-words.ts'
import css from './Btw.module.css'

export interface BtwPanelProps {
  readonly runtime: SideRuntime
  readonly side: SideSnapshot
  /** All questions of this parent, for the arrows. */
  readonly all: readonly SideSnapshot[]
  readonly sought: SidesSnapshot['sought']
  readonly onDismiss: (sideId: string, byKey: boolean) => void
  readonly focusComposer: () => void
  /** Shows the tab of a question that goes on as a `/side`. */
  readonly revealSide?: ((sideId: string) => void) | undefined
  readonly size: MainSize | null
  readonly bringBack?: (markdown: string) => void
}

export const BtwPanel = forwardRef<HTMLDivElement, BtwPanelProps>(function BtwPanel(props, ref) {
  const { runtime, side, all, sought, onDismiss, focusComposer, size, revealSide, bringBack } = props
  const surface = useSurface()
  const { t, overMain } = surface
  const root = useRef<HTMLDivElement>(null)
  useEffect(() => (root.current === null ? undefined : overMain?.(root.current)), [overMain])
  const ask = useRef<ComposerHandle>(null)
  useImperativeHandle(ref, () => root.current as HTMLDivElement, [])
  const [focused, setFocused] = useState(false)
  const [copied, setCopied] = useState(0)
  const draft = useDraft(runtime, side.sideId)
  const { sideId, status } = side
  const models = useModelChoice(runtime, side)
  const find = useSearch(runtime, side.parent.sessionId)
  const newest = side.turns.at(-1)
  const [read, setRead] = useState<TranscriptTurn | null>(null)
  const isEarlier = newest !== undefined && read !== null && side.earlier[newest.turnId]?.includes(read) === true
  /** The attempt on screen. */
  const turn = isEarlier ? read : newest
  const choice = useMemo(
    () => (size === null || status.phase !== 'draft' ? null : scopeChoice(size, side.scope)),
    [size, side.scope, status.phase],
  )
  const answered = turn !== undefined && isAnswered(turn)
  const answer = (): string => (turn === undefined ? '' : answerOf(turn))
  const stoppable = status.phase === 'opening' || (status.phase === 'running' && !status.stopping)
  const actions = useMemo<TurnActions>(
    () => ({
      respond: (turnId, requestId, response) => runtime.respond(sideId, turnId, requestId, response),
      reads: setRead,
    }),
    [runtime, sideId],
  )

  const go = useCallback(
    (step: number) => {
      const next = all[all.findIndex((one) => one.sideId === sideId) + step]
      if (next?.status.phase === 'past') runtime.read(next.parent, next.sideId)
      else if (next !== undefined) runtime.show(next.sideId)
    },
    [all, sideId, runtime],
  )

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (event.defaultPrevented) return
    const target = event.target as HTMLElement
    const meaning = cardKey(event.nativeEvent, {
      stoppable,
      copyable: answered,
      inField: target.matches('input, textarea, select, [contenteditable="true"]'),
      onCard: target === root.current,
      copyKey: surface.copyKey ?? 'c',
      selection: window.getSelection()?.toString() !== '',
    })
    if (meaning === 'leave') return
    if (meaning === 'type') {
      // Focus moves before the key writes: the letter lands in main's composer.
      focusComposer()
      return
    }
    event.preventDefault()
    event.stopPropagation()
    if (meaning === 'stop') runtime.stop(sideId)
    else if (meaning === 'dismiss') onDismiss(sideId, true)
    else if (meaning === 'previous') go(-1)
    else if (meaning === 'next') go(1)
    else if (meaning === 'copy') {
      void copyText(answer()).then((done) => {
        if (done) setCopied((times) => times + 1)
      })
    }
  }

  /** For buttons that vanish with what they do. */
  const keepFocus = (act: () => void): void => {
    root.current?.focus({ preventScroll: true })
    act()
  }

  const continuable =
    revealSide !== undefined &&
    (status.phase === 'draft' || status.phase === 'idle' || status.phase === 'running' || status.phase === 'expired')
  const goOn = (): void => {
    void runtime.continueAsSide(sideId).then((shown) => {
      if (shown !== null) revealSide?.(shown)
    })
  }

  /** What Up brings back. */
  const asked = turn ?? all.findLast((one) => one.turns.length > 0)?.turns.at(-1)
  const quoted = splitQuote(turn?.question ?? '').quote
  const trouble = troubleText(side, t)
  return (
    <div
      ref={root}
      className={css['panel']}
      data-raised=""
      data-side={sideId}
      role="region"
      aria-label={side.title === '' ? t('btw.ask') : t('btw.label', { title: side.title })}
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onFocus={() => setFocused(true)}
      onBlur={(event) => setFocused(event.currentTarget.contains(event.relatedTarget))}
    >
      <BtwHeader
        side={side}
        answer={answered ? answer : null}
        copied={copied}
        position={all.indexOf(side)}
        total={all.length}
        unread={all.some((one) => one.unread && one !== side)}
        onGo={go}
        onStop={() => keepFocus(() => runtime.stop(sideId))}
        find={find}
        onFound={(hit) => {
          const shown = runtime.goTo(side.parent, hit)
          if (shown !== null) revealSide?.(shown)
        }}
        models={models}
        onRetry={(route) => keepFocus(() => runtime.retry(sideId, undefined, route))}
        onClose={() => onDismiss(sideId, false)}
        onContinue={continuable ? goOn : undefined}
        {...(bringBack === undefined ? {} : { bringBack })}
      />
      {quoted !== '' && (
        <div className={css['quoted']}>
          <Quote quote={quoted} />
        </div>
      )}
      {side.turns.length > 0 && (
        <Transcript
          key={sideId}
          turns={side.turns}
          earlier={side.earlier}
          sought={sought?.sideId === sideId ? sought : null}
          label={t('transcript.answer')}
          around={aroundOf(side)}
          actions={actions}
          single
        >
          <SmallerOffer side={side} onAsk={(scope) => keepFocus(() => runtime.askSmaller(sideId, scope))} />
        </Transcript>
      )}
      {trouble !== '' && (
        <div className={css['trouble']}>
          <span>{trouble}</span>
          {(status.phase === 'expired' || status.phase === 'past') && (
            <TextButton
              outlined
              onClick={() => {
                if (status.phase === 'past') runtime.startAgain(side.parent, sideId)
                else runtime.retry(sideId)
              }}
            >
              {t('action.startAgain')}
            </TextButton>
          )}
        </div>
      )}
      {side.askBox && status.phase !== 'opening' && (
        <div className={css['ask']}>
          {side.quote !== '' && (
            <Quote
              quote={side.quote}
              onRemove={() => {
                runtime.setQuote(sideId, '')
                ask.current?.focus()
              }}
              onNew={() => ask.current?.focus()}
            />
          )}
          {choice !== null && (
            <div className={css['takes']}>
              <ScopeLine {...choice} onScope={(scope) => runtime.setScope(sideId, scope)} />
            </div>
          )}
          <ModelNote choice={models} />
          <Composer
            ref={ask}
            key={sideId}
            text={draft}
            onText={(text) => runtime.setDraft(sideId, text)}
            onSend={(text) => runtime.send(sideId, text)}
            placeholder={t(side.turns.length === 0 ? 'composer.btw' : 'composer.next')}
            onRecall={asked === undefined ? undefined : () => runtime.recall(sideId, asked.question)}
            tools={<ModelPicker choice={models} />}
            autoFocus
          />
        </div>
      )}
      <BtwFooter key={`of ${sideId}`} side={side} focused={focused} windows={runtime.windows()} />
      <LiveRegion message={liveText(side, t)} />
    </div>
  )
})
