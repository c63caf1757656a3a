/** Asks again with another model or effort: a button beside Retry, and the menu that ends in "Retry with this". */

import { useCallback, useEffect, useId, useRef, useState } from 'react'
import type { JSX } from 'react'
import type { ModelRoute } from '../../src/wire/index.ts'
import { IconButton } from './IconButton.tsx'
import { ModelMenu } from './ModelMenu.tsx'
import type { ModelChoice } from './ModelPicker.tsx'
import { useT } from './surface.tsx'

export interface RetryWithProps {
  readonly models: ModelChoice
  readonly onRetry: (route: ModelRoute | undefined) => void
}

export function RetryWith({ models, onRetry }: RetryWithProps): JSX.Element | null {
  const t = useT()
  const id = useId()
  const button = useRef<HTMLButtonElement>(null)
  const [open, setOpen] = useState(false)
  const [wanted, setWanted] = useState<ModelRoute | null>(null)
  const close = useCallback(() => setOpen(false), [])
  const { load } = models
  useEffect(() => load(true), [load])
  if (models.catalog.providers.length === 0) return null
  return (
    <>
      <IconButton
        ref={button}
        icon="chevron"
        label={t('model.retryWith')}
        aria-haspopup="menu"
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => {
          if (!open) load()
          setWanted(models.used)
          setOpen(!open)
        }}
      />
      {open && (
        <ModelMenu
          id={id}
          anchor={button}
          choice={{ ...models, route: wanted, pick: setWanted }}
          onClose={close}
          run={() => {
            setOpen(false)
            onRetry(wanted ?? undefined)
          }}
        />
      )}
    </>
  )
}
