/** The one polite live region of a surface. States are announced, tokens never; what comes in quick succession is
 *  reduced to the last. */

import { useEffect, useRef, useState } from 'react'
import type { JSX } from 'react'
import css from './LiveRegion.module.css'

const PAUSE_MS = 1_000

export function LiveRegion({ message }: { readonly message: string }): JSX.Element {
  const [said, setSaid] = useState('')
  const last = useRef({ at: 0, message })
  useEffect(() => {
    // What already stands when the surface appears is not news.
    if (message === last.current.message) return
    last.current.message = message
    const wait = Math.max(0, last.current.at + PAUSE_MS - Date.now())
    const timer = setTimeout(() => {
      last.current.at = Date.now()
      setSaid(message)
    }, wait)
    return () => clearTimeout(timer)
  }, [message])
  return (
    <div className={css['region']} role="status" aria-live="polite">
      {said}
    </div>
  )
}
