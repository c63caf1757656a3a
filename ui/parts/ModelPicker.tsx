/** Which model and effort a side asks: a quiet button that names them, and its menu. It tells the caller what was chosen
 *  and nothing else; main's model and the host's default are out of its reach (K40). */

import { useCallback, useEffect, useId, useRef, useState } from 'react'
import type { JSX } from 'react'
import type { ModelCatalog, ModelRoute } from '../../src/wire/index.ts'
import { Icon } from './Icon.tsx'
import { ModelMenu } from './ModelMenu.tsx'
import { costText, routeWords } from './model-words.ts'
import { useT } from './surface.tsx'
import css from './ModelPicker.module.css'

/** What a picker needs to know; the surface has it from the store. */
export interface ModelChoice {
  readonly catalog: ModelCatalog
  /** The person's own choice; null = main's model, or as before. */
  readonly route: ModelRoute | null
  /** What the conversation was asked with so far; null where the next question is a new fork. */
  readonly asked: ModelRoute | null
  /** What the last answer was asked with. */
  readonly used: ModelRoute | null
  /** What new sides of this conversation begin with; null = main's model. */
  readonly remembered: ModelRoute | null
  /** Asks the host for its models, with `once` only when nothing is known yet. */
  readonly load: (once?: boolean) => void
  readonly pick: (route: ModelRoute | null) => void
  readonly remember: (route: ModelRoute | null) => void
}

export function ModelPicker({ choice }: { readonly choice: ModelChoice }): JSX.Element | null {
  const t = useT()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  const close = useCallback(() => setOpen(false), [])
  const { catalog, route, asked, load } = choice
  useEffect(() => load(true), [load])
  // A host that tells no models has nothing to choose from.
  if (catalog.providers.length === 0) return null
  const own = route ?? asked
  const words = own === null ? null : routeWords(catalog, own)
  const name = words === null ? t('model.main') : words.effort === '' ? words.model : `${words.model}, ${words.effort}`
  return (
    <>
      <button
        ref={button}
        type="button"
        className={css['trigger']}
        aria-label={t('model.label', { name })}
        title={t('model.label', { name })}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => {
          if (!open) load()
          setOpen(!open)
        }}
      >
        <span className={css['triggerName']}>{words === null ? t('model.main') : words.model}</span>
        {words !== null && words.effort !== '' && <span className={css['triggerEffort']}>{words.effort}</span>}
        <Icon name="chevron" size={12} />
      </button>
      {open && <ModelMenu id={id} anchor={button} choice={choice} onClose={close} />}
    </>
  )
}

/** What the chosen model costs, said until it is asked; nothing when it costs nothing. */
export function ModelNote({ choice }: { readonly choice: ModelChoice }): JSX.Element | null {
  const t = useT()
  const { catalog, route, asked } = choice
  const cost = costText(catalog, asked ?? catalog.main, route, t)
  return cost === '' ? null : (
    <div className={css['note']} role="status">
      {cost}
    </div>
  )
}
