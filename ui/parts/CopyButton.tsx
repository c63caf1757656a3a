/** Copies a text as it is and shows for a moment that it did. */

import { useEffect, useState } from 'react'
import type { JSX } from 'react'
import { copyText } from './copy-text.ts'
import { IconButton } from './IconButton.tsx'
import { useT } from './surface.tsx'

const SHOWN_MS = 1_500

export interface CopyButtonProps {
  readonly text: () => string
  readonly label: string
  /** Grows by one when something else (a key) has copied it. */
  readonly copied?: number
}

export function CopyButton({ text, label, copied = 0 }: CopyButtonProps): JSX.Element {
  const t = useT()
  const [done, setDone] = useState(0)
  const count = done + copied
  const [shown, setShown] = useState(0)
  useEffect(() => {
    if (count === 0) return
    setShown(count)
    const timer = setTimeout(() => setShown(0), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [count])
  const copy = async (): Promise<void> => {
    if (await copyText(text())) setDone((times) => times + 1)
  }
  return (
    <>
      <IconButton
        icon={shown > 0 ? 'check' : 'copy'}
        label={shown > 0 ? t('action.copied') : label}
        onClick={() => void copy()}
      />
    </>
  )
}
