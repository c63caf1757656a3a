/** Code with its language and a copy button, in colours when it is complete and its language is known; a long one is
 *  folded. Copying copies all of it. */

import { memo, useMemo, useState } from 'react'
import type { JSX } from 'react'
import { CopyButton } from './CopyButton.tsx'
import { useLater } from './later.ts'
import type { Code } from './markdown-cutter.ts'
import type { CodeRun } from './markdown-nodes.ts'
import { useT } from './surface.tsx'
import { TextButton } from './TextButton.tsx'
import { useCalm } from './use-calm.ts'
import css from './CodeBlock.module.css'

/** Lines above which code is folded, and how many of them are shown then. */
const LONG = 30
const SHOWN = 20
/** Characters above which code is not coloured: nobody reads it for its colours, and every one costs an element. */
const COLOURED_MOST = 30_000

type Seen = Pick<Code, 'length' | 'lines' | 'first' | 'read'>

export interface CodeBlockProps {
  readonly language: string
  /** What still grows is read as far as it is shown. */
  readonly text: string | Seen
  /** Whether more of it is coming. */
  readonly growing?: boolean
}

export const CodeBlock = memo(function CodeBlock({ language, text, growing = false }: CodeBlockProps): JSX.Element {
  const t = useT()
  const [open, setOpen] = useState(false)
  const code = useMemo(() => (typeof text === 'string' ? wholeCode(text) : text), [text])
  const { lines } = code
  // What was seen growing keeps the lines that it had: nothing shrinks under a reader's eyes.
  const [most] = useState(lines > LONG ? SHOWN : LONG)
  const folded = lines > LONG && !open
  const start = folded ? code.first(most) : ''
  const shown = useCalm(folded ? start.length : code.length, folded ? () => start : code.read, growing && !folded)
  const colours = useLater('code', !growing && language !== '' && shown.length <= COLOURED_MOST)
  const runs = useMemo(() => colours?.highlight(shown, language) ?? null, [colours, shown, language])
  return (
    <div className={css['block']}>
      <div className={css['bar']} data-bar="">
        <span className={css['language']}>{language}</span>
        <CopyButton text={code.read} label={t('action.copyCode')} />
      </div>
      <pre className={css['code']} tabIndex={0}>
        <code>{runs === null ? shown : runs.map(drawRun)}</code>
      </pre>
      {lines > LONG && (
        <div className={css['fold']} data-bar="">
          <TextButton aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? t('code.fold') : t('code.unfold', { lines })}
          </TextButton>
        </div>
      )}
    </div>
  )
})

function wholeCode(text: string): Seen {
  return { length: text.length, lines: countLines(text), first: (lines) => firstLines(text, lines), read: () => text }
}

function drawRun({ kind, text }: CodeRun, index: number): JSX.Element | string {
  return kind === '' ? (
    text
  ) : (
    <span key={index} className={css[kind]}>
      {text}
    </span>
  )
}

function countLines(text: string): number {
  let lines = 1
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1
  return lines
}

function firstLines(text: string, most: number): string {
  let end = -1
  for (let line = 0; line < most; line += 1) {
    end = text.indexOf('\n', end + 1)
    if (end === -1) return text
  }
  return text.slice(0, end)
}
