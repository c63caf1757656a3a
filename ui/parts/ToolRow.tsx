/** One tool call: name, target, outcome; its result behind the row. */

import { useState } from 'react'
import type { JSX } from 'react'
import type { ToolView } from '../../src/wire/index.ts'
import { Icon } from './Icon.tsx'
import { useT } from './surface.tsx'
import css from './Step.module.css'

/** Tools that ask the person: the row says so instead of naming them. */
const ASKS = /^ask_user/

export function ToolRow({ tool }: { readonly tool: ToolView }): JSX.Element {
  const t = useT()
  const [open, setOpen] = useState(false)
  const result = tool.result ?? ''
  const asks = ASKS.test(tool.name)
  const line = (
    <>
      <span className={css['chevron']} data-open={open || undefined}>
        <Icon name={result === '' ? 'tool' : 'right'} size={12} />
      </span>
      <span className={css['title']}>{asks ? t('tool.asked') : tool.name}</span>
      {tool.target !== '' && <span className={css['target']}>{tool.target}</span>}
      {tool.status !== 'running' && (
        <span className={css['outcome']} data-status={asks ? undefined : tool.status}>
          {t(asks && tool.status === 'failed' ? 'tool.unanswered' : `tool.${tool.status}`)}
        </span>
      )}
    </>
  )
  if (result === '') return <div className={css['head']}>{line}</div>
  return (
    <div className={css['step']}>
      <button type="button" className={css['head']} aria-expanded={open} onClick={() => setOpen(!open)}>
        {line}
      </button>
      {open && (
        <pre className={css['result']} tabIndex={0}>
          {result}
        </pre>
      )}
    </div>
  )
}
