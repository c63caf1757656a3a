/** The box of a task list: Markdown makes no other field. */

import type { JSX } from 'react'
import { useT } from './surface.tsx'

export function Task({ done }: { readonly done: boolean }): JSX.Element {
  const t = useT()
  return <input type="checkbox" checked={done} disabled aria-label={t(done ? 'markdown.done' : 'markdown.open')} />
}
