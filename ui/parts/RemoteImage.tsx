/** An image of an answer: a placeholder that says where it lives, fetched only when the person asks for it (I11). */

import { useState } from 'react'
import type { JSX } from 'react'
import { Icon } from './Icon.tsx'
import { useT } from './surface.tsx'
import css from './Markdown.module.css'

export function RemoteImage({ url, alt }: { readonly url: string; readonly alt: string }): JSX.Element {
  const t = useT()
  const [asked, setAsked] = useState(false)
  if (asked) return <img className={css['image']} src={url} alt={alt} referrerPolicy="no-referrer" loading="lazy" />
  const host = hostOf(url)
  return (
    <button type="button" className={css['placeholder']} title={url} onClick={() => setAsked(true)}>
      <Icon name="image" />
      <span>{t('action.showImage', { alt: alt === '' ? host : `${alt} (${host})` })}</span>
    </button>
  )
}

function hostOf(url: string): string {
  try {
    return new URL(url).host
  } catch {
    return ''
  }
}
