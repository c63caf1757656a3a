/** A text drawn in one piece, without cutting it into blocks. */
import type { JSX } from 'react'

import { draw } from '../../ui/later/markdown.tsx'
import { CodeBlock } from '../../ui/parts/CodeBlock.tsx'
import { Formula } from '../../ui/parts/Formula.tsx'
import { RemoteImage } from '../../ui/parts/RemoteImage.tsx'
import { Table } from '../../ui/parts/Table.tsx'
import { Task } from '../../ui/parts/Task.tsx'

export function Whole({ text }: { readonly text: string }): JSX.Element {
  return <div>{draw(text, '', { CodeBlock, Formula, RemoteImage, Table, Task })}</div>
}
