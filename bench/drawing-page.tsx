/** In the page of drawing.ts: draws one answer frame by frame as it grows, as the plugin does it or all of it anew. */
import type { ReactElement } from 'react'
import { createRoot } from 'react-dom/client'

import * as code from '../ui/later/code.ts'
import * as markdown from '../ui/later/markdown.tsx'
import { createTranslate } from '../ui/locales.ts'
import { CodeBlock } from '../ui/parts/CodeBlock.tsx'
import { Formula } from '../ui/parts/Formula.tsx'
import { supplyLater } from '../ui/parts/later.ts'
import { Markdown } from '../ui/parts/Markdown.tsx'
import type { MarkdownParts } from '../ui/parts/markdown-nodes.ts'
import { RemoteImage } from '../ui/parts/RemoteImage.tsx'
import { SurfaceProvider } from '../ui/parts/surface.tsx'
import { Table } from '../ui/parts/Table.tsx'
import { Task } from '../ui/parts/Task.tsx'
import { grown, growingText, type GrowingText } from '../src/wire/growing.ts'

supplyLater('markdown', markdown)
supplyLater('code', code)

const PARTS: MarkdownParts = { CodeBlock, Formula, RemoteImage, Table, Task }
const t = createTranslate('en')

const views: Record<'ours' | 'naive', (text: GrowingText) => ReactElement> = {
  ours: (text) => <Markdown text={text} growing />,
  naive: ({ text }) => <Naive text={text} />,
}

function Naive({ text }: { readonly text: string }): ReactElement {
  return <div>{markdown.draw(text, '', PARTS)}</div>
}

/** @param steps what each frame adds. @param every draws only each so many-th frame. @returns how many were drawn. */
async function sidemindDraw(which: 'ours' | 'naive', steps: readonly string[], every: number): Promise<number> {
  const root = createRoot(document.querySelector('#root') as Element)
  let text = growingText('')
  let drawn = 0
  for (const [at, step] of steps.entries()) {
    text = grown(text, step)
    if (at % every !== 0) continue
    drawn += 1
    root.render(<SurfaceProvider value={{ t }}>{views[which](text)}</SurfaceProvider>)
    await new Promise(requestAnimationFrame)
    await new Promise((resolve) => setTimeout(resolve))
  }
  root.unmount()
  return drawn
}

Object.assign(window, { sidemindDraw })
