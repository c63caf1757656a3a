/** Model text as Markdown. Owns cheapness: a finished block is read and drawn once, however long the answer behind it
 *  grows; a long one that still grows only now and then. What may be drawn is ui/later/markdown.tsx. */

import { Component, memo, useMemo, useState } from 'react'
import type { ClipboardEvent, JSX, ReactNode } from 'react'
import { CodeBlock } from './CodeBlock.tsx'
import { Formula } from './Formula.tsx'
import { useLater } from './later.ts'
import { growingText } from '../../src/wire/growing.ts'
import type { GrowingText } from '../../src/wire/growing.ts'
import { createCutter } from './markdown-cutter.ts'
import type { Block as Source, Blocks } from './markdown-cutter.ts'
import type { MarkdownParts } from './markdown-nodes.ts'
import { RemoteImage } from './RemoteImage.tsx'
import { Table } from './Table.tsx'
import { Task } from './Task.tsx'
import { useCalm } from './use-calm.ts'
import css from './Markdown.module.css'

/** Blocks are drawn in runs of so many, and those in runs of as many: a finished run is compared as one, so that the part of
 *  an answer that is there costs next to nothing however long it is. */
const RUN = 32
const RUN_OF_RUNS = RUN * RUN

export interface MarkdownProps {
  readonly text: string | GrowingText
  /** Whether more of it is coming. */
  readonly growing?: boolean
}

export function Markdown({ text, growing = false }: MarkdownProps): JSX.Element {
  const [cut] = useState(createCutter)
  const blocks = cut(
    useMemo(() => (typeof text === 'string' ? growingText(text) : text), [text]),
    growing,
  )
  const later = useLater('markdown')
  const onCopy = (event: ClipboardEvent<HTMLDivElement>): void => {
    const block = (at: number): string => blockAt(blocks, at)?.read() ?? ''
    if (later?.copySelection(event.currentTarget, block, event.clipboardData) === true) event.preventDefault()
  }
  return (
    <div className={css['markdown']} onCopy={onCopy}>
      {runs(0, blocks.count + blocks.open.length, RUN_OF_RUNS).map((from) => (
        <Runs key={from} from={from} size={RUN_OF_RUNS} blocks={blocks} growing={growing} />
      ))}
    </div>
  )
}

function blockAt({ done, count, open }: Blocks, at: number): Source | undefined {
  return at < count ? done[at] : open[at - count]
}

/** Where the runs of `size` begin. */
function runs(from: number, to: number, size: number): readonly number[] {
  return Array.from({ length: Math.ceil((to - from) / size) }, (_, at) => from + at * size)
}

interface RunProps {
  /** The place of its first block in the text. */
  readonly from: number
  readonly size: number
  readonly blocks: Blocks
  /** Whether the last block of the text grows. */
  readonly growing: boolean
}

const Runs = memo(drawRuns, isSameRun)

function drawRuns({ from, size, blocks, growing }: RunProps): JSX.Element {
  const all = blocks.count + blocks.open.length
  const to = Math.min(from + size, all)
  if (size > RUN)
    return (
      <>
        {runs(from, to, RUN).map((first) => (
          <Runs key={first} from={first} size={RUN} blocks={blocks} growing={growing} />
        ))}
      </>
    )
  return (
    <div className={css['run']} data-finished={from + size <= blocks.count || undefined}>
      {runs(from, to, 1).map((at) => {
        const source = blockAt(blocks, at)
        // A block never moves: what comes later is appended.
        return (
          source !== undefined && (
            <div key={at} data-block={at}>
              <Block source={source} definitions={blocks.definitions} growing={growing && at === all - 1} />
            </div>
          )
        )
      })}
    </div>
  )
}

/** Whether a run is finished in both, and nothing that it may refer to has changed. */
function isSameRun({ blocks: before }: RunProps, { from, size, blocks: after }: RunProps): boolean {
  const finished = from + size <= Math.min(before.count, after.count)
  return finished && before.done === after.done && before.definitions === after.definitions
}

interface BlockProps {
  readonly source: Source
  readonly definitions: readonly string[]
  readonly growing: boolean
}

const Block = memo(function Block({ source, definitions, growing }: BlockProps): JSX.Element {
  const { code } = source
  if (code !== null) return <CodeBlock language={code.language} text={code} growing={growing && !code.closed} />
  return (
    <OrText source={source}>
      <Words source={source} definitions={definitions} growing={growing} />
    </OrText>
  )
})

const PARTS: MarkdownParts = { CodeBlock, Formula, RemoteImage, Table, Task }
const FAILED = Symbol('not read')

function Words({ source, definitions, growing }: BlockProps): JSX.Element {
  const later = useLater('markdown')
  const text = useCalm(source.length, source.read, growing)
  const targets = useMemo(() => later?.targetsFor(text, definitions) ?? '', [later, text, definitions])
  const formula = useMemo(() => later?.formulaOf(text) ?? null, [later, text])
  const [failed, setFailed] = useState(false)
  const drawn = useMemo(() => {
    if (later === null || failed || formula !== null) return null
    try {
      return later.draw(text, targets, PARTS)
    } catch {
      return FAILED
    }
  }, [later, text, targets, failed, formula])
  if (formula !== null)
    return (
      <p>
        <Formula tex={formula} display />
      </p>
    )
  // What could not be read once is not tried again with every word that comes.
  if (drawn === FAILED && !failed) setFailed(true)
  if (drawn === FAILED || failed) return <CodeBlock language="" text={text.trimEnd()} />
  if (drawn === null) return <p className={css['plain']}>{text.trimEnd()}</p>
  return <>{drawn}</>
}

/** The last resort: a block that React cannot draw stays the text that it is instead of taking the surface with it. */
class OrText extends Component<
  { readonly source: Source; readonly children: ReactNode },
  { readonly failed: boolean }
> {
  static getDerivedStateFromError(): { readonly failed: boolean } {
    return { failed: true }
  }

  override readonly state = { failed: false }

  override render(): ReactNode {
    return this.state.failed ? <CodeBlock language="" text={this.props.source.read().trimEnd()} /> : this.props.children
  }
}
