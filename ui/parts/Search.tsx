/** Looks for words in the sides of this conversation: a button, and below it a field with what was found. */

import { useCallback, useEffect, useId, useMemo, useRef, useState } from 'react'
import type { JSX, KeyboardEvent } from 'react'
import { isComposing } from './composer-keys.ts'
import { IconButton } from './IconButton.tsx'
import { Popover } from './Popover.tsx'
import { useT } from './surface.tsx'
import css from './Search.module.css'

/** One place where the words are. */
export interface SearchHit {
  readonly sideId: string
  readonly turnId: string
  readonly kind: 'btw' | 'side'
  readonly closed: boolean
  readonly question: string
  readonly before: string
  readonly found: string
  readonly after: string
}

export interface SearchProps<H extends SearchHit> {
  /** Newest first. Keep its identity until there is something else to find. */
  readonly find: (query: string) => readonly H[]
  readonly onGo: (hit: H) => void
}

export function Search<H extends SearchHit>({ find, onGo }: SearchProps<H>): JSX.Element {
  const t = useT()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  return (
    <>
      <IconButton
        ref={button}
        icon="search"
        label={t('search.open')}
        aria-haspopup="dialog"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      />
      {open && (
        <Popover id={id} anchor={button} onClose={close}>
          <Results
            find={find}
            onGo={(hit) => {
              setOpen(false)
              onGo(hit)
            }}
          />
        </Popover>
      )}
    </>
  )
}

function Results<H extends SearchHit>({ find, onGo }: SearchProps<H>): JSX.Element {
  const t = useT()
  const box = useRef<HTMLDivElement>(null)
  const field = useRef<HTMLInputElement>(null)
  const [query, setQuery] = useState('')
  const hits = useMemo(() => find(query), [find, query])
  useEffect(() => field.current?.focus({ preventScroll: true }), [])

  const onKeyDown = (event: KeyboardEvent<HTMLDivElement>): void => {
    if (isComposing(event.nativeEvent)) return
    const first = hits[0]
    if (event.key === 'Enter' && event.target === field.current && first !== undefined) {
      event.preventDefault()
      onGo(first)
    }
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step === 0) return
    event.preventDefault()
    const stops = [...(box.current?.querySelectorAll<HTMLElement>('input, button') ?? [])]
    const at = stops.indexOf(document.activeElement as HTMLElement)
    stops[(at + step + stops.length) % stops.length]?.focus()
  }

  return (
    <div ref={box} className={css['search']} role="dialog" aria-label={t('search.open')} onKeyDown={onKeyDown}>
      <input
        ref={field}
        type="search"
        className={css['field']}
        value={query}
        placeholder={t('search.placeholder')}
        aria-label={t('search.placeholder')}
        onChange={(event) => setQuery(event.target.value)}
      />
      <div className={css['said']} role="status">
        {query.trim() === '' ? '' : hits.length === 0 ? t('search.none') : t('search.found', { n: hits.length })}
      </div>
      {hits.length > 0 && (
        <ul className={css['hits']}>
          {hits.map((hit) => (
            <li key={`${hit.sideId} ${hit.turnId}`}>
              <button type="button" className={css['hit']} onClick={() => onGo(hit)}>
                <span className={css['question']}>
                  <span className={css['where']}>{t(hit.closed ? 'search.closed' : `search.${hit.kind}`)}</span>
                  {hit.question}
                </span>
                <span className={css['snippet']}>
                  {hit.before}
                  <mark>{hit.found}</mark>
                  {hit.after}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}
