/** Words that a question quotes: two lines of them, all on request; removable while the question is not sent. */

import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import { IconButton } from './IconButton.tsx'
import { useT } from './surface.tsx'
import css from './Quote.module.css'

export interface QuoteProps {
  readonly quote: string
  readonly onRemove?: () => void
  /** Another quotation came: the caret belongs into the question. */
  readonly onNew?: () => void
}

export function Quote({ quote, onRemove, onNew }: QuoteProps): JSX.Element {
  const t = useT()
  const text = useRef<HTMLDivElement>(null)
  const [open, setOpen] = useState(false)
  const [folded, setFolded] = useState(false)
  useEffect(() => {
    onNew?.()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- once per quotation
  }, [quote])
  useLayoutEffect(() => {
    const { current } = text
    if (current !== null && !open) setFolded(current.scrollHeight > current.clientHeight + 1)
  }, [quote, open])
  return (
    <div className={css['quote']} role="group" aria-label={t('quote.label')}>
      <div ref={text} className={css['text']} data-open={open || undefined} {...(open ? { tabIndex: 0 } : {})}>
        {quote}
      </div>
      {(folded || open) && (
        <IconButton
          icon={open ? 'less' : 'more'}
          label={t(open ? 'quote.less' : 'quote.more')}
          aria-expanded={open}
          onClick={() => setOpen(!open)}
        />
      )}
      {onRemove !== undefined && <IconButton icon="close" label={t('quote.remove')} onClick={onRemove} />}
    </div>
  )
}
