/** One question and its answer. A finished turn renders once: its object keeps its identity. */

import { memo, useState } from 'react'
import type { JSX, ReactNode } from 'react'
import type { ModelRoute, PromptResponse, TranscriptTurn } from '../../src/wire/index.ts'
import { growthOf } from '../../src/wire/growing.ts'
import { Attempts } from './Attempts.tsx'
import { CopyButton } from './CopyButton.tsx'
import { Failure } from './Failure.tsx'
import { IconButton } from './IconButton.tsx'
import type { ModelChoice } from './ModelPicker.tsx'
import { RetryWith } from './RetryWith.tsx'
import { Markdown } from './Markdown.tsx'
import { answerOf, isAnswered } from './phase.ts'
import { splitQuote } from '../quotation.ts'
import type { Around } from './phase.ts'
import { PhaseLine } from './PhaseLine.tsx'
import { Prompt } from './Prompt.tsx'
import { Quote } from './Quote.tsx'
import type { DraftStore } from './QuestionPrompt.tsx'
import { useT } from './surface.tsx'
import { Thinking } from './Thinking.tsx'
import { ToolRow } from './ToolRow.tsx'
import { usageText } from './usage-text.ts'
import css from './Turn.module.css'

/** What can be done with a turn; what is absent is not offered. */
export interface TurnActions {
  readonly retry?: (turnId: string, route?: ModelRoute) => void
  /** Offers to ask again with another model. */
  readonly models?: ModelChoice
  /** Told which attempt is read now. */
  readonly reads?: (turn: TranscriptTurn) => void
  readonly bringBack?: (markdown: string) => void
  /** Answers a prompt; resolves with false when that was refused. */
  readonly respond?: (turnId: string, requestId: string, response: PromptResponse) => Promise<boolean> | void
  /** Where what is chosen in a prompt is kept meanwhile. */
  readonly drafts?: DraftStore
  /** A prompt goes away while it has the keyboard. */
  readonly onPromptGone?: () => void
}

/** Questions of more characters may outgrow their bubble. */
const LONG = 400
const NONE: readonly TranscriptTurn[] = []

export interface TurnProps {
  /** The newest attempt. */
  readonly turn: TranscriptTurn
  /** Attempts before it, oldest first. */
  readonly earlier?: readonly TranscriptTurn[] | undefined
  readonly last: boolean
  readonly around: Around
  readonly actions: TurnActions
  /** Question and actions stand in a header: only the answer is drawn. */
  readonly single: boolean
}

export const Turn = memo(function Turn(props: TurnProps): JSX.Element {
  const { turn: newest, earlier = NONE, last, around, actions, single } = props
  const [back, setBack] = useState(0)
  const total = earlier.length + 1
  const at = Math.max(0, total - 1 - back)
  const turn = earlier[at] ?? newest
  const go = (to: number): void => {
    setBack(total - 1 - to)
    actions.reads?.(earlier[to] ?? newest)
  }
  const attempts = total > 1 ? <Attempts at={at} total={total} onGo={go} /> : null
  const settled = turn.phase === 'settled'
  const pending = settled ? [] : turn.interactions.filter((one) => one.status === 'pending')
  const { respond } = actions
  return (
    <div className={css['turn']} data-turn={turn.turnId} data-last={last || undefined}>
      {!single && turn.question !== '' && (
        <div className={css['question']}>
          <Question question={turn.question} />
        </div>
      )}
      <div className={css['answer']} data-answer="">
        {/* Items are replaced in their place or added at the end, so the place is the key. */}
        {turn.items.map((item, index) => {
          const running = !settled && index === turn.items.length - 1
          switch (item.kind) {
            case 'text':
              return (
                <div key={index} className={css['text']}>
                  <Markdown text={growthOf(item)} growing={running} />
                </div>
              )
            case 'reasoning':
              return (
                <Thinking key={index} id={`${turn.turnId} ${item.messageId}`} text={growthOf(item)} running={running} />
              )
            case 'tool':
              // While it asks, its question stands in the prompt.
              return pending.some((one) => one.requestId === item.tool.callId) ? null : (
                <ToolRow key={index} tool={item.tool} />
              )
          }
        })}
        {respond !== undefined &&
          pending.map((prompt) => (
            <Prompt
              key={prompt.requestId}
              prompt={prompt}
              onRespond={respond}
              drafts={actions.drafts}
              onGone={actions.onPromptGone}
            />
          ))}
        <Ending turn={turn} />
        {settled ? (
          // In a header's place too: the row keeps its height, so that nothing jumps when an answer ends.
          <Footer turn={turn} actions={single ? null : actions} attempts={attempts} />
        ) : (
          <div className={css['foot']}>
            <PhaseLine turn={turn} around={around} />
            {attempts}
          </div>
        )}
      </div>
    </div>
  )
})

function Question({ question }: { readonly question: string }): JSX.Element {
  const { quote, text } = splitQuote(question)
  return (
    // A long one scrolls by itself, for the keyboard too.
    <div className={css['bubble']} {...(question.length > LONG ? { tabIndex: 0 } : {})}>
      {quote !== '' && <Quote quote={quote} />}
      {text}
    </div>
  )
}

/** How a turn ended, when not simply with its answer; and whether all of the answer is here. */
function Ending({ turn }: { readonly turn: TranscriptTurn }): JSX.Element {
  const t = useT()
  const { outcome } = turn
  return (
    <>
      {turn.truncated === true && <div className={css['mark']}>{t('turn.truncated')}</div>}
      {outcome === 'failed' && <Failure error={turn.error} />}
      {(outcome === 'canceled' || outcome === 'interrupted') && (
        <div className={css['mark']}>{t(outcome === 'canceled' ? 'turn.stopped' : 'turn.interrupted')}</div>
      )}
    </>
  )
}

function Footer({
  turn,
  actions,
  attempts,
}: {
  readonly turn: TranscriptTurn
  readonly actions: TurnActions | null
  readonly attempts: ReactNode
}): JSX.Element | null {
  const t = useT()
  const usage = usageText(turn, t)
  // What went wrong has taken the row's place already.
  if (actions === null && attempts === null && usage === '' && turn.outcome !== 'completed') return null
  return (
    <div className={css['foot']}>
      {attempts}
      <span className={css['usage']}>{usage}</span>
      {actions !== null && <Buttons turn={turn} actions={actions} />}
    </div>
  )
}

function Buttons({ turn, actions }: { readonly turn: TranscriptTurn; readonly actions: TurnActions }): JSX.Element {
  const t = useT()
  const answered = isAnswered(turn)
  const { retry, models, bringBack } = actions
  return (
    <span className={css['actions']}>
      {bringBack !== undefined && answered && (
        <IconButton icon="draft" label={t('action.bringBack')} onClick={() => bringBack(answerOf(turn))} />
      )}
      {answered && <CopyButton text={() => answerOf(turn)} label={t('action.copyAnswer')} />}
      {retry !== undefined && <IconButton icon="retry" label={t('action.retry')} onClick={() => retry(turn.turnId)} />}
      {retry !== undefined && models !== undefined && (
        <RetryWith models={models} onRetry={(route) => retry(turn.turnId, route)} />
      )}
    </span>
  )
}
