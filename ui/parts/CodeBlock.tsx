/** Code with its language and a copy button. */

import type { JSX } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { useT } from './surface.tsx'
import css from './CodeBlock.module.css'

export interface CodeBlockProps {
  readonly language: string
  readonly text: string
}

export function CodeBlock({ language, text }: CodeBlockProps): JSX.Element {
  const t = useT()
  return (
    <div className={css['block']}>
      <div className={css['bar']}>
        <span className={css['language']}>{language}</span>
        <CopyButton text={text} label={t('action.copyCode')} />
      </div>
      <pre className={css['code']} tabIndex={0}>
        <code>{text}</code>
      </pre>
    </div>
  )
}
