/** Model text as Markdown. Owns cheapness: a finished block is read and drawn once, however long the answer behind it
 *  grows; a long one that still grows only now and then. What may be drawn is ui/later/markdown.tsx. */

import { Component, memo, useMemo, useState } from 'react'
import type { ClipboardEvent, JSX, ReactNode } from 'react'
import { CodeBlock } from './CodeBlock.tsx'
import { Formula } from './Formula.tsx'
import { useLater } from './later.ts'
import { copySelection } from './copy-selection.ts'
import { createCutter, definitionsFor, definitionsIn, fenceOf, formulaOf } from './markdown-blocks.ts'
import type { MarkdownParts } from './markdown-nodes.ts'
import { RemoteImage } from './RemoteImage.tsx'
import { Table } from './Table.tsx'
import { Task } from './Task.tsx'
import { useCalm } from './use-calm.ts'
import css from './Markdown.module.css'

/** Blocks of a group are compared as one, so that a long answer's finished part costs next to nothing. */
const GROUP = 32

export interface MarkdownProps {
  readonly text: string
  /** Whether more of it is coming. */
  readonly growing?: boolean
}

export function Markdown({ text, growing = false }: MarkdownProps): JSX.Element {
  const [cut] = useState(createCutter)
  const blocks = cut(text)
  // Code is coloured and formulas are set only when they are complete, and a definition counts when its line is.
  const definitions = definitionsIn(growing ? blocks : [...blocks.slice(0, -1), `${blocks.at(-1) ?? ''}\n`])
  const groups: JSX.Element[] = []
  for (let from = 0; from < blocks.length; from += GROUP) {
    const last = from + GROUP >= blocks.length
    groups.push(
      <Group
        key={from}
        from={from}
        blocks={blocks.slice(from, from + GROUP)}
        definitions={definitions}
        growing={growing && last}
      />,
    )
  }
  const onCopy = (event: ClipboardEvent<HTMLDivElement>): void => {
    if (copySelection(event.currentTarget, blocks, event.clipboardData)) event.preventDefault()
  }
  return (
    <div className={css['markdown']} onCopy={onCopy}>
      {groups}
    </div>
  )
}

interface GroupProps {
  /** The place of its first block in the text. */
  readonly from: number
  readonly blocks: readonly string[]
  readonly definitions: readonly string[]
  readonly growing: boolean
}

const Group = memo(
  function Group({ from, blocks, definitions, growing }: GroupProps): JSX.Element {
    return (
      <>
        {blocks.map((block, index) => (
          // A block never moves: what comes later is appended.
          <div key={index} data-block={from + index}>
            <Block
              text={block}
              definitions={definitionsFor(block, definitions)}
              growing={growing && index === blocks.length - 1}
            />
          </div>
        ))}
      </>
    )
  },
  (before, after) =>
    before.growing === after.growing &&
    same(before.blocks, after.blocks) &&
    same(before.definitions, after.definitions),
)

function same(left: readonly string[], right: readonly string[]): boolean {
  return left.length === right.length && left.every((one, index) => one === right[index])
}

interface BlockProps {
  readonly text: string
  readonly definitions: string
  readonly growing: boolean
}

const Block = memo(function Block({ text, definitions, growing }: BlockProps): JSX.Element {
  const code = fenceOf(text)
  if (code !== null) return <CodeBlock language={code.language} text={code.text} growing={growing && !code.closed} />
  const formula = formulaOf(text)
  if (formula !== null)
    return (
      <p>
        <Formula tex={formula} display />
      </p>
    )
  return (
    <OrText text={text}>
      <Words text={text} definitions={definitions} growing={growing} />
    </OrText>
  )
})

const PARTS: MarkdownParts = { CodeBlock, Formula, RemoteImage, Table, Task }
const FAILED = Symbol('not read')

function Words({ text, definitions, growing }: BlockProps): JSX.Element {
  const later = useLater('markdown')
  const shown = useCalm(text, growing)
  const [failed, setFailed] = useState(false)
  const drawn = useMemo(() => {
    if (later === null || failed) return null
    try {
      return later.draw(shown, definitions, PARTS)
    } catch {
      return FAILED
    }
  }, [later, shown, definitions, failed])
  // What could not be read once is not tried again with every word that comes.
  if (drawn === FAILED && !failed) setFailed(true)
  if (drawn === FAILED || failed) return <CodeBlock language="" text={text.trimEnd()} />
  if (drawn === null) return <p className={css['plain']}>{text.trimEnd()}</p>
  return <>{drawn}</>
}

/** The last resort: a block that React cannot draw stays the text that it is instead of taking the surface with it. */
class OrText extends Component<{ readonly text: string; readonly children: ReactNode }, { readonly failed: boolean }> {
  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override readonly state = { failed: false }

  override render(): ReactNode {
    return this.state.failed ? <CodeBlock language="" text={this.props.text.trimEnd()} /> : this.props.children
  }
}
